// Every route × the manager of one application and one group: nothing of another application or group, in no tenant.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Route } from "../../src/http/describe/guard.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { setup, testService } from "../harness/runs/fixture.ts";
import { mapOfRoutes } from "../harness/service/routes.ts";
import { nameOf, pathOf } from "./admitted.ts";
import { buildSides, type Sides } from "./sides.ts";
import { type Ids, type Row, TABLE } from "./table.ts";

const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });
/** Routes without an id, or with one of a request, that admit reviewers: they show a manager only what is theirs. */
const REVIEWS = /^\/api\/v1\/(?:requests|overview)/;
let sides: Sides;
let routes: readonly Route[];
let manager: Person;
let managed: { readonly application: string; readonly group: string };
setup(async () => {
	sides = await buildSides(service);
	routes = await mapOfRoutes();
	manager = await addPerson(service, "manager");
	managed = { application: await sides.own.addApplication(), group: await sides.own.addGroup() };
	for (const [kind, id] of Object.entries(managed))
		await service.asAdmin("PUT", `/api/v1/${kind}s/${id}/managers/${manager.id}`);
});

let count = 0;
const ask = (route: Route, ids: Ids, token = manager.token) =>
	service.call(route.method, pathOf(route.path, ids), {
		token,
		body: TABLE[nameOf(route)]?.body?.(ids, ++count, manager.password),
		headers: { "x-forwarded-for": `198.51.100.${count % 250}` },
	});
const rowOf = (route: Route): Row => TABLE[nameOf(route)] as Row;
const needsRole = (route: Route): boolean => /^(?:admin|platform)/.test(rowOf(route).who);

describe("the manager of an application and of a group", () => {
	it("is refused by every route that needs a role, with records of others, alike for absent ones", async () => {
		const refusing = routes.filter((route) => needsRole(route) && !REVIEWS.test(route.path));
		assert.ok(refusing.length > 100, `${refusing.length} routes`);
		for (const route of refusing)
			for (const side of [sides.own, sides.foreign]) {
				const ids = (await rowOf(route).records?.(side)) ?? {};
				const [{ status, body }, absent] = [await ask(route, ids), await ask(route, {})];
				assert.equal(status, 403, `${nameOf(route)}: ${JSON.stringify(body)}`);
				assert.deepEqual([absent.status, absent.body], [status, body], nameOf(route));
			}
	});

	it("may call the routes of the table for theirs, and no other route", async () => {
		for (const route of routes.filter(needsRole)) {
			if (REVIEWS.test(route.path)) continue;
			const { managed: kind, records, ok } = rowOf(route);
			const ids: Ids = { ...(await records?.(sides.own)) };
			for (const [name, id] of Object.entries(managed)) {
				if (!route.path.startsWith(`/api/v1/${name}s/{`)) continue;
				const own = { ...ids, [route.path.includes("{id}") ? "id" : "application_id"]: id };
				const { status, body } = await ask(route, own);
				const expected = kind === name ? ok : 403;
				assert.equal(status, expected, `${nameOf(route)}: ${JSON.stringify(body)}`);
			}
		}
	});

	it("finds no request of anyone else's", async () => {
		const request = await sides.own.submit();
		const { body } = await service.call("GET", "/api/v1/requests", { token: manager.token });
		assert.deepEqual([body.data, body.total], [[], 0]);
		for (const route of routes.filter(({ path }) => path.startsWith("/api/v1/requests/{id}")))
			assert.equal((await ask(route, { id: request })).status, 404, nameOf(route));
	});

	it("is refused with the token of an application, and under other spellings of the id", async () => {
		const [route] = routes.filter((one) => nameOf(one) === "GET /api/v1/applications/{id}");
		const other = await sides.own.addApplication();
		for (const id of [`${other}?id=${managed.application}`, `${other}%2f${managed.application}`])
			assert.ok([403, 404].includes((await ask(route as Route, { id })).status), id);
		assert.equal((await ask(route as Route, { id: managed.application.toUpperCase() })).status, 200);
	});
});
