import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { totpCode } from "../../../src/crypto/totp.ts";
import { addPerson, auditOf, type Person } from "../../harness/people.ts";
import { answerMfa, MY_TOTP, nextCode, passwordStep, wrongTotp } from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = `${MY_TOTP}/confirm`;

describe("POST /api/v1/users/me/mfa/totp/confirm", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const start = async (person: Person): Promise<string> => {
		const body = { password: person.password };
		return (await service.call("POST", MY_TOTP, { token: person.token, body })).body.data.secret;
	};
	const confirm = (person: Person, body: unknown, headers: Record<string, string> = {}) =>
		service.call("POST", PATH, { token: person.token, body, headers });

	describe("200", () => {
		it("enrols the app, shows ten recovery codes once, notifies the owner, and sign-in asks from now on", async () => {
			const ada = await addPerson(service, "ada");
			const secret = await start(ada);
			const code = totpCode(secret, service.clock.now());
			const spaced = `${code.slice(0, 3)} ${code.slice(3)}`;
			const answer = await confirm(ada, { code: spaced }, { "accept-language": "zh" });
			assert.equal(answer.status, 200);
			assert.equal(answer.headers["cache-control"], "no-store");
			const codes: string[] = answer.body.data.recovery_codes;
			assert.deepEqual([codes.length, new Set(codes).size], [10, 10]);
			for (const each of codes) assert.match(each, /^(?:[0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/);
			const me = await service.call("GET", "/api/v1/users/me", { token: ada.token });
			assert.equal(me.body.data.mfa_enabled, true);
			const [mail] = await service.mailsTo(ada.email);
			assert.equal(mail?.subject, "已添加身份验证器");
			const events = await auditOf(service, `user:${ada.id}`);
			assert.deepEqual(
				events.find(({ action }) => action === "user.second_factor_added"),
				{
					actor: `user:${ada.id}`,
					action: "user.second_factor_added",
					target: `user:${ada.id}`,
					details: { change: "totp_added", totp: true, passkeys: 0 },
				},
			);
			await passwordStep(service, ada);
		});

		it("uses the code up: it does not sign in", async () => {
			const bea = await addPerson(service, "bea");
			const secret = await start(bea);
			const code = totpCode(secret, service.clock.now());
			assert.equal((await confirm(bea, { code })).status, 200);
			const token = await passwordStep(service, bea);
			assert.equal((await answerMfa(service, token, "totp", code)).status, 401);
			assert.equal((await answerMfa(service, token, "totp", nextCode(service, secret))).status, 200);
		});

		it("replaces app and recovery codes of an earlier enrolment", async () => {
			const cal = await addPerson(service, "cal");
			const enrol = async (): Promise<string[]> => {
				const secret = await start(cal);
				return (await confirm(cal, { code: nextCode(service, secret) })).body.data.recovery_codes;
			};
			const [[old = ""], [fresh = ""]] = [await enrol(), await enrol()];
			const token = await passwordStep(service, cal);
			assert.equal((await answerMfa(service, token, "recovery_code", old)).status, 401);
			assert.equal((await answerMfa(service, token, "recovery_code", fresh)).status, 200);
		});

		it("accepts one of twenty simultaneous confirmations", async () => {
			const dan = await addPerson(service, "dan");
			const secret = await start(dan);
			const code = totpCode(secret, service.clock.now());
			const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(dan, { code })));
			const statuses = answers.map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
			assert.equal(statuses.filter((status) => status === 404).length, 19, statuses.join());
			const mine = await service.call("GET", "/api/v1/users/me/mfa", { token: dan.token });
			assert.equal(mine.body.data.recovery_codes_left, 10);
		});
	});

	describe("400", () => {
		it("refuses a wrong code, and the right one still counts", async () => {
			const eva = await addPerson(service, "eva");
			const secret = await start(eva);
			const wrong = await confirm(
				eva,
				{ code: wrongTotp(service, secret) },
				{ accept: "application/problem+json" },
			);
			assert.deepEqual([wrong.status, wrong.body.code], [400, "mfa.code_wrong"]);
			for (const code of ["", "12345", "1234567", "abcdef", 123456, null])
				assert.equal((await confirm(eva, { code })).status, 400, JSON.stringify(code));
			assert.equal((await confirm(eva, { code: totpCode(secret, service.clock.now()) })).status, 200);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("POST", PATH, { body: { code: "123456" } })).status, 401);
		});
	});

	describe("404", () => {
		it("finds nothing to confirm when nothing was begun, after fifteen minutes, or twice", async () => {
			const fay = await addPerson(service, "fay");
			assert.equal((await confirm(fay, { code: "123456" })).status, 404);
			const secret = await start(fay);
			service.clock.advance(15 * 60_000);
			const token = await service.tokenOf("fay", fay.password);
			const person = { ...fay, token };
			assert.equal((await confirm(person, { code: totpCode(secret, service.clock.now()) })).status, 404);
			const next = await start(person);
			const code = totpCode(next, service.clock.now());
			assert.equal((await confirm(person, { code })).status, 200);
			assert.equal((await confirm(person, { code })).status, 404);
		});

		it("refuses another user's", async () => {
			const gus = await addPerson(service, "gus");
			const hal = await addPerson(service, "hal");
			const secret = await start(gus);
			assert.equal((await confirm(hal, { code: totpCode(secret, service.clock.now()) })).status, 404);
		});
	});
});
