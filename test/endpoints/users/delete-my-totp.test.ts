import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, auditOf, openApplication, type Person } from "../../harness/people.ts";
import { addPersonWithTotp, MY_TOTP, requireMfa, signInWithTotp } from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("DELETE /api/v1/users/me/mfa/totp", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const remove = (person: Person, body: unknown, headers: Record<string, string> = {}) =>
		service.call("DELETE", MY_TOTP, { token: person.token, body, headers });

	describe("204", () => {
		it("removes app and recovery codes, notifies the owner, and the password alone signs in again", async () => {
			const ada = await addPersonWithTotp(service, "ada");
			assert.equal((await remove(ada, { password: ada.password })).status, 204);
			assert.match(await service.tokenOf("ada", ada.password), /^ey/);
			const mine = await service.call("GET", "/api/v1/users/me/mfa", { token: ada.token });
			assert.deepEqual(mine.body.data, {
				mfa_enabled: false,
				has_password: true,
				totp: false,
				passkeys: 0,
				recovery_codes_left: 0,
				required: false,
			});
			const mails = await service.mailsTo(ada.email, 2);
			assert.equal(
				mails.some(({ subject }) => subject === "Your authenticator app was removed"),
				true,
			);
			const events = await auditOf(service, `user:${ada.id}`);
			assert.equal(events.filter(({ action }) => action === "user.second_factor_removed").length, 1);
		});
	});

	describe("400", () => {
		it("requires the right password", async () => {
			const bea = await addPersonWithTotp(service, "bea");
			for (const body of [{}, { password: "wrong wrong" }, "{"])
				assert.equal((await remove(bea, body)).status, 400, JSON.stringify(body));
			assert.equal((await service.call("DELETE", MY_TOTP, { token: bea.token })).status, 400);
			await signInWithTotp(service, bea);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("DELETE", MY_TOTP, { body: { password: "x" } })).status, 401);
		});
	});

	describe("403", () => {
		it("refuses an application's token without the password", async () => {
			const fay = await addPersonWithTotp(service, "fay");
			const { access_token: token } = await signInWithTotp(service, fay, {
				app_id: await openApplication(service),
			});
			const answer = await remove({ ...fay, token }, {}, { accept: "application/problem+json" });
			assert.deepEqual([answer.status, answer.body.code], [403, "application.token"]);
		});
	});

	describe("404", () => {
		it("finds none without an enrolment", async () => {
			const cal = await addPerson(service, "cal");
			assert.equal((await remove(cal, { password: cal.password })).status, 404);
		});

		it("answers the second of two simultaneous removals with 404", async () => {
			const dan = await addPersonWithTotp(service, "dan");
			const answers = await Promise.all([1, 2].map(() => remove(dan, { password: dan.password })));
			assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404]);
		});
	});

	describe("409", () => {
		it("keeps the last factor where the tenant requires one", async () => {
			const eva = await addPersonWithTotp(service, "eva");
			const admin = await service.adminToken();
			await requireMfa(service, true, admin);
			const answer = await remove(eva, { password: eva.password }, { accept: "application/problem+json" });
			assert.deepEqual([answer.status, answer.body.code], [409, "mfa.last_factor"]);
			await signInWithTotp(service, eva);
			await requireMfa(service, false, admin);
			assert.equal((await remove(eva, { password: eva.password })).status, 204);
		});
	});
});
