import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { withoutPassword } from "../../harness/identity-providers.ts";
import { addPerson, auditOf, type Person } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const pathOf = (id: string) => `/api/v1/users/${id}/third-party-accounts` as const;
const MADE_UP = "0190a0a0-0000-7000-8000-000000000000";

describe("DELETE /api/v1/users/{id}/third-party-accounts/{account_id}", () => {
	let service: TestService;
	let ada: Person;
	let linked = 0;
	before(async () => {
		service = await startTestService();
		ada = await addPerson(service, "ada");
	});
	after(() => service.stop());

	const link = async (id: string): Promise<string> => {
		const body = { provider: "github", provider_user_id: `user-${++linked}` };
		const answer = await service.call("POST", pathOf(id), { token: await service.adminToken(), body });
		assert.equal(answer.status, 201);
		return answer.body.data.id;
	};
	const unlink = async (id: string, accountId: string, token?: string) =>
		service.call("DELETE", `${pathOf(id)}/${accountId}`, { token: token ?? (await service.adminToken()) });

	describe("204", () => {
		it("unlinks, once, and audits it", async () => {
			const accountId = await link(ada.id);
			const answer = await unlink(ada.id, accountId);
			assert.deepEqual([answer.status, answer.body], [204, undefined]);
			assert.equal((await unlink(ada.id, accountId)).status, 404);
			const last = (await auditOf(service, `user:${ada.id}`)).at(-1);
			assert.deepEqual(
				[last?.action, last?.details],
				["third_party_account.unlinked", { account_id: accountId }],
			);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			const path = `${pathOf(ada.id)}/${await link(ada.id)}`;
			assert.equal((await service.call("DELETE", path)).status, 401);
		});
	});

	describe("403", () => {
		it("allows admins only", async () => {
			const accountId = await link(ada.id);
			const auditor = await addPerson(service, "auditor", { roles: ["auditor"] });
			const reviewer = await addPerson(service, "reviewer", { roles: ["reviewer"] });
			for (const { token } of [ada, auditor, reviewer])
				assert.equal((await unlink(ada.id, accountId, token)).status, 403);
		});

		it("leaves a platform admin's accounts to platform admins, and to themself", async () => {
			const admin = await addPerson(service, "plain-admin", { roles: ["admin"] });
			const platform = await addPerson(service, "platform", { roles: ["platform_admin"] });
			const accountId = await link(platform.id);
			assert.equal((await unlink(platform.id, accountId, admin.token)).status, 403);
			const own = await service.call("DELETE", `${pathOf("me")}/${accountId}`, { token: platform.token });
			assert.equal(own.status, 204);
		});
	});

	describe("404", () => {
		it("answers foreign, absent and malformed ids alike", async () => {
			const bob = await addPerson(service, "bob");
			const accountId = await link(bob.id);
			for (const [id, account] of [
				[ada.id, accountId],
				[ada.id, MADE_UP],
				[ada.id, "github"],
				[MADE_UP, accountId],
				["nobody", accountId],
			] as const)
				assert.equal((await unlink(id, account)).status, 404, `${id} ${account}`);
			assert.equal((await unlink(bob.id, accountId)).status, 204);
		});

		it("refuses another tenant's account", async () => {
			const other = await addSecondTenant(service);
			const accountId = await link(ada.id);
			assert.equal((await unlink(ada.id, accountId, other.adminToken)).status, 404);
			const body = { provider: "github", provider_user_id: "theirs" };
			const theirs = await service.call("POST", pathOf(other.adminId), { token: other.adminToken, body });
			assert.equal((await unlink(other.adminId, theirs.body.data.id)).status, 404);
			assert.equal((await unlink(ada.id, accountId)).status, 204);
		});
	});

	describe("409", () => {
		it("keeps the last sign-in method, for admins too, until there is a password", async () => {
			const { userId, ids } = await withoutPassword(service, 1);
			assert.equal((await unlink(userId, ids[0] as string)).status, 409);
			const token = await service.adminToken();
			const body = { password: "now there is a password" };
			await service.call("PATCH", `/api/v1/users/${userId}`, { token, body });
			assert.equal((await unlink(userId, ids[0] as string)).status, 204);
		});
	});
});
