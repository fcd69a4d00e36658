import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, type Person } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users/me";

describe("GET /api/v1/users/me", () => {
	let service: TestService;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		ada = await addPerson(service, "ada", {
			display_name: "Ada Löv",
			avatar_url: "https://img.example/a.png",
		});
	});
	after(() => service.stop());

	describe("200", () => {
		it("answers the user with every field of the contract and no other", async () => {
			const { status, body } = await service.call("GET", PATH, { token: ada.token });
			assert.equal(status, 200);
			assert.deepEqual(Object.keys(body), ["data"]);
			const { tenant_id, created_at, updated_at, last_login_at, ...rest } = body.data;
			assert.deepEqual(rest, {
				id: ada.id,
				username: "ada",
				email: "ada@people.example",
				email_verified: false,
				display_name: "Ada Löv",
				avatar_url: "https://img.example/a.png",
				status: "active",
				roles: [],
				locale: null,
				mfa_enabled: false,
			});
			assert.match(tenant_id, /^[0-9a-f-]{36}$/);
			for (const time of [created_at, updated_at, last_login_at])
				assert.match(String(time), /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
		});

		it("shows a change made by an admin at once", async () => {
			const token = await service.adminToken();
			await service.call("PATCH", `/api/v1/users/${ada.id}`, { token, body: { display_name: "Countess" } });
			const { body } = await service.call("GET", PATH, { token: ada.token });
			assert.equal(body.data.display_name, "Countess");
		});
	});

	describe("401", () => {
		it("refuses a request without a token, with the challenge", async () => {
			const { status, headers, body } = await service.call("GET", PATH);
			assert.equal(status, 401);
			assert.equal(headers["www-authenticate"], "Bearer");
			assert.deepEqual(Object.keys(body), ["error"]);
		});

		it("refuses a malformed token", async () => {
			assert.equal((await service.call("GET", PATH, { token: "abc" })).status, 401);
		});

		it("refuses the token of a user who was disabled", async () => {
			const eve = await addPerson(service, "eve");
			const token = await service.adminToken();
			await service.call("PATCH", `/api/v1/users/${eve.id}`, { token, body: { status: "disabled" } });
			assert.equal((await service.call("GET", PATH, { token: eve.token })).status, 401);
		});
	});
});
