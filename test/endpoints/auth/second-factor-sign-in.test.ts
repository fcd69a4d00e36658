// The second step of a sign-in: codes of an app, recovery codes, passkeys, and the limits on guesses.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { totpCode } from "../../../src/crypto/totp.ts";
import { Authenticator, type Forgery } from "../../harness/people/authenticator.ts";
import { auditOf, isAlive, lockCodes } from "../../harness/people/people.ts";
import {
	addPersonWithPasskey,
	addPersonWithTotp,
	claimsOf,
	completeMfa,
	enrollPasskey,
	MFA,
	nextCode,
	type PersonWithTotp,
	passkeyMfaOptions,
	passkeyOptions,
	passwordStep,
	signInWithTotp,
	wrongTotp,
} from "../../harness/people/second-factors.ts";
import { atDepth } from "../../harness/runs/depth.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import { startTestService } from "../../harness/service/service.ts";

const OPTIONS = `${MFA}/passkey-options`;
const PROBLEM = { accept: "application/problem+json" };
/** Concurrent requests, of which one may succeed. */
const RACERS = atDepth({ quick: 12, all: 20, long: 50 });

// With a stopped clock, every wait is exact and no code expires between two calls.
const service = testService(() => ({ atMs: Date.now() }));

describe("POST /api/v1/auth/mfa", () => {
	const wrongAnswers = async (person: PersonWithTotp, token: string, count: number): Promise<number[]> => {
		const code = wrongTotp(service, person.secret);
		const statuses: number[] = [];
		for (let n = 0; n < count; n++) statuses.push((await completeMfa(service, token, "totp", code)).status);
		return statuses;
	};
	const addApplication = async (): Promise<string> => {
		const body = { name: "Second step", access_policy: "open" };
		return (await service.asAdmin("POST", "/api/v1/applications", body)).id;
	};

	describe("200", () => {
		it("returns tokens that name both factors, and records the sign-in only then", async () => {
			const ada = await addPersonWithTotp(service, "ada");
			const app_id = await addApplication();
			const before = await service.call("GET", "/api/v1/users/me", { token: ada.token });
			const token = await passwordStep(service, ada, { app_id });
			const between = await service.call("GET", "/api/v1/users/me", { token: ada.token });
			assert.equal(between.body.data.last_login_at, before.body.data.last_login_at);
			const response = await completeMfa(service, token, "totp", nextCode(service, ada.secret));
			assert.equal(response.status, 200);
			assert.equal(response.headers["cache-control"], "no-store");
			const { access_token, user, ...rest } = response.body.data;
			assert.deepEqual(Object.keys(rest).sort(), [
				"expires_in",
				"refresh_expires_in",
				"refresh_token",
				"token_type",
			]);
			assert.deepEqual([user.id, user.mfa_enabled], [ada.id, true]);
			assert.notEqual(user.last_login_at, before.body.data.last_login_at);
			const claims = claimsOf(access_token);
			assert.deepEqual([claims.amr, claims.client_id], [["pwd", "otp", "mfa"], app_id]);
			assert.equal(await isAlive(service, access_token), true);
		});

		it("keeps factors and sign-in time over a refresh", async () => {
			const bea = await addPersonWithTotp(service, "bea");
			const first = await signInWithTotp(service, bea);
			service.clock.advance(60_000);
			const body = { refresh_token: first.refresh_token };
			const refreshed = await service.call("POST", "/api/v1/auth/refresh", { body });
			const [old, fresh] = [claimsOf(first.access_token), claimsOf(refreshed.body.data.access_token)];
			assert.deepEqual([fresh.amr, fresh.auth_time], [["pwd", "otp", "mfa"], old.auth_time]);
		});

		it("accepts a recovery code once, in any case and spacing, and mails the owner how many are left", async () => {
			const cal = await addPersonWithTotp(service, "cal");
			const [code = "", other = ""] = cal.recoveryCodes;
			const use = async (typed: string): Promise<number> => {
				const token = await passwordStep(service, cal);
				return (await completeMfa(service, token, "recovery_code", typed)).status;
			};
			assert.equal(await use(code.toLowerCase().replaceAll("-", " ")), 200);
			assert.equal(await use(code), 401);
			assert.equal(await use(other), 200);
			const mails = (await service.mailsTo(cal.email, 3)).filter(
				({ subject }) => subject === "A recovery code was used",
			);
			assert.deepEqual(mails.map(({ text }) => /codes left: (\d)/.exec(text ?? "")?.[1]).sort(), ["8", "9"]);
			const events = await auditOf(service, `user:${cal.id}`);
			assert.equal(events.filter(({ action }) => action === "user.recovery_code_used").length, 2);
		});

		it("accepts one of many concurrent uses of a code, over as many sign-ins", async () => {
			const dan = await addPersonWithTotp(service, "dan");
			const tokens = await Promise.all(Array.from({ length: RACERS }, () => passwordStep(service, dan)));
			const code = nextCode(service, dan.secret);
			const responses = await Promise.all(tokens.map((token) => completeMfa(service, token, "totp", code)));
			const statuses = responses.map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
			assert.ok(
				statuses.every((status) => [200, 401, 429].includes(status)),
				statuses.join(),
			);
		});

		it("accepts one of many concurrent uses of a token, and of a recovery code", async () => {
			const eva = await addPersonWithTotp(service, "eva");
			const token = await passwordStep(service, eva);
			const sameToken = await Promise.all(
				eva.recoveryCodes.map((code) => completeMfa(service, token, "recovery_code", code)),
			);
			assert.equal(sameToken.filter(({ status }) => status === 200).length, 1);
			const mine = await service.call("GET", "/api/v1/users/me/mfa", { token: eva.token });
			assert.equal(mine.body.data.recovery_codes_left, 9, "no code is lost to a used token");
			const tokens = await Promise.all(Array.from({ length: RACERS }, () => passwordStep(service, eva)));
			const unused = eva.recoveryCodes[sameToken.findIndex(({ status }) => status !== 200)] as string;
			const sameCode = await Promise.all(
				tokens.map((each) => completeMfa(service, each, "recovery_code", unused)),
			);
			assert.equal(sameCode.filter(({ status }) => status === 200).length, 1);
		});
	});

	describe("400", () => {
		it("refuses a missing or malformed proof without counting a try", async () => {
			const fay = await addPersonWithTotp(service, "fay");
			const mfa_token = await passwordStep(service, fay);
			for (const body of [
				{ mfa_token, method: "totp" },
				{ mfa_token, method: "passkey", code: "123456" },
				{ mfa_token, method: "totp", code: 123456 },
			])
				assert.equal((await service.call("POST", MFA, { body })).status, 400, JSON.stringify(body));
			assert.equal(
				(await completeMfa(service, mfa_token, "totp", nextCode(service, fay.secret))).status,
				200,
			);
		});
	});

	describe("401", () => {
		it("returns the same response for wrong and used codes and for unknown, used and expired tokens", async () => {
			const gus = await addPersonWithTotp(service, "gus");
			const used = await passwordStep(service, gus);
			const code = nextCode(service, gus.secret);
			assert.equal((await completeMfa(service, used, "totp", code)).status, 200);
			const token = await passwordStep(service, gus);
			const responses = [
				await completeMfa(service, token, "totp", wrongTotp(service, gus.secret)),
				await completeMfa(service, token, "totp", code),
				await completeMfa(service, token, "recovery_code", "0000-0000-0000-0000-0000-0000"),
				await completeMfa(service, token, "recovery_code", "nonsense"),
				await completeMfa(service, "unknown", "totp", nextCode(service, gus.secret)),
				await completeMfa(service, used, "totp", nextCode(service, gus.secret)),
			];
			service.clock.advance(10 * 60_000);
			responses.push(await completeMfa(service, token, "totp", nextCode(service, gus.secret)));
			const bodies = new Set(responses.map(({ status, body }) => JSON.stringify([status, body])));
			assert.deepEqual(
				[...bodies],
				['[401,{"error":"mfa_token or second factor is wrong, used or expired"}]'],
			);
			const [problem] = [await completeMfa(service, "unknown", "totp", "123456", PROBLEM)];
			assert.equal(problem.body.code, "mfa.invalid");
		});

		it("refuses codes of a step before a used one, and codes two steps away", async () => {
			const hal = await addPersonWithTotp(service, "hal");
			const token = await passwordStep(service, hal);
			service.clock.advance(60_000);
			const now = service.clock.now();
			assert.equal(
				(await completeMfa(service, token, "totp", totpCode(hal.secret, now - 60_000))).status,
				401,
			);
			assert.equal(
				(await completeMfa(service, token, "totp", totpCode(hal.secret, now + 60_000))).status,
				401,
			);
			assert.equal(
				(await completeMfa(service, token, "totp", totpCode(hal.secret, now + 30_000))).status,
				200,
			);
			const next = await passwordStep(service, hal);
			assert.equal((await completeMfa(service, next, "totp", totpCode(hal.secret, now))).status, 401);
		});

		it("revokes a token at its fifth wrong code, even when they come at once", async () => {
			const ida = await addPersonWithTotp(service, "ida");
			const token = await passwordStep(service, ida);
			const wrong = Array.from({ length: 20 }, () =>
				completeMfa(service, token, "recovery_code", "0000-0000-0000-0000-0000-0000"),
			);
			assert.deepEqual([...new Set((await Promise.all(wrong)).map(({ status }) => status))], [401]);
			const events = await auditOf(service, `user:${ida.id}`);
			const refused = events.filter(({ details }) => details.reason === "mfa.invalid");
			assert.equal(refused.length, 5);
			assert.equal((await completeMfa(service, token, "totp", nextCode(service, ida.secret))).status, 401);
		});

		it("refuses another user's code, and codes of a removed app", async () => {
			const jan = await addPersonWithTotp(service, "jan");
			const kim = await addPersonWithTotp(service, "kim");
			const token = await passwordStep(service, jan);
			assert.equal((await completeMfa(service, token, "totp", nextCode(service, kim.secret))).status, 401);
			assert.equal(
				(await completeMfa(service, token, "recovery_code", kim.recoveryCodes[0] ?? "")).status,
				401,
			);
			const body = { password: jan.password };
			await service.call("DELETE", "/api/v1/users/me/mfa/totp", { token: jan.token, body });
			assert.equal((await completeMfa(service, token, "totp", nextCode(service, jan.secret))).status, 401);
		});

		it("ends the sign-ins that a changed password began", async () => {
			const lea = await addPersonWithTotp(service, "lea");
			const token = await passwordStep(service, lea);
			const body = { current_password: lea.password, new_password: "another password altogether" };
			await service.call("PUT", "/api/v1/users/me/password", { token: lea.token, body });
			assert.equal((await completeMfa(service, token, "totp", nextCode(service, lea.secret))).status, 401);
		});
	});

	describe("403", () => {
		it("checks account and access again", async () => {
			const max = await addPersonWithTotp(service, "max");
			const app_id = await addApplication();
			const token = await passwordStep(service, max, { app_id });
			const admin = await service.adminToken();
			const patch = { token: admin, body: { status: "disabled" } };
			await service.call("PATCH", `/api/v1/applications/${app_id}`, patch);
			const refused = await completeMfa(service, token, "totp", nextCode(service, max.secret), PROBLEM);
			assert.deepEqual([refused.status, refused.body.code], [403, "application.access_denied"]);
			assert.equal((await completeMfa(service, token, "totp", nextCode(service, max.secret))).status, 401);
			const next = await passwordStep(service, max);
			await service.call("PATCH", `/api/v1/users/${max.id}`, patch);
			const ended = await completeMfa(service, next, "totp", nextCode(service, max.secret));
			assert.equal(ended.status, 401, "disabling ends pending sign-ins");
		});
	});

	describe("429", () => {
		it("counts guesses across all tokens and addresses, before they are checked, and mails the owner", async () => {
			const ned = await addPersonWithTotp(service, "ned");
			const tokens = await Promise.all(Array.from({ length: 12 }, () => passwordStep(service, ned)));
			const code = wrongTotp(service, ned.secret);
			const guesses = await Promise.all(
				tokens.flatMap((token) => [1, 2].map(() => completeMfa(service, token, "totp", code))),
			);
			const statuses = guesses.map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 401).length, 5, statuses.join());
			assert.equal(statuses.filter((status) => status === 429).length, 19, statuses.join());
			const right = await passwordStep(service, ned);
			const now = () =>
				completeMfa(service, right, "totp", totpCode(ned.secret, service.clock.now()), PROBLEM);
			const blocked = await now();
			assert.deepEqual([blocked.status, blocked.body.code], [429, "login.too_many"]);
			assert.equal(blocked.headers["retry-after"], "30");
			const refusals = (await auditOf(service, `user:${ned.id}`)).filter(
				({ details }) => details.reason === "login.too_many",
			);
			assert.equal(refusals.length, 1, "twenty refused tries are one row");
			assert.equal(refusals[0]?.details.method, "totp");
			const subjects = (await service.mailsTo(ned.email, 2)).map(({ subject }) => subject);
			assert.equal(subjects.filter((subject) => subject === "Someone may know your password").length, 1);
			service.clock.advance(30_000);
			assert.equal((await now()).status, 200);
		});

		it("makes each further guess wait twice as long, up to fifteen minutes", async () => {
			const ole = await addPersonWithTotp(service, "ole");
			assert.deepEqual(await wrongAnswers(ole, await passwordStep(service, ole), 5), Array(5).fill(401));
			for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
				const token = await passwordStep(service, ole);
				const blocked = await completeMfa(service, token, "totp", "000000");
				assert.equal(blocked.status, 429);
				assert.equal(blocked.headers["retry-after"], String(seconds));
				service.clock.advance(seconds * 1_000);
				assert.deepEqual(await wrongAnswers(ole, await passwordStep(service, ole), 1), [401]);
			}
		});

		it("refuses codes of the app after a hundred wrong ones in a row, until another factor authenticates the owner", async () => {
			const quy = await addPersonWithTotp(service, "quy");
			await lockCodes(service, quy);
			const token = await passwordStep(service, quy);
			assert.equal((await completeMfa(service, token, "totp", nextCode(service, quy.secret))).status, 401);
			const code = quy.recoveryCodes[0] as string;
			assert.equal((await completeMfa(service, token, "recovery_code", code)).status, 200);
			await signInWithTotp(service, quy);
		});

		it("accepts a recovery code in the meantime, and resets the count after a right code", async () => {
			const pia = await addPersonWithTotp(service, "pia");
			await wrongAnswers(pia, await passwordStep(service, pia), 5);
			const token = await passwordStep(service, pia);
			assert.equal(
				(await completeMfa(service, token, "recovery_code", pia.recoveryCodes[0] ?? "")).status,
				200,
			);
			await signInWithTotp(service, pia);
			const statuses = await wrongAnswers(pia, await passwordStep(service, pia), 4);
			assert.deepEqual(statuses, Array(4).fill(401));
			await signInWithTotp(service, pia);
		});
	});
});

