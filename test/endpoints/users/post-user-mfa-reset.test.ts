import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, auditOf, isAlive } from "../../harness/people.ts";
import { addPersonWithTotp, answerMfa, nextCode, passwordStep } from "../../harness/second-factors.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { type Answer, startTestService, type TestService } from "../../harness/service.ts";

describe("POST /api/v1/users/{id}/mfa/reset", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const reset = (id: string, token: string): Promise<Answer> =>
		service.call("POST", `/api/v1/users/${id}/mfa/reset`, { token });

	describe("204", () => {
		it("removes every factor and code, ends sessions and sign-ins under way, and notifies the owner", async () => {
			const ada = await addPersonWithTotp(service, "ada");
			const waiting = await passwordStep(service, ada);
			assert.equal((await reset(ada.id, await service.adminToken())).status, 204);
			assert.equal(await isAlive(service, ada.token), false);
			assert.equal((await answerMfa(service, waiting, "totp", nextCode(service, ada.secret))).status, 401);
			const token = await service.tokenOf("ada", ada.password);
			const mine = await service.call("GET", "/api/v1/users/me/mfa", { token });
			assert.deepEqual([mine.body.data.mfa_enabled, mine.body.data.recovery_codes_left], [false, 0]);
			const subjects = (await service.mailsTo(ada.email, 2)).map(({ subject }) => subject);
			assert.ok(subjects.includes("Your second factors were reset"));
			const events = await auditOf(service, `user:${ada.id}`);
			const event = events.find(({ action }) => action === "user.second_factors_reset");
			assert.notEqual(event?.actor, `user:${ada.id}`);
		});

		it("accepts a user without factors", async () => {
			const bea = await addPerson(service, "bea");
			assert.equal((await reset(bea.id, await service.adminToken())).status, 204);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			const path = "/api/v1/users/01900000-0000-7000-8000-000000000000/mfa/reset";
			assert.equal((await service.call("POST", path)).status, 401);
		});
	});

	describe("403", () => {
		it("allows admins only, and only platform admins on a platform admin", async () => {
			const cal = await addPersonWithTotp(service, "cal");
			for (const role of ["auditor", "reviewer"]) {
				const other = await addPerson(service, `only-${role}`, { roles: [role] });
				assert.equal((await reset(cal.id, other.token)).status, 403);
			}
			const admin = await addPerson(service, "adminonly", { roles: ["admin"] });
			const platform = await addPerson(service, "platform", { roles: ["platform_admin"] });
			assert.equal((await reset(platform.id, admin.token)).status, 403);
			assert.equal((await reset(cal.id, admin.token)).status, 204);
		});
	});

	describe("404", () => {
		it("refuses users of another tenant, and malformed ids", async () => {
			const dan = await addPersonWithTotp(service, "dan");
			const { adminToken } = await addSecondTenant(service);
			assert.equal((await reset(dan.id, adminToken)).status, 404);
			assert.equal((await reset("nonsense", await service.adminToken())).status, 404);
			await passwordStep(service, dan);
		});
	});
});
