import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { totpCode } from "../../../src/crypto/totp.ts";
import { addPerson, auditOf, isAlive, type Person } from "../../harness/people.ts";
import {
	answerMfa,
	claimsOf,
	enrolPasskey,
	MFA,
	nextCode,
	passwordStep,
	requireMfa,
	wrongTotp,
} from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = `${MFA}/totp/confirm`;

describe("POST /api/v1/auth/mfa/totp/confirm", () => {
	let service: TestService;
	let admin: string;
	let round = 0;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		admin = await service.adminToken();
	});
	after(() => service.stop());
	beforeEach(async () => {
		await requireMfa(service, false, admin);
		ada = await addPerson(service, `ada-${++round}`);
		await requireMfa(service, true, admin);
	});

	const start = async (mfa_token: string): Promise<string> =>
		(await service.call("POST", `${MFA}/totp`, { body: { mfa_token } })).body.data.secret;
	const confirm = (mfa_token: string, code: string, headers: Record<string, string> = {}) =>
		service.call("POST", PATH, { body: { mfa_token, code }, headers });

	describe("200", () => {
		it("enrols, signs in, shows the recovery codes and notifies the owner", async () => {
			const token = await passwordStep(service, ada);
			const secret = await start(token);
			const code = totpCode(secret, service.clock.now());
			const answer = await confirm(token, code);
			assert.equal(answer.status, 200);
			assert.equal(answer.headers["cache-control"], "no-store");
			const { access_token, recovery_codes, user } = answer.body.data;
			assert.deepEqual(claimsOf(access_token).amr, ["pwd", "otp", "mfa"]);
			assert.deepEqual([recovery_codes.length, user.mfa_enabled], [10, true]);
			assert.equal(await isAlive(service, access_token), true);
			const [mail] = await service.mailsTo(ada.email);
			assert.equal(mail?.subject, "An authenticator app was added");
			const actions = (await auditOf(service, `user:${ada.id}`)).map(({ action }) => action);
			assert.deepEqual(actions.slice(-3), [
				"user.second_factor_asked",
				"user.second_factor_added",
				"user.signed_in",
			]);
			const next = await passwordStep(service, ada);
			assert.equal((await answerMfa(service, next, "totp", code)).status, 401);
			assert.equal((await answerMfa(service, next, "totp", nextCode(service, secret))).status, 200);
		});

		it("accepts one of ten simultaneous requests", async () => {
			const token = await passwordStep(service, ada);
			const code = totpCode(await start(token), service.clock.now());
			const answers = await Promise.all(Array.from({ length: 10 }, () => confirm(token, code)));
			const statuses = answers.map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
		});
	});

	describe("400", () => {
		it("refuses a wrong code, five times at most", async () => {
			const token = await passwordStep(service, ada);
			const secret = await start(token);
			const wrong = wrongTotp(service, secret);
			const problem = await confirm(token, wrong, { accept: "application/problem+json" });
			assert.deepEqual([problem.status, problem.body.code], [400, "mfa.code_wrong"]);
			for (let n = 0; n < 4; n++) assert.equal((await confirm(token, wrong)).status, 400);
			assert.equal((await confirm(token, totpCode(secret, service.clock.now()))).status, 401);
		});
	});

	describe("401", () => {
		it("refuses a token from before the owner enrolled a factor: it would replace theirs", async () => {
			const thief = await passwordStep(service, ada);
			const owner = await passwordStep(service, ada);
			const [stolen, secret] = [await start(thief), await start(owner)];
			assert.equal((await confirm(owner, totpCode(secret, service.clock.now()))).status, 200);
			assert.equal((await service.call("POST", `${MFA}/totp`, { body: { mfa_token: thief } })).status, 401);
			assert.equal((await confirm(thief, totpCode(stolen, service.clock.now()))).status, 404);
			const next = await passwordStep(service, ada);
			assert.equal((await answerMfa(service, next, "totp", nextCode(service, secret))).status, 200);
		});

		it("refuses such a token also when the owner enrolled a passkey", async () => {
			const thief = await passwordStep(service, ada);
			const secret = await start(thief);
			await enrolPasskey(service, ada);
			assert.equal((await confirm(thief, totpCode(secret, service.clock.now()))).status, 401);
			const mine = await service.call("GET", "/api/v1/users/me/mfa", { token: ada.token });
			assert.equal(mine.body.data.totp, false);
		});

		it("refuses such a token also when both confirm at once", async () => {
			const [one, other] = [await passwordStep(service, ada), await passwordStep(service, ada)];
			const code = totpCode(await start(one), service.clock.now());
			const answers = await Promise.all([confirm(one, code), confirm(other, code)]);
			assert.equal(answers.filter(({ status }) => status === 200).length, 1);
		});

		it("refuses an unknown, used or expired token", async () => {
			const token = await passwordStep(service, ada);
			const secret = await start(token);
			assert.equal((await confirm("unknown", totpCode(secret, service.clock.now()))).status, 401);
			service.clock.advance(10 * 60_000);
			assert.equal((await confirm(token, totpCode(secret, service.clock.now()))).status, 401);
		});
	});

	describe("403", () => {
		it("decides access to the application again", async () => {
			const creation = { token: admin, body: { name: `App ${round}`, access_policy: "open" } };
			const app_id = (await service.call("POST", "/api/v1/applications", creation)).body.data.id;
			const token = await passwordStep(service, ada, { app_id });
			const secret = await start(token);
			const disable = { token: admin, body: { status: "disabled" } };
			await service.call("PATCH", `/api/v1/applications/${app_id}`, disable);
			const refused = await confirm(token, totpCode(secret, service.clock.now()));
			assert.equal(refused.status, 403);
		});
	});

	describe("404", () => {
		it("finds nothing to confirm when nothing was begun", async () => {
			const token = await passwordStep(service, ada);
			assert.equal((await confirm(token, "123456")).status, 404);
		});
	});
});
