// Changes with `If-Match`: of changes at the same time, one wins; and use changes no version.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { flushAll } from "../../src/kernel/write-behind.ts";
import { APPLICATIONS, addApiClient, addApplication, withSecret } from "../harness/access/applications.ts";
import { addGroup, GROUPS } from "../harness/access/groups.ts";
import { addPerson, auditOf, signInAgain } from "../harness/people/people.ts";
import { addProvider, IDENTITY_PROVIDERS } from "../harness/providers/identity-providers.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { testService } from "../harness/runs/fixture.ts";

const WHOAMI = "/api/v1/external/whoami";

describe("If-Match", () => {
	const service = testService();
	const call = async (
		method: "GET" | "PATCH" | "DELETE",
		path: string,
		{ ifMatch, body, token }: { readonly ifMatch?: string; readonly body?: unknown; readonly token?: string },
	) =>
		service.call(method, path, {
			token: token ?? (await service.adminToken()),
			body,
			headers: { accept: "application/problem+json", ...(ifMatch !== undefined && { "if-match": ifMatch }) },
		});
	const etagOf = async (path: string, token?: string): Promise<string> => {
		const { headers } = await call("GET", path, token === undefined ? {} : { token });
		return String(headers.etag);
	};

	it("admits one of changes at the same time: of a group, an application, a provider, and one's own account", async () => {
		const person = await addPerson(service, "racer");
		const [group, app, provider] = [
			await addGroup(service),
			await addApplication(service),
			await addProvider(service),
		];
		const records = [
			{ path: `${GROUPS}/${group.id}`, field: "description" },
			{ path: `${APPLICATIONS}/${app.id}`, field: "description" },
			{ path: `${IDENTITY_PROVIDERS}/${provider.id}`, field: "display_name" },
			{ path: "/api/v1/users/me", field: "display_name", token: person.token },
		];
		for (const { path, field, ...as } of records)
			for (let round = 0; round < atDepth({ quick: 1, all: 2, long: 20 }); round++) {
				const ifMatch = await etagOf(path, as.token);
				const changes = Array.from({ length: 6 }, (_, index) =>
					call("PATCH", path, { ifMatch, body: { [field]: `Round ${round}.${index}` }, ...as }),
				);
				const statuses = (await Promise.all(changes)).map(({ status }) => status).sort();
				assert.deepEqual(statuses, [200, 412, 412, 412, 412, 412], path);
			}
	});

	it("is never made over an unconditional change", async () => {
		const { id } = await addGroup(service);
		const path = `${GROUPS}/${id}`;
		for (let round = 0; round < atDepth({ quick: 6, all: 12, long: 100 }); round++) {
			const before = (await auditOf(service, `group:${id}`)).length;
			const ifMatch = await etagOf(path);
			const [conditional] = await Promise.all([
				call("PATCH", path, { ifMatch, body: { description: `round ${round}` } }),
				call("PATCH", path, { body: { name: `Team ${round} of ${id}` } }),
			]);
			const changed = (await auditOf(service, `group:${id}`)).slice(before);
			const first = JSON.stringify(changed[0]?.details);
			if (conditional.status === 200) assert.match(first, /description/);
			else assert.equal(conditional.status, 412);
		}
	});

	it("takes lists, weak tags, and *; refuses text in another form", async () => {
		const { id } = await addGroup(service);
		const path = `${GROUPS}/${id}`;
		const statusOf = async (form: (etag: string) => string, body = { description: form("x") }) =>
			(await call("PATCH", path, { ifMatch: form(await etagOf(path)), body })).status;
		for (const form of [
			(etag: string) => `W/${etag}`,
			(etag: string) => `"a", ${etag} , W/"b"`,
			() => "*",
			(etag: string) => ` ${etag}`,
		])
			assert.equal(await statusOf(form), 200, String(form));
		for (const form of [(etag: string) => etag.slice(1, -1), () => "", () => '"a" "b"', () => "*, *"]) {
			const refused = await call("PATCH", path, { ifMatch: form(await etagOf(path)), body: {} });
			assert.deepEqual(
				[refused.status, refused.body.errors?.map(({ field }) => field)],
				[400, ["If-Match"]],
				String(form),
			);
		}
		assert.equal(await statusOf(() => '"0123456789012345678901"'), 412);
	});

	it("returns the 404 and 409 of the route, and 412 before the field that is taken", async () => {
		const [{ id }, other] = [await addGroup(service), await addGroup(service)];
		const path = `${GROUPS}/${id}`;
		const ifMatch = await etagOf(path);
		const body = { name: other.name };
		assert.equal((await call("PATCH", path, { ifMatch, body })).status, 409);
		assert.equal((await call("PATCH", path, { ifMatch: '"old"', body })).status, 412);
		assert.equal((await call("DELETE", path, { ifMatch })).status, 204);
		assert.equal((await call("PATCH", path, { ifMatch, body })).status, 404);
		assert.equal((await call("DELETE", path, { ifMatch: "*" })).status, 404);
	});

	it("changes with a password and a Secret, which no response shows, and not with use", async () => {
		const person = await addPerson(service, "user");
		const client = await addApiClient(service);
		const provider = await addProvider(service);
		const paths = [
			`/api/v1/users/${person.id}`,
			`/api/v1/api-clients/${client.id}`,
			`${IDENTITY_PROVIDERS}/${provider.id}`,
		];
		const tags = () => Promise.all(paths.map((path) => etagOf(path)));
		const before = await tags();
		await signInAgain(service, person);
		assert.equal((await service.signed(withSecret(client), "GET", WHOAMI)).status, 200);
		await flushAll();
		assert.deepEqual(await tags(), before);
		const [user = "", , issuer = ""] = paths;
		service.clock.advance(1_000);
		await call("PATCH", user, { body: { password: "another long password of user" } });
		await call("PATCH", issuer, { body: { client_secret: "another secret" } });
		const after = await tags();
		assert.deepEqual(
			after.map((tag, index) => tag === before[index]),
			[false, true, false],
		);
	});
});
