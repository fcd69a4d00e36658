import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { totpCode } from "../../../src/crypto/totp.ts";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import { addPerson, auditOf, type Person, removePassword } from "../../harness/people/people.ts";
import {
	addPersonWithPasskey,
	addPersonWithTotp,
	completeMfa,
	MY_TOTP,
	nextCode,
	PASSKEY_SIGN_IN,
	passkeyOptions,
	passwordStep,
	requireMfa,
	signInWithTotp,
	wrongTotp,
} from "../../harness/people/second-factors.ts";
import { testService } from "../../harness/runs/fixture.ts";

const MY_MFA = "/api/v1/users/me/mfa";
const CONFIRM = `${MY_TOTP}/confirm`;
const RECOVERY_CODES = `${MY_MFA}/recovery-codes`;

// The clock is stopped: codes and the minutes after a sign-in expire only when a test advances it.
const service = testService(() => ({ atMs: Date.now() }));

describe("GET /api/v1/users/me/mfa", () => {
	describe("200", () => {
		it("returns no factors without an enrollment", async () => {
			const ada = await addPerson(service, "ada");
			const { status, body } = await service.call("GET", MY_MFA, { token: ada.token });
			const nothing = {
				has_password: true,
				mfa_enabled: false,
				totp: false,
				passkeys: 0,
				recovery_codes_left: 0,
				passkey_account: null,
				required: false,
			};
			assert.deepEqual([status, body], [200, { data: nothing }]);
		});

		it("returns the enrolled factors and the number of recovery codes, and no secret", async () => {
			const bea = await addPersonWithTotp(service, "bea");
			const token = await passwordStep(service, bea);
			await completeMfa(service, token, "recovery_code", bea.recoveryCodes[0] as string);
			const { body } = await service.call("GET", MY_MFA, { token: bea.token });
			assert.deepEqual(body.data, {
				has_password: true,
				mfa_enabled: true,
				totp: true,
				passkeys: 0,
				recovery_codes_left: 9,
				passkey_account: null,
				required: false,
			});
		});

		it("returns whether the account has a password", async () => {
			const carl = await addPerson(service, "carl");
			await removePassword(service, carl.id);
			const { body } = await service.call("GET", MY_MFA, { token: carl.token });
			assert.equal(body.data.has_password, false);
		});
	});
});

