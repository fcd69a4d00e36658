import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, type Person } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import type { BodyOfRow } from "../../harness/wire-body.ts";

const pathOf = (id: string) => `/api/v1/users/${id}/third-party-accounts` as const;

describe("GET /api/v1/users/{id}/third-party-accounts", () => {
	let service: TestService;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		ada = await addPerson(service, "ada");
		const token = await service.adminToken();
		for (const provider of ["github", "wechat"])
			await service.call("POST", pathOf(ada.id), { token, body: { provider, provider_user_id: "7" } });
	});
	after(() => service.stop());

	const list = async (id: string, token?: string, query = "") =>
		service.call<BodyOfRow<"GET /api/v1/users/{id}/third-party-accounts">>("GET", `${pathOf(id)}${query}`, {
			token: token ?? (await service.adminToken()),
		});

	describe("200", () => {
		it("shows admins and auditors what the user sees", async () => {
			const own = await service.call("GET", pathOf("me"), { token: ada.token });
			assert.equal(own.body.total, 2);
			const auditor = await addPerson(service, "auditor", { roles: ["auditor"] });
			for (const token of [await service.adminToken(), auditor.token]) {
				const { status, body } = await list(ada.id, token);
				assert.equal(status, 200);
				assert.deepEqual(body, own.body);
			}
		});

		it("shows pages, and an empty one for a user who has none", async () => {
			const { body } = await list(ada.id, undefined, "?page=2&page_size=1");
			assert.deepEqual([body.data.length, body.total, body.page], [1, 2, 2]);
			const bob = await addPerson(service, "bob");
			assert.deepEqual((await list(bob.id)).body, { data: [], total: 0, page: 1, page_size: 20 });
		});
	});

	describe("400", () => {
		it("refuses an invalid page", async () => {
			for (const query of ["?page=0", "?page_size=101"])
				assert.equal((await list(ada.id, undefined, query)).status, 400);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("GET", pathOf(ada.id))).status, 401);
		});
	});

	describe("403", () => {
		it("allows admins and auditors only", async () => {
			const reviewer = await addPerson(service, "reviewer", { roles: ["reviewer"] });
			for (const { token } of [ada, reviewer]) assert.equal((await list(ada.id, token)).status, 403);
		});
	});

	describe("404", () => {
		it("answers foreign, absent and malformed ids alike", async () => {
			const other = await addSecondTenant(service);
			assert.equal((await list(other.adminId)).status, 404);
			assert.equal((await list(ada.id, other.adminToken)).status, 404);
			for (const id of ["0190a0a0-0000-7000-8000-000000000000", "nobody"])
				assert.equal((await list(id)).status, 404, id);
		});
	});
});
