import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, auditOf, isAlive, type Person } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { type Answer, startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users";

describe("DELETE /api/v1/users/{id}", () => {
	let service: TestService;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		ada = await addPerson(service, "ada");
	});
	after(() => service.stop());

	const remove = async (id: string, token?: string): Promise<Answer> =>
		service.call("DELETE", `${PATH}/${id}`, { token: token ?? (await service.adminToken()) });

	describe("204", () => {
		it("removes the account: sessions end, signing in fails, the name is free again", async () => {
			const bob = await addPerson(service, "bob");
			const answer = await remove(bob.id);
			assert.deepEqual([answer.status, answer.body], [204, undefined]);
			assert.equal(await isAlive(service, bob.token), false);
			const body = { username: "bob", password: bob.password };
			assert.equal((await service.call("POST", "/api/v1/auth/login", { body })).status, 401);
			const again = await addPerson(service, "bob");
			assert.notEqual(again.id, bob.id);
			assert.equal(await isAlive(service, bob.token), false);
			const events = await auditOf(service, `user:${bob.id}`);
			assert.equal(events.at(-1)?.action, "user.deleted");
			assert.deepEqual(events.at(-1)?.details, { username: "bob" });
		});

		it("frees the user's third-party accounts", async () => {
			const token = await service.adminToken();
			const body = { provider: "wechat", provider_user_id: "o-1" };
			const carl = await addPerson(service, "carl");
			const link = (id: string) =>
				service.call("POST", `${PATH}/${id}/third-party-accounts`, { token, body });
			assert.equal((await link(carl.id)).status, 201);
			assert.equal((await link(ada.id)).status, 409);
			await remove(carl.id);
			assert.equal((await link(ada.id)).status, 201);
		});

		it("lets an admin remove themself while another one is left", async () => {
			const dan = await addPerson(service, "dan", { roles: ["admin"] });
			assert.equal((await remove(dan.id, dan.token)).status, 204);
		});

		it("removes once for several simultaneous requests", async () => {
			const eve = await addPerson(service, "eve");
			const answers = await Promise.all(Array.from({ length: 10 }, () => remove(eve.id)));
			assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
				204,
				...Array.from({ length: 9 }, () => 404),
			]);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("DELETE", `${PATH}/${ada.id}`)).status, 401);
		});
	});

	describe("403", () => {
		it("allows admins only, also about oneself", async () => {
			const auditor = await addPerson(service, "auditor", { roles: ["auditor"] });
			const reviewer = await addPerson(service, "reviewer", { roles: ["reviewer"] });
			for (const { token } of [ada, auditor, reviewer])
				assert.equal((await remove(ada.id, token)).status, 403);
		});

		it("keeps a plain admin from removing a platform admin", async () => {
			const admin = await addPerson(service, "plain-admin", { roles: ["admin"] });
			const first = await service.call("GET", `${PATH}/me`, { token: await service.adminToken() });
			assert.equal((await remove(first.body.data.id, admin.token)).status, 403);
		});
	});

	describe("404", () => {
		it("answers foreign, absent and malformed ids alike", async () => {
			const other = await addSecondTenant(service);
			assert.equal((await remove(other.adminId)).status, 404);
			assert.equal((await remove(ada.id, other.adminToken)).status, 404);
			for (const id of ["0190a0a0-0000-7000-8000-000000000000", "nobody", "Me"])
				assert.equal((await remove(id)).status, 404, id);
			assert.equal(await isAlive(service, ada.token), true);
		});
	});

	describe("409", () => {
		it("keeps the last active admin of a tenant", async () => {
			const other = await addSecondTenant(service);
			const answer = await remove(other.adminId, other.adminToken);
			assert.equal(answer.status, 409);
			assert.equal(await isAlive(service, other.adminToken), true);
		});

		it("keeps one of the last two when both are removed at once", async () => {
			// From here on the first admin is a platform admin only, and no longer one of the tenant's admins.
			const token = await service.adminToken();
			const admins = [
				await addPerson(service, "one", { roles: ["admin"] }),
				await addPerson(service, "two", { roles: ["admin"] }),
			];
			const { body } = await service.call("GET", `${PATH}?role=admin&status=active`, { token });
			for (const { id } of body.data)
				if (admins.every((admin) => admin.id !== id))
					await service.call("PATCH", `${PATH}/${id}`, { token, body: { roles: ["platform_admin"] } });
			const answers = await Promise.all(admins.map(({ id }) => remove(id)));
			assert.deepEqual(answers.map(({ status }) => status).toSorted(), [204, 409]);
		});
	});
});