describe("POST /api/v1/users/me/mfa/totp", () => {
	const start = (person: Person, body: unknown, headers: Record<string, string> = {}) =>
		service.call("POST", MY_TOTP, { token: person.token, body, headers });

	describe("201", () => {
		it("returns a secret and its URI, and enables nothing yet", async () => {
			const abe = await addPerson(service, "abe");
			const response = await start(abe, { password: abe.password });
			assert.equal(response.status, 201);
			assert.equal(response.headers["cache-control"], "no-store");
			const { secret, otpauth_uri } = response.body.data;
			assert.match(secret, /^[A-Z2-7]{32}$/);
			const uri = new URL(otpauth_uri);
			assert.deepEqual(
				[uri.searchParams.get("secret"), uri.searchParams.get("issuer")],
				[secret, "localhost"],
			);
			assert.equal(decodeURIComponent(uri.pathname), "/localhost:abe");
			const me = await service.call("GET", "/api/v1/users/me", { token: abe.token });
			assert.equal(me.body.data.mfa_enabled, false);
			assert.match(await service.tokenOf("abe", abe.password), /^ey/);
		});

		it("accepts a sign-in of the last five minutes from an account without a password", async () => {
			const ida = await addPerson(service, "ida");
			await removePassword(service, ida.id);
			service.clock.advance(5 * MINUTE_MS - 1);
			assert.equal((await start(ida, {})).status, 201);
			service.clock.advance(2);
			const late = await start(ida, {});
			assert.equal(late.status, 400);
			assert.match(late.body.error, /^password cannot be checked: the account has no password/);
		});

		it("invalidates an enrollment that was started before", async () => {
			const ann = await addPerson(service, "ann");
			const first = (await start(ann, { password: ann.password })).body.data.secret;
			const second = (await start(ann, { password: ann.password })).body.data.secret;
			assert.notEqual(first, second);
			const confirm = (secret: string) =>
				service.call("POST", CONFIRM, {
					token: ann.token,
					body: { code: totpCode(secret, service.clock.now()) },
				});
			assert.equal((await confirm(first)).status, 400);
			assert.equal((await confirm(second)).status, 200);
		});

		it("keeps the enrolled app until the new app is confirmed", async () => {
			const cal = await addPersonWithTotp(service, "cal");
			const { secret } = (await start(cal, { password: cal.password })).body.data;
			const token = await passwordStep(service, cal);
			assert.equal((await completeMfa(service, token, "totp", nextCode(service, secret))).status, 401);
			await signInWithTotp(service, cal);
			const code = nextCode(service, secret);
			const confirmed = await service.call("POST", CONFIRM, {
				token: cal.token,
				body: { code },
			});
			assert.equal(confirmed.status, 200);
			const again = await passwordStep(service, cal);
			assert.equal((await completeMfa(service, again, "totp", nextCode(service, cal.secret))).status, 401);
			await signInWithTotp(service, { ...cal, secret });
		});
	});

	describe("400", () => {
		it("requires the password of an account that has one, after any kind of recent sign-in", async () => {
			const { authenticator, ...joe } = await addPersonWithPasskey(service, "joe");
			const assertion = authenticator.get(await passkeyOptions(service));
			const signedIn = await service.call("POST", PASSKEY_SIGN_IN, { body: { assertion } });
			assert.equal((await start({ ...joe, token: signedIn.body.data.access_token }, {})).status, 400);
		});
	});

	describe("429", () => {
		it("counts passwords before verification: verifies five of twenty concurrent ones", async () => {
			const gus = await addPerson(service, "gus");
			const guesses = Array.from({ length: 20 }, (_, n) => start(gus, { password: `guess ${n}` }));
			const statuses = (await Promise.all(guesses)).map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 400).length, 5);
			assert.equal(statuses.filter((status) => status === 429).length, 15);
			assert.equal((await start(gus, { password: gus.password })).status, 429);
			service.clock.advance(30_000);
			assert.equal((await start(gus, { password: gus.password })).status, 201);
		});
	});
});

