import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, openApplication, type Person, takePasswordAway } from "../../harness/people.ts";
import { addPersonWithTotp, answerMfa, passwordStep, signInWithTotp } from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users/me/mfa/recovery-codes";

describe("POST /api/v1/users/me/mfa/recovery-codes", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const renew = (person: Pick<Person, "token">, body: unknown, headers: Record<string, string> = {}) =>
		service.call("POST", PATH, { token: person.token, body, headers });

	describe("200", () => {
		it("issues ten new ones, invalidates the earlier ones, and notifies the owner", async () => {
			const ada = await addPersonWithTotp(service, "ada");
			const answer = await renew(ada, { password: ada.password });
			assert.equal(answer.status, 200);
			assert.equal(answer.headers["cache-control"], "no-store");
			const fresh: string[] = answer.body.data.recovery_codes;
			assert.equal(fresh.length, 10);
			const token = await passwordStep(service, ada);
			assert.equal(
				(await answerMfa(service, token, "recovery_code", ada.recoveryCodes[0] ?? "")).status,
				401,
			);
			assert.equal((await answerMfa(service, token, "recovery_code", fresh[0] ?? "")).status, 200);
			const subjects = (await service.mailsTo(ada.email, 3)).map(({ subject }) => subject);
			assert.ok(subjects.includes("You have new recovery codes"));
		});

		it("takes a sign-in of the last five minutes from an account without a password", async () => {
			const bea = await addPersonWithTotp(service, "bea");
			const { access_token: token } = await signInWithTotp(service, bea);
			await takePasswordAway(service, bea.id);
			service.clock.advance(4 * 60_000);
			assert.equal((await renew({ token }, {})).status, 200);
			service.clock.advance(2 * 60_000);
			const late = await renew({ token }, {});
			assert.deepEqual(
				[late.status, late.body.error],
				[400, "password is required: the account has none, so sign in again at most 5 minutes before"],
			);
		});

		it("leaves ten codes after ten requests at once", async () => {
			const cal = await addPersonWithTotp(service, "cal");
			const { access_token: token } = await signInWithTotp(service, cal);
			await takePasswordAway(service, cal.id);
			const answers = await Promise.all(Array.from({ length: 10 }, () => renew({ token }, {})));
			assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
			const mine = await service.call("GET", "/api/v1/users/me/mfa", { token });
			assert.equal(mine.body.data.recovery_codes_left, 10);
		});
	});

	describe("400", () => {
		it("refuses a wrong password", async () => {
			const dan = await addPersonWithTotp(service, "dan");
			assert.equal((await renew(dan, { password: "wrong wrong" })).status, 400);
			assert.equal((await renew(dan, {})).status, 400);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("POST", PATH, { body: {} })).status, 401);
		});
	});

	describe("403", () => {
		it("refuses an application's token without the password", async () => {
			const fay = await addPersonWithTotp(service, "fay");
			const { access_token: token } = await signInWithTotp(service, fay, {
				app_id: await openApplication(service),
			});
			assert.equal((await renew({ token }, {})).status, 403);
			assert.equal((await renew({ token }, { password: fay.password })).status, 200);
		});
	});

	describe("409", () => {
		it("issues none without a second factor", async () => {
			const eva = await addPerson(service, "eva");
			const answer = await renew(eva, { password: eva.password }, { accept: "application/problem+json" });
			assert.deepEqual([answer.status, answer.body.code], [409, "mfa.not_enabled"]);
		});
	});
});
