// Every signed route as a test client: records of the tenant, of another tenant, and absent ones give the same response.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { addTestClient, allowTestClients } from "../harness/access/access-requests.ts";
import { ABSENT_ID } from "../harness/access/applications.ts";
import { testService } from "../harness/runs/fixture.ts";
import { mapOfRoutes } from "../harness/service/routes.ts";
import type { Credentials } from "../harness/service/service.ts";
import { pathOf } from "./admitted.ts";
import { buildSides, type Sides } from "./sides.ts";
import { type Ids, TABLE } from "./table.ts";

/** Its own record and its own calls, and the Secret, which it is refused. */
const WITHOUT_PEOPLE = ["/external/whoami", "/external/refusals", "/external/secret/", "external/keys"];

const service = testService();

describe("a test client", () => {
	let sides: Sides;
	let client: Credentials;
	before(async () => {
		sides = await buildSides(service);
		await allowTestClients(service);
		client = (await addTestClient(service)).client;
	});

	/** Status and body, with the ids of the records replaced. */
	const ask = async (route: string, ids: Ids): Promise<unknown> => {
		const [method = "", path = ""] = route.split(" ");
		const sentPath = pathOf(path, ids);
		const body = TABLE[route]?.body?.(ids, 1, "");
		const {
			status,
			body: received,
			headers,
		} = await service.signed<unknown>(client, method, sentPath, {
			...(body !== undefined && { body }),
		});
		assert.equal(headers["latchkey-mode"], "test", route);
		const text = JSON.stringify(received);
		return [status, Object.values(ids).reduce((masked, id) => masked.replaceAll(id, "ID"), text)];
	};

	it("gets no record of any tenant from any signed route", async () => {
		const signed = (await mapOfRoutes()).filter(({ guard }) => guard.security === "signed");
		const routes = signed.map(({ method, path }) => `${method} ${path}`);
		const withPeople = routes.filter((route) => !WITHOUT_PEOPLE.some((part) => route.includes(part)));
		assert.ok(withPeople.length >= 5, `${withPeople}`);
		for (const route of withPeople) {
			const row = TABLE[route];
			assert.ok(row?.records, `${route} has records in test/matrix/table.ts`);
			const own = await row.records(sides.own);
			const absent = Object.fromEntries(Object.keys(own).map((name) => [name, ABSENT_ID]));
			const expected = await ask(route, absent);
			assert.deepEqual(await ask(route, own), expected, `${route}, own tenant`);
			assert.deepEqual(
				await ask(route, await row.records(sides.foreign)),
				expected,
				`${route}, other tenant`,
			);
		}
		for (const route of routes.filter((route) => /secret|auth/.test(route)))
			assert.equal(((await ask(route, {})) as [number])[0], 403, route);
	});

	it("is admitted by the routes that read about people through recordsFor, and by no others", async () => {
		const admitted = (await mapOfRoutes())
			.filter(({ guard }) => guard.allows.endsWith("; test clients"))
			.map(({ path }) => path);
		assert.deepEqual(admitted.sort(), [
			"/access/v1/evaluation",
			"/access/v1/evaluations",
			"/api/v1/external/refusals",
			"/api/v1/external/third-party/find-user",
			"/api/v1/external/users/check-access",
			"/api/v1/external/users/{id}",
			"/api/v1/external/whoami",
		]);
	});
});
