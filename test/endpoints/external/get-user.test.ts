import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ABSENT_ID, addApiClient } from "../../harness/applications.ts";
import { addPerson, type Person } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import {
	assertAllowlisted,
	assertHttpsOnly,
	assertPlainGet,
	assertScoped,
	assertUnsigned,
	type Client,
	problem,
} from "../../harness/signed-endpoint.ts";

let service: TestService;
let client: Client;
let ada: Person;
let call: ReturnType<typeof get>;
before(async () => {
	service = await startTestService();
	client = await addApiClient(service);
	ada = await addPerson(service, "Ada", { display_name: "Ada Lovelace" });
	call = get(ada.id);
});
after(() => service.stop());

const get = (id: string) => ({ method: "GET", path: `/api/v1/external/users/${id}` }) as const;

describe("GET /api/v1/external/users/{id}", () => {
	describe("200", () => {
		test("shows the user's identity, without roles, factors or sign-ins", async () => {
			const answer = await service.signed(client, "GET", call.path);
			assert.equal(answer.status, 200);
			const { created_at, ...user } = answer.body.data;
			assert.deepEqual(user, {
				id: ada.id,
				username: "Ada",
				display_name: "Ada Lovelace",
				email: "ada@people.example",
				avatar_url: "",
				status: "active",
			});
			assert.equal(new Date(created_at).toISOString(), created_at);
		});

		test("shows a disabled user as disabled", async () => {
			const { id } = await addPerson(service, "grace");
			const token = await service.adminToken();
			await service.call("PATCH", `/api/v1/users/${id}`, { token, body: { status: "disabled" } });
			const answer = await service.signed(client, "GET", get(id).path);
			assert.equal(answer.body.data.status, "disabled");
		});

		test("takes the id in upper case, and a query it does not know", async () => {
			for (const path of [get(ada.id.toUpperCase()).path, `${call.path}?a=1&a=2`] as const) {
				const answer = await service.signed(client, "GET", path);
				assert.equal(answer.body.data.id, ada.id);
			}
		});
	});

	describe("400", () => {
		test("a body, or a target in absolute form", () => assertPlainGet(service, client, call.path));
	});

	describe("401", () => {
		test("not signed, wrongly signed, replayed", () => assertUnsigned(service, client, call));
	});

	describe("403", () => {
		test("an address that is not on the allowlist", () => assertAllowlisted(service, call));
		test("without users:read", () => assertScoped(service, "users:read", call));
	});

	describe("404", () => {
		test("answers absent, malformed, deleted and foreign ids alike", async () => {
			const gone = await addPerson(service, "gone");
			const token = await service.adminToken();
			assert.equal((await service.call("DELETE", `/api/v1/users/${gone.id}`, { token })).status, 204);
			const { adminId } = await addSecondTenant(service);
			const ids = [ABSENT_ID, gone.id, adminId, "me", "1", `${ada.id}0`, "%zz", "%00", "a".repeat(5_000)];
			for (const id of ids) assert.equal(await problem(service, client, get(id)), "404 user.not_found", id);
			const answer = await service.signed(client, "GET", get(adminId).path);
			assert.deepEqual(answer.body, { error: "no such user" });
		});
	});

	describe("426", () => {
		test("plain HTTP", () => assertHttpsOnly(service, call));
	});
});