describe("POST /api/v1/auth/mfa/passkey-options", () => {
	const ada = fixture(() => addPersonWithPasskey(service, "ann"));
	const send = (mfa_token: string, assertion: unknown) =>
		service.call("POST", MFA, { body: { mfa_token, method: "passkey", assertion } });

	describe("409", () => {
		it("offers no passkeys after the service moved to an IP address", async () => {
			const dataDir = mkdtempSync(join(tmpdir(), "latchkey-moved-"));
			const before = await startTestService({ dataDir });
			const eve = await addPersonWithPasskey(before, "eve");
			await before.stop();
			const env = { LATCHKEY_PUBLIC_URL: "https://192.0.2.7" };
			const moved = await startTestService({ dataDir, env });
			const mfa_token = await passwordStep(moved, eve);
			const { status } = await moved.call("POST", OPTIONS, { body: { mfa_token } });
			await moved.stop();
			rmSync(dataDir, { recursive: true });
			assert.equal(status, 409);
		});
	});

	describe("200", () => {
		it("lists the passkeys of the user; the assertion of one signs in", async () => {
			const { username, password } = ada;
			const login = await service.call("POST", "/api/v1/auth/login", { body: { username, password } });
			assert.deepEqual(login.body.data.methods, ["passkey", "recovery_code"]);
			const token = login.body.data.mfa_token;
			const options = await passkeyMfaOptions(service, token);
			assert.deepEqual(options.allowCredentials, [
				{ id: ada.authenticator.credentialId, type: "public-key", transports: ["internal", "hybrid"] },
			]);
			const response = await send(token, ada.authenticator.get(options, { userVerified: false }));
			assert.equal(response.status, 200, JSON.stringify(response.body));
			assert.deepEqual(claimsOf(response.body.data.access_token).amr, ["pwd", "swk", "user", "mfa"]);
		});

		it("offers a passkey beside an authenticator app", async () => {
			const bea = await addPersonWithTotp(service, "bob");
			const both = await enrollPasskey(service, bea);
			const body = { username: bea.username, password: bea.password };
			const login = await service.call("POST", "/api/v1/auth/login", { body });
			assert.deepEqual(login.body.data.methods, ["totp", "passkey", "recovery_code"]);
			const token = login.body.data.mfa_token;
			const options = await passkeyMfaOptions(service, token);
			assert.equal((await send(token, both.authenticator.get(options))).status, 200);
		});

		it("accepts only a genuine assertion of that passkey, for that sign-in, once", async () => {
			const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
			const cal = await addPersonWithPasskey(service, "cid");
			const forged: readonly Forgery[] = [
				{ origin: "https://evil.example" },
				{ rpId: "evil.example" },
				{ key },
				{ userPresent: false },
				{ userHandle: "c29tZWJvZHkgZWxzZQ" },
				{ credentialId: cal.authenticator.credentialId },
			];
			for (const forgery of forged) {
				const token = await passwordStep(service, ada);
				const options = await passkeyMfaOptions(service, token);
				const response = await send(token, ada.authenticator.get(options, forgery));
				assert.equal(response.status, 401, JSON.stringify(forgery));
			}
			const [token, other] = [await passwordStep(service, ada), await passwordStep(service, ada)];
			const options = await passkeyMfaOptions(service, token);
			assert.equal((await send(other, ada.authenticator.get(options))).status, 401, "another sign-in");
			const alone = await passkeyOptions(service);
			assert.equal((await send(token, ada.authenticator.get(alone))).status, 401, "a sign-in alone");
			const foreign = await passkeyMfaOptions(service, token);
			assert.equal((await send(token, cal.authenticator.get(foreign))).status, 401, "another person's");
			const right = await passkeyMfaOptions(service, token);
			assert.equal((await send(token, ada.authenticator.get(right))).status, 200);
			assert.equal((await send(token, ada.authenticator.get(right))).status, 401, "once");
		});

		it("refuses a key whose count does not rise", async () => {
			const authenticator = new Authenticator(undefined, { signCount: 5 });
			const dan = await addPersonWithPasskey(service, "dee", authenticator);
			const token = await passwordStep(service, dan);
			const options = await passkeyMfaOptions(service, token);
			assert.equal((await send(token, authenticator.get(options, { signCount: 5 }))).status, 401);
			const again = await passkeyMfaOptions(service, token);
			assert.equal((await send(token, authenticator.get(again, { signCount: 6 }))).status, 200);
		});
	});

	describe("401", () => {
		it("refuses an unknown token, and a token of a user without a passkey", async () => {
			const eva = await addPersonWithTotp(service, "eli");
			for (const mfa_token of ["unknown", await passwordStep(service, eva)])
				assert.equal((await service.call("POST", OPTIONS, { body: { mfa_token } })).status, 401);
		});
	});
});
