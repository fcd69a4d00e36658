// `@latchkey/client/admin`: size, types, and administration of a running service.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { createAdmin, LatchkeyError } from "../../packages/client/src/admin.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { testService } from "../harness/runs/fixture.ts";

const USERS = "/api/v1/users";
const USER = "/api/v1/users/{id}";
const NOBODY = "00000000-0000-4000-8000-000000000000";

test("names the option that is missing", () => {
	const adminKey = "lk_1";
	assert.throws(() => createAdmin({ url: "", adminKey }), { message: "url is missing" });
	assert.throws(() => createAdmin({ url: "https://auth.example.com", adminKey: "" }), {
		message: "adminKey is missing",
	});
});

test("sends the key to the service only", async () => {
	const urls: string[] = [];
	const send: typeof fetch = async (input) => {
		urls.push(String(input));
		return new Response(null, { status: 302, headers: { location: "https://elsewhere.example.com/" } });
	};
	const admin = createAdmin({ url: "https://auth.example.com", adminKey: "lk_1", fetch: send });
	await assert.rejects(admin.fetch("https://elsewhere.example.com/"), /^TypeError: not in origins: /);
	await assert.rejects(admin.fetch("http://auth.example.com/"), /^TypeError: not in origins: /);
	assert.equal((await admin.fetch("/redirect")).status, 302);
	await assert.rejects(admin.get(USERS), { name: "LatchkeyError", status: 302, code: "" });
	assert.deepEqual(urls, ["https://auth.example.com/redirect", `https://auth.example.com${USERS}`]);
});

test("repeats a request that the service did not execute, with the same body", async () => {
	const bodies: string[] = [];
	const send: typeof fetch = async (_, init) => {
		bodies.push(await new Response(init?.body).text());
		const headers = { "retry-after": "0" };
		return bodies.length < 3
			? new Response("", { status: 429, headers })
			: new Response('{"data":{}}', { status: 201 });
	};
	const admin = createAdmin({ url: "https://auth.example.com", adminKey: "lk_1", fetch: send });
	await admin.post("/api/v1/groups", { body: { name: "Readers" } });
	assert.deepEqual(bodies, Array(3).fill('{"name":"Readers"}'));
});

test("sends no path parameter that would lead to another route", async () => {
	const send: typeof fetch = async (input) => assert.fail(`sent to ${input}`);
	const admin = createAdmin({ url: "https://auth.example.com", adminKey: "lk_1", fetch: send });
	for (const id of [undefined as unknown as string, "", ".", ".."]) {
		const message = `path.id must not be "${id ?? ""}"`;
		await assert.rejects(admin.delete(USER, { path: { id } }), { name: "TypeError", message });
	}
});

test("refuses a response that is not JSON", async () => {
	const page: typeof fetch = async () => new Response("<h1>Sign in to the network</h1>");
	const admin = createAdmin({ url: "https://auth.example.com", adminKey: "lk_1", fetch: page });
	await assert.rejects(admin.get(USERS), { name: "SyntaxError" });
});

/** Compiles only if the types know the routes, their parameters, and their responses. */
export async function typed(admin: ReturnType<typeof createAdmin>): Promise<void> {
	const name: string = (await admin.get(USER, { path: { id: NOBODY } })).data.username;
	const none: undefined = await admin.delete(USER, { path: { id: name } });
	// @ts-expect-error: no such route
	await admin.get("/api/v1/nothing");
	// @ts-expect-error: only for users
	await admin.get("/api/v1/users/me");
	// @ts-expect-error: the id is missing
	await admin.get(USER);
	// @ts-expect-error: no such status
	await admin.get(USERS, { query: { status: "gone" } });
	// @ts-expect-error: the body is missing
	await admin.post(USERS);
	// @ts-expect-error: no list
	admin.each(USER, { path: { id: name } });
	// @ts-expect-error: no such member
	for await (const { nothing } of admin.each(USERS)) void [none, nothing];
}

describe("against a running service", () => {
	const service = testService();
	let key: string;
	before(async () => {
		({ key } = await addAdminKey(service));
	});
	const admin = () => createAdmin({ url: service.httpUrl, adminKey: key });

	test("creates, finds, changes, and deletes a user", async () => {
		const body = { username: "grace", email: "grace@example.com", invite: true };
		const { data } = await admin().post(USERS, { body });
		assert.equal(data.status, "invited");
		const path = { id: data.id };
		const found = await admin().get(USERS, { query: { email: "grace@example.com" } });
		assert.deepEqual([found.total, found.data[0]?.id], [1, data.id]);
		const changed = await admin().patch(USER, { path, body: { display_name: "Grace Hopper" } });
		assert.equal(changed.data.display_name, "Grace Hopper");
		assert.equal(await admin().delete(USER, { path }), undefined);
		await assert.rejects(admin().get(USER, { path }), { code: "user.not_found" });
	});

	test("throws a refusal with its code and the page that explains it", async () => {
		await assert.rejects(admin().get(USER, { path: { id: "../api-clients?a=b" } }), (error) => {
			assert.ok(error instanceof LatchkeyError);
			assert.deepEqual([error.status, error.code], [404, "user.not_found"]);
			assert.match(error.docs, /\/docs\/errors#user\.not_found$/);
			return true;
		});
		const wrong = createAdmin({ url: service.httpUrl, adminKey: "lk_wrong" });
		await assert.rejects(wrong.get(USERS), { name: "LatchkeyError", status: 401 });
	});

	test("reads the rows of all pages, and no further page after the last", async () => {
		for (const name of ["Ants", "Bees", "Cats", "Dogs"])
			await admin().post("/api/v1/groups", { body: { name } });
		const names = async (page_size?: number) => {
			const query = page_size === undefined ? {} : { page_size };
			const found: string[] = [];
			for await (const { name } of admin().each("/api/v1/groups", { query })) found.push(name);
			return found.sort();
		};
		for (const size of [undefined, 1, 2, 3, 4])
			assert.deepEqual(await names(size), ["Ants", "Bees", "Cats", "Dogs"]);
	});

	test("exports audit events, which are not a JSON document", async () => {
		const response = await admin().fetch("/api/v1/audit-events/export?format=csv");
		assert.equal(response.status, 200);
		assert.match(await response.text(), /admin_key\.created/);
	});
});
