// Every route with the token of a support session: nothing is written, and nothing is read but what the list below names.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Route } from "../../src/http/describe/guard.ts";
import { addPerson } from "../harness/people/people.ts";
import { addSupporter, supportFor } from "../harness/people/support.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { mapOfRoutes } from "../harness/service/routes.ts";
import { nameOf, pathOf } from "./admitted.ts";
import { TABLE } from "./table.ts";

/** No factors, passwords, keys, sessions, consents, or exports. */
const READS = [
	"GET /api/v1/applications",
	"GET /api/v1/users/me",
	"GET /api/v1/users/me/grants",
	"GET /api/v1/users/me/requestable",
	"GET /api/v1/users/me/requests",
];

describe("a support session", () => {
	const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });
	const supported = fixture(async () => {
		const ada = await addPerson(service, "ada");
		const supporter = await addSupporter(service, "sam");
		return { ada, token: (await supportFor(service, supporter, ada.id, { minutes: 60 })).access_token };
	});
	let count = 0;
	const send = (route: Route, token: string | undefined) => {
		const body = TABLE[nameOf(route)]?.body?.({}, ++count, "the long password of ada");
		const headers = {
			accept: "application/problem+json",
			"x-forwarded-for": `10.3.${count >> 8}.${count & 255}`,
		};
		return service.call<{ readonly code?: string }>(route.method, pathOf(route.path, {}), {
			...(token && { token }),
			body,
			headers,
		});
	};
	const countEvents = async (): Promise<number> => {
		return Number((await service.callAsAdmin("GET", "/api/v1/audit-events")).body.total);
	};

	it("is refused by every route that needs a session, except reads of the account", async () => {
		// A set-up link is sent as a Bearer token, too.
		const routes = (await mapOfRoutes()).filter(
			({ guard }) => guard.security === "bearer" && guard.allows !== "the holder of a set-up link",
		);
		assert.ok(routes.length > 150);
		const { token } = supported;
		const before = await countEvents();
		const admitted: string[] = [];
		for (const route of routes) {
			const { status, body } = await send(route, token);
			if (status === 200) admitted.push(nameOf(route));
			else assert.deepEqual([status, body?.code], [403, "support.read_only"], nameOf(route));
		}
		assert.deepEqual(admitted.sort(), READS);
		assert.equal(await countEvents(), before);
	});

	it("changes nothing about routes without a session", async () => {
		for (const route of await mapOfRoutes()) {
			if (route.guard.security === "bearer" || route.guard.admitsKeys === true) continue;
			const [without, having] = [await send(route, undefined), await send(route, supported.token)];
			assert.equal(having.status, without.status, nameOf(route));
		}
	});

	it("reads with HEAD, too, and nothing with other methods", async () => {
		const { token } = supported;
		const methods = ["HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];
		const call = async (method: string) => (await service.call(method, "/api/v1/users/me", { token })).status;
		const statuses = [];
		for (const method of methods) statuses.push(await call(method));
		assert.deepEqual(statuses, [200, 405, 405, 405, 403, 403]);
	});
});
