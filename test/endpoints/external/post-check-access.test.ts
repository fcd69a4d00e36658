import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ABSENT_ID, addApiClient, addApplication, addRole, putGrant } from "../../harness/applications.ts";
import { addPerson, type Person } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import {
	assertAllowlisted,
	assertHttpsOnly,
	assertScoped,
	assertUnsigned,
	type Client,
	problem,
	type SignedCall,
} from "../../harness/signed-endpoint.ts";

const PATH = "/api/v1/external/users/check-access";

let service: TestService;
/** Of an application that only the assigned may use. */
let client: Client;
/** May ask about every application of the tenant. */
let overseer: Client;
let ada: Person;
let call: SignedCall;
before(async () => {
	service = await startTestService();
	const { id: app_id } = await addApplication(service, { access_policy: "assigned" });
	client = await addApiClient(service, { app_id });
	overseer = await addApiClient(service, { app_id, scopes: ["access:check", "access:check:tenant"] });
	ada = await addPerson(service, "ada");
	call = { method: "POST", path: PATH, body: { user_id: ada.id } };
});
after(() => service.stop());

const check = (body: unknown, by: Client = client) => service.signed(by, "POST", PATH, { body });

async function assertDenied(
	body: { user_id: string; app_id?: string },
	reason: string,
	by = client,
): Promise<void> {
	const answer = await check(body, by);
	assert.equal(answer.status, 200);
	assert.deepEqual(answer.body, {
		data: {
			allowed: false,
			reason,
			user_id: body.user_id,
			app_id: body.app_id ?? by.app_id,
			permission: null,
			roles: [],
			permissions: [],
		},
	});
}

async function patch(path: string, body: object): Promise<void> {
	const token = await service.adminToken();
	assert.equal((await service.call("PATCH", `/api/v1${path}`, { token, body })).status, 200);
}