describe("POST /api/v1/users/me/mfa/totp/confirm", () => {
	const start = async (person: Person): Promise<string> => {
		const body = { password: person.password };
		return (await service.call("POST", MY_TOTP, { token: person.token, body })).body.data.secret;
	};
	const confirm = (person: Person, body: unknown, headers: Record<string, string> = {}) =>
		service.call("POST", CONFIRM, { token: person.token, body, headers });

	describe("200", () => {
		it("enrolls the app, returns ten recovery codes, notifies the owner, and requires the app at sign-in", async () => {
			const amy = await addPerson(service, "amy");
			const secret = await start(amy);
			const code = totpCode(secret, service.clock.now());
			const spaced = `${code.slice(0, 3)} ${code.slice(3)}`;
			const response = await confirm(amy, { code: spaced }, { "accept-language": "zh" });
			assert.equal(response.status, 200);
			assert.equal(response.headers["cache-control"], "no-store");
			const codes: string[] = response.body.data.recovery_codes;
			assert.deepEqual([codes.length, new Set(codes).size], [10, 10]);
			for (const each of codes) assert.match(each, /^(?:[0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/);
			const me = await service.call("GET", "/api/v1/users/me", { token: amy.token });
			assert.equal(me.body.data.mfa_enabled, true);
			const [mail] = await service.mailsTo(amy.email);
			assert.equal(mail?.subject, "已添加身份验证器");
			const events = await auditOf(service, `user:${amy.id}`);
			assert.deepEqual(
				events.find(({ action }) => action === "user.second_factor_added"),
				{
					actor: `user:${amy.id}`,
					action: "user.second_factor_added",
					target: `user:${amy.id}`,
					details: { change: "totp_added", totp: true, passkeys: 0 },
				},
			);
			await passwordStep(service, amy);
		});

		it("rejects the same code at the next sign-in", async () => {
			const art = await addPerson(service, "art");
			const secret = await start(art);
			const code = totpCode(secret, service.clock.now());
			assert.equal((await confirm(art, { code })).status, 200);
			const token = await passwordStep(service, art);
			assert.equal((await completeMfa(service, token, "totp", code)).status, 401);
			assert.equal((await completeMfa(service, token, "totp", nextCode(service, secret))).status, 200);
		});

		it("replaces the app and the recovery codes of an earlier enrollment", async () => {
			const ash = await addPerson(service, "ash");
			const enrol = async (): Promise<string[]> => {
				const secret = await start(ash);
				return (await confirm(ash, { code: nextCode(service, secret) })).body.data.recovery_codes;
			};
			const [[old = ""], [fresh = ""]] = [await enrol(), await enrol()];
			const token = await passwordStep(service, ash);
			assert.equal((await completeMfa(service, token, "recovery_code", old)).status, 401);
			assert.equal((await completeMfa(service, token, "recovery_code", fresh)).status, 200);
		});

		it("accepts one of twenty concurrent confirmations", async () => {
			const asa = await addPerson(service, "asa");
			const secret = await start(asa);
			const code = totpCode(secret, service.clock.now());
			const responses = await Promise.all(Array.from({ length: 20 }, () => confirm(asa, { code })));
			const statuses = responses.map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
			assert.equal(statuses.filter((status) => status === 404).length, 19, statuses.join());
			const mine = await service.call("GET", MY_MFA, { token: asa.token });
			assert.equal(mine.body.data.recovery_codes_left, 10);
		});
	});

	describe("400", () => {
		it("rejects a wrong code, and accepts the right one afterwards", async () => {
			const ava = await addPerson(service, "ava");
			const secret = await start(ava);
			const wrong = await confirm(
				ava,
				{ code: wrongTotp(service, secret) },
				{ accept: "application/problem+json" },
			);
			assert.deepEqual([wrong.status, wrong.body.code], [400, "mfa.code_wrong"]);
			for (const code of ["", "12345", "1234567", "abcdef", 123456, null])
				assert.equal((await confirm(ava, { code })).status, 400, JSON.stringify(code));
			assert.equal((await confirm(ava, { code: totpCode(secret, service.clock.now()) })).status, 200);
		});
	});

	describe("404", () => {
		it("rejects a confirmation without an enrollment, after fifteen minutes, and a second time", async () => {
			const axl = await addPerson(service, "axl");
			assert.equal((await confirm(axl, { code: "123456" })).status, 404);
			const secret = await start(axl);
			service.clock.advance(15 * MINUTE_MS);
			const token = await service.tokenOf("axl", axl.password);
			const person = { ...axl, token };
			assert.equal((await confirm(person, { code: totpCode(secret, service.clock.now()) })).status, 404);
			const next = await start(person);
			const code = totpCode(next, service.clock.now());
			assert.equal((await confirm(person, { code })).status, 200);
			assert.equal((await confirm(person, { code })).status, 404);
		});

		it("rejects the enrollment of another user", async () => {
			const ben = await addPerson(service, "ben");
			const bev = await addPerson(service, "bev");
			const secret = await start(ben);
			assert.equal((await confirm(bev, { code: totpCode(secret, service.clock.now()) })).status, 404);
		});
	});
});

describe("DELETE /api/v1/users/me/mfa/totp", () => {
	const remove = (person: Person, body: unknown, headers: Record<string, string> = {}) =>
		service.call("DELETE", MY_TOTP, { token: person.token, body, headers });

	describe("204", () => {
		it("removes app and recovery codes, notifies the owner, and signs in with the password alone", async () => {
			const bob = await addPersonWithTotp(service, "bob");
			assert.equal((await remove(bob, { password: bob.password })).status, 204);
			assert.match(await service.tokenOf("bob", bob.password), /^ey/);
			const mine = await service.call("GET", MY_MFA, { token: bob.token });
			assert.deepEqual(mine.body.data, {
				mfa_enabled: false,
				has_password: true,
				totp: false,
				passkeys: 0,
				recovery_codes_left: 0,
				passkey_account: null,
				required: false,
			});
			const mails = await service.mailsTo(bob.email, 2);
			assert.equal(
				mails.some(({ subject }) => subject === "Your authenticator app was removed"),
				true,
			);
			const events = await auditOf(service, `user:${bob.id}`);
			assert.equal(events.filter(({ action }) => action === "user.second_factor_removed").length, 1);
		});

		it("removes once on concurrent requests", async () => {
			const cat = await addPersonWithTotp(service, "cat");
			const responses = await Promise.all([1, 2].map(() => remove(cat, { password: cat.password })));
			assert.deepEqual(responses.map(({ status }) => status).sort(), [204, 404]);
		});
	});

	describe("409", () => {
		it("keeps the last factor if the tenant requires one", async () => {
			const cid = await addPersonWithTotp(service, "cid");
			const admin = await service.adminToken();
			await requireMfa(service, true, admin);
			const response = await remove(cid, { password: cid.password }, { accept: "application/problem+json" });
			assert.deepEqual([response.status, response.body.code], [409, "mfa.last_factor"]);
			await signInWithTotp(service, cid);
			await requireMfa(service, false, admin);
			assert.equal((await remove(cid, { password: cid.password })).status, 204);
		});
	});
});

describe("POST /api/v1/users/me/mfa/recovery-codes", () => {
	const renew = (person: Pick<Person, "token">, body: unknown, headers: Record<string, string> = {}) =>
		service.call("POST", RECOVERY_CODES, { token: person.token, body, headers });

	describe("200", () => {
		it("issues ten new codes, invalidates the earlier ones, and notifies the owner", async () => {
			const dee = await addPersonWithTotp(service, "dee");
			const response = await renew(dee, { password: dee.password });
			assert.equal(response.status, 200);
			assert.equal(response.headers["cache-control"], "no-store");
			const fresh: string[] = response.body.data.recovery_codes;
			assert.equal(fresh.length, 10);
			const token = await passwordStep(service, dee);
			assert.equal(
				(await completeMfa(service, token, "recovery_code", dee.recoveryCodes[0] ?? "")).status,
				401,
			);
			assert.equal((await completeMfa(service, token, "recovery_code", fresh[0] ?? "")).status, 200);
			const subjects = (await service.mailsTo(dee.email, 3)).map(({ subject }) => subject);
			assert.ok(subjects.includes("You have new recovery codes"));
		});

		it("accepts a sign-in of the last five minutes from an account without a password", async () => {
			const dex = await addPersonWithTotp(service, "dex");
			const { access_token: token } = await signInWithTotp(service, dex);
			await removePassword(service, dex.id);
			service.clock.advance(5 * MINUTE_MS - 1);
			assert.equal((await renew({ token }, {})).status, 200);
			service.clock.advance(2);
			const late = await renew({ token }, {});
			assert.deepEqual(
				[late.status, late.body.error],
				[
					400,
					"password cannot be checked: the account has no password; sign in again and retry within 5 minutes",
				],
			);
		});

		it("leaves ten codes after ten concurrent requests", async () => {
			const don = await addPersonWithTotp(service, "don");
			const { access_token: token } = await signInWithTotp(service, don);
			await removePassword(service, don.id);
			const responses = await Promise.all(Array.from({ length: 10 }, () => renew({ token }, {})));
			assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
			const mine = await service.call("GET", MY_MFA, { token });
			assert.equal(mine.body.data.recovery_codes_left, 10);
		});
	});

	describe("409", () => {
		it("issues no codes without a second factor", async () => {
			const eda = await addPerson(service, "eda");
			const response = await renew(eda, { password: eda.password }, { accept: "application/problem+json" });
			assert.deepEqual([response.status, response.body.code], [409, "mfa.not_enabled"]);
		});
	});
});
