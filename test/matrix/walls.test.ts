// What an admitted caller does not reach: records that do not belong together, absent tenants, and platform admins.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Route } from "../../src/http/describe/guard.ts";
import { ABSENT_ID } from "../harness/access/applications.ts";
import { addPerson, isAlive } from "../harness/people/people.ts";
import { setup, testService } from "../harness/runs/fixture.ts";
import { mapOfRoutes } from "../harness/service/routes.ts";
import type { CallResponse } from "../harness/service/service.ts";
import { nameOf, pathOf } from "./admitted.ts";
import { buildSides, type Caller, type Sides } from "./sides.ts";
import { type Ids, type Row, TABLE } from "./table.ts";

const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });
let sides: Sides;
let routes: readonly Route[];
setup(async () => {
	sides = await buildSides(service);
	routes = await mapOfRoutes();
});

let count = 0;
const ask = (
	route: Route,
	ids: Ids,
	caller?: Caller,
	headers: Readonly<Record<string, string>> = {},
): Promise<CallResponse> =>
	service.call(route.method, pathOf(route.path, ids), {
		token: caller?.kind === "person" ? caller.token : caller?.kind === "key" ? caller.key : undefined,
		body: TABLE[nameOf(route)]?.body?.(ids, ++count, ""),
		headers: {
			accept: "application/problem+json",
			"x-forwarded-for": `198.51.100.${count % 250}`,
			...headers,
		},
		https: TABLE[nameOf(route)]?.https === true,
	});

describe("records of one tenant that do not belong together", () => {
	for (const [name, { without }] of Object.entries(TABLE)) {
		if (without === undefined) continue;
		it(`return 404 from ${name}, to admins and keys`, async () => {
			const route = routes.find((found) => nameOf(found) === name) as Route;
			const [records, code] = without;
			for (const caller of ["admin", "platform admin", "admin key"]) {
				if (caller === "admin key" && TABLE[name]?.keys !== true) continue;
				const { status, body } = await ask(route, await records(sides.own), sides.callers[caller]);
				assert.deepEqual([status, body.code], [404, code], caller);
			}
		});
	}

	it("are in the table for every route whose path has two ids of records that depend on each other", () => {
		/** A user joins any group, and a grant connects any two records. No user has a delivery in this table. */
		const free =
			/^PUT .*\/(?:members|managers|grants\/users|grants\/groups)\/|\/replay$|\/deliveries\/\{delivery_id\}$|\/sessions\/\{session_id\}$/;
		const missing = Object.entries(TABLE).filter(
			([name, { without }]) =>
				(name.match(/\{/g)?.length ?? 0) > 1 && without === undefined && !free.test(name),
		);
		assert.deepEqual(
			missing.map(([name]) => name),
			[],
		);
	});
});

describe("an absent tenant", () => {
	it("returns 404 from every route that reads X-Tenant-ID, however it is written", async () => {
		const public_ = routes.filter(
			({ guard }) => guard.security === "none" && guard.errors.includes("tenant.not_found"),
		);
		assert.ok(public_.length > 10, `${public_.length} routes`);
		for (const route of public_)
			for (const tenant of [ABSENT_ID, "default", ""]) {
				const { status, body } = await ask(route, {}, undefined, { "x-tenant-id": tenant });
				assert.deepEqual([status, body.code], [404, "tenant.not_found"], `${nameOf(route)}: ${tenant}`);
			}
	});
});

describe("a platform admin", () => {
	it("is changed, signed out, invited, and removed by no admin, and by no key with any roles", async () => {
		const changing = routes.filter(
			({ method, path }) => method !== "GET" && path.startsWith("/api/v1/users/{id}"),
		);
		assert.ok(changing.length >= 9, `${changing.length} routes`);
		const root = await addPerson(service, "root", { roles: ["platform_admin"] });
		const { body: before } = await service.call("GET", "/api/v1/users/me", { token: root.token });
		for (const route of changing)
			for (const caller of ["admin", "admin key", "platform admin key"]) {
				const row = TABLE[nameOf(route)] as Row;
				if (caller.endsWith("key") && row.keys !== true) continue;
				const { status, body } = await ask(
					route,
					{ ...(await row.records?.(sides.own)), id: root.id },
					sides.callers[caller],
				);
				assert.deepEqual([status, body.code], [403, "role.required"], `${nameOf(route)} as ${caller}`);
			}
		assert.equal(await isAlive(service, root.token), true);
		const { body: after } = await service.call("GET", "/api/v1/users/me", { token: root.token });
		assert.deepEqual(after.data, before.data);
	});
});