describe("POST /api/v1/external/users/check-access", () => {
	describe("200", () => {
		test("allows assigned users, and sorts roles and permissions without duplicates", async () => {
			const { id } = await addPerson(service, "granted");
			await addRole(service, client.app_id, "writer", ["orders:write", "orders:read"]);
			await addRole(service, client.app_id, "reader", ["orders:read"]);
			await putGrant(service, client.app_id, id, ["writer", "reader"]);
			assert.deepEqual((await check({ user_id: id })).body, {
				data: {
					allowed: true,
					reason: "ok",
					user_id: id,
					app_id: client.app_id,
					permission: null,
					roles: ["reader", "writer"],
					permissions: ["orders:read", "orders:write"],
				},
			});
		});

		test("allows everybody where the application is open", async () => {
			const { id: app_id } = await addApplication(service, { access_policy: "open" });
			const open = await addApiClient(service, { app_id });
			const { data } = (await check({ user_id: ada.id }, open)).body;
			assert.deepEqual([data.allowed, data.reason, data.app_id], [true, "ok", open.app_id]);
		});

		test("decides about one permission, by name and by pattern", async () => {
			const { id } = await addPerson(service, "clerk");
			await addRole(service, client.app_id, "clerk", ["orders:*", "stock:read"]);
			await putGrant(service, client.app_id, id, ["clerk"]);
			for (const [permission, allowed] of [
				["orders:read", true],
				["orders:read:all", true],
				["stock:read", true],
				["stock:write", false],
				["orders", false],
				["ordersx:read", false],
				["Orders:read", false],
				["*", false],
			] as const) {
				const { data } = (await check({ user_id: id, permission })).body;
				assert.equal(data.allowed, allowed, permission);
				assert.equal(data.reason, allowed ? "ok" : "missing_permission");
				assert.equal(data.permission, permission);
				assert.deepEqual(data.permissions, ["orders:*", "stock:read"]);
			}
		});

		test("denies with the first reason that holds: user, application, assignment, permission", async () => {
			const { id: app_id } = await addApplication(service, { access_policy: "assigned" });
			const { id: user_id } = await addPerson(service, "dora");
			await assertDenied({ user_id: ABSENT_ID, app_id: ABSENT_ID }, "user_not_found", overseer);
			await assertDenied({ user_id, app_id: ABSENT_ID }, "app_not_found", overseer);
			await assertDenied({ user_id, app_id }, "not_assigned", overseer);
			await patch(`/applications/${app_id}`, { status: "disabled" });
			await assertDenied({ user_id, app_id }, "app_disabled", overseer);
			await patch(`/users/${user_id}`, { status: "disabled" });
			await assertDenied({ user_id, app_id }, "user_disabled", overseer);
		});

		test("takes effect with the next call: grant, role and revocation", async () => {
			const { id: user_id } = await addPerson(service, "erin");
			await assertDenied({ user_id }, "not_assigned");
			await putGrant(service, client.app_id, user_id);
			assert.equal((await check({ user_id })).body.data.allowed, true);
			const token = await service.adminToken();
			const grant = `/api/v1/applications/${client.app_id}/grants/users/${user_id}`;
			assert.equal((await service.call("DELETE", grant, { token })).status, 204);
			await assertDenied({ user_id }, "not_assigned");
		});

		test("does not find users and applications of another tenant", async () => {
			const second = await addSecondTenant(service);
			await assertDenied({ user_id: second.adminId }, "user_not_found");
			const token = second.adminToken;
			const application = await service.call("POST", "/api/v1/applications", {
				token,
				body: { name: "Theirs" },
			});
			await assertDenied({ user_id: ada.id, app_id: application.body.data.id }, "app_not_found", overseer);
		});

		test("takes ids in upper case and ignores fields it does not know", async () => {
			const body = { user_id: ada.id.toUpperCase(), app_id: client.app_id.toUpperCase(), allowed: true };
			const { data } = (await check(body)).body;
			assert.deepEqual([data.user_id, data.app_id, data.allowed], [ada.id, client.app_id, false]);
		});
	});

	describe("400", () => {
		test("ids that are missing, of a wrong type or no UUIDs; a permission that is blank or too long", async () => {
			const user_id = ada.id;
			for (const body of [
				{},
				{ user_id: null },
				{ user_id: 7 },
				{ user_id: "" },
				{ user_id: "me" },
				{ user_id: `${user_id}0` },
				{ user_id: [user_id] },
				{ user_id, app_id: null },
				{ user_id, app_id: "default" },
				{ user_id, permission: "" },
				{ user_id, permission: " " },
				{ user_id, permission: null },
				{ user_id, permission: "p".repeat(129) },
				{ user_id, permission: "a\0b" },
				{ user_id, permission: "\udfff" },
			]) {
				const answer = await problem(service, client, { ...call, body });
				assert.equal(answer, "400 request.invalid", JSON.stringify(body));
			}
			const longest = await check({ user_id, permission: "p".repeat(128) });
			assert.equal(longest.status, 200);
		});

		test("no body, no JSON, no object, no JSON content type", async () => {
			for (const body of [undefined, "", "{", "[]", "null", `{"user_id":"${ada.id}"} x`])
				assert.equal((await check(body)).status, 400, String(body));
			const headers = { "content-type": "application/x-www-form-urlencoded" };
			assert.equal(await problem(service, client, call, headers), "400 request.content_type");
		});
	});

	describe("401", () => {
		test("not signed, wrongly signed, replayed", () => assertUnsigned(service, client, call));
	});

	describe("403", () => {
		test("an address that is not on the allowlist", () => assertAllowlisted(service, call));
		test("without access:check", () => assertScoped(service, "access:check", call));

		test("another application without access:check:tenant, whether it is there or not", async () => {
			const other = await addApplication(service);
			for (const app_id of [other.id, ABSENT_ID]) {
				const body = { user_id: ada.id, app_id };
				assert.equal(await problem(service, client, { ...call, body }), "403 scope.missing");
				assert.equal((await check(body, overseer)).status, 200);
			}
			assert.equal((await check({ user_id: ada.id, app_id: client.app_id })).status, 200);
		});
	});

	describe("426", () => {
		test("plain HTTP", () => assertHttpsOnly(service, call));
	});
});
