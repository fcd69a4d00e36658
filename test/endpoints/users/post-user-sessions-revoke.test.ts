import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, auditOf, isAlive, type Person, signInAgain } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { type Answer, startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users";

describe("POST /api/v1/users/{id}/sessions/revoke", () => {
	let service: TestService;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		ada = await addPerson(service, "ada");
	});
	after(() => service.stop());

	const revoke = async (id: string, token?: string): Promise<Answer> =>
		service.call("POST", `${PATH}/${id}/sessions/revoke`, { token: token ?? (await service.adminToken()) });

	describe("200", () => {
		it("ends every session of the user, and no other", async () => {
			const bob = await addPerson(service, "bob");
			const second = await signInAgain(service, bob);
			const answer = await revoke(bob.id);
			assert.equal(answer.status, 200);
			assert.deepEqual(answer.body, { data: { sessions_revoked: 2 } });
			for (const token of [bob.token, second]) assert.equal(await isAlive(service, token), false);
			assert.equal(await isAlive(service, ada.token), true);
			assert.deepEqual((await revoke(bob.id)).body, { data: { sessions_revoked: 0 } });
			const events = await auditOf(service, `user:${bob.id}`);
			const revoked = events.filter(({ action }) => action === "user.sessions_revoked");
			assert.deepEqual(
				revoked.map(({ details }) => details),
				[{ sessions: 2 }, { sessions: 0 }],
			);
		});

		it("takes any body and reads none", async () => {
			const token = await service.adminToken();
			const answer = await service.call("POST", `${PATH}/${ada.id}/sessions/revoke`, { token, body: "{" });
			assert.equal(answer.status, 200);
			ada = { ...ada, token: await signInAgain(service, ada) };
		});

		it("ends the admin's own sessions when it is about them", async () => {
			const carl = await addPerson(service, "carl", { roles: ["admin"] });
			assert.deepEqual((await revoke(carl.id, carl.token)).body, { data: { sessions_revoked: 1 } });
			assert.equal(await isAlive(service, carl.token), false);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("POST", `${PATH}/${ada.id}/sessions/revoke`)).status, 401);
		});
	});

	describe("403", () => {
		it("allows admins only", async () => {
			const auditor = await addPerson(service, "auditor", { roles: ["auditor"] });
			const reviewer = await addPerson(service, "reviewer", { roles: ["reviewer"] });
			for (const { token } of [ada, auditor, reviewer])
				assert.equal((await revoke(ada.id, token)).status, 403);
		});

		it("keeps a plain admin from signing a platform admin out", async () => {
			const admin = await addPerson(service, "plain-admin", { roles: ["admin"] });
			const first = await service.call("GET", `${PATH}/me`, { token: await service.adminToken() });
			assert.equal((await revoke(first.body.data.id, admin.token)).status, 403);
			assert.equal(await isAlive(service, await service.adminToken()), true);
		});
	});

	describe("404", () => {
		it("answers foreign, absent and malformed ids alike", async () => {
			const other = await addSecondTenant(service);
			assert.equal((await revoke(other.adminId)).status, 404);
			assert.equal((await revoke(ada.id, other.adminToken)).status, 404);
			for (const id of ["0190a0a0-0000-7000-8000-000000000000", "nobody"])
				assert.equal((await revoke(id)).status, 404, id);
			assert.equal(await isAlive(service, other.adminToken), true);
		});
	});
});
