import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { totpCode } from "../../../src/crypto/totp.ts";
import {
	addPerson,
	auditOf,
	lockPassword,
	type Person,
	signInToApplication,
	takePasswordAway,
} from "../../harness/people.ts";
import {
	addPersonWithPasskey,
	addPersonWithTotp,
	answerMfa,
	MY_TOTP,
	nextCode,
	PASSKEY_SIGN_IN,
	passkeyOptions,
	passwordStep,
	signInWithTotp,
} from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("POST /api/v1/users/me/mfa/totp", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const start = (person: Person, body: unknown, headers: Record<string, string> = {}) =>
		service.call("POST", MY_TOTP, { token: person.token, body, headers });

	describe("201", () => {
		it("answers a secret and its address for an app, and changes nothing yet", async () => {
			const ada = await addPerson(service, "ada");
			const answer = await start(ada, { password: ada.password });
			assert.equal(answer.status, 201);
			assert.equal(answer.headers["cache-control"], "no-store");
			const { secret, otpauth_uri } = answer.body.data;
			assert.match(secret, /^[A-Z2-7]{32}$/);
			const uri = new URL(otpauth_uri);
			assert.deepEqual(
				[uri.searchParams.get("secret"), uri.searchParams.get("issuer")],
				[secret, "localhost"],
			);
			assert.equal(decodeURIComponent(uri.pathname), "/localhost:ada");
			const me = await service.call("GET", "/api/v1/users/me", { token: ada.token });
			assert.equal(me.body.data.mfa_enabled, false);
			assert.match(await service.tokenOf("ada", ada.password), /^ey/);
		});

		it("takes a sign-in of the last five minutes from an account without a password", async () => {
			const ida = await addPerson(service, "ida");
			await takePasswordAway(service, ida.id);
			service.clock.advance(4 * 60_000);
			assert.equal((await start(ida, {})).status, 201);
			service.clock.advance(2 * 60_000);
			const late = await start(ida, {});
			assert.equal(late.status, 400);
			assert.match(late.body.error, /^password is required: the account has none/);
		});

		it("invalidates the one begun before", async () => {
			const bea = await addPerson(service, "bea");
			const first = (await start(bea, { password: bea.password })).body.data.secret;
			const second = (await start(bea, { password: bea.password })).body.data.secret;
			assert.notEqual(first, second);
			const confirm = (secret: string) =>
				service.call("POST", `${MY_TOTP}/confirm`, {
					token: bea.token,
					body: { code: totpCode(secret, service.clock.now()) },
				});
			assert.equal((await confirm(first)).status, 400);
			assert.equal((await confirm(second)).status, 200);
		});

		it("keeps the enrolled app until the new one is confirmed", async () => {
			const cal = await addPersonWithTotp(service, "cal");
			const { secret } = (await start(cal, { password: cal.password })).body.data;
			const token = await passwordStep(service, cal);
			assert.equal((await answerMfa(service, token, "totp", nextCode(service, secret))).status, 401);
			await signInWithTotp(service, cal);
			const code = nextCode(service, secret);
			const confirmed = await service.call("POST", `${MY_TOTP}/confirm`, {
				token: cal.token,
				body: { code },
			});
			assert.equal(confirmed.status, 200);
			const again = await passwordStep(service, cal);
			assert.equal((await answerMfa(service, again, "totp", nextCode(service, cal.secret))).status, 401);
			await signInWithTotp(service, { ...cal, secret });
		});
	});

	describe("400", () => {
		it("refuses a wrong password, and audits it", async () => {
			const dan = await addPerson(service, "dan");
			const answer = await start(dan, { password: "wrong wrong" }, { accept: "application/problem+json" });
			assert.deepEqual([answer.status, answer.body.code], [400, "password.wrong"]);
			assert.deepEqual(answer.body.errors, [{ field: "password", message: "is wrong" }]);
			const events = await auditOf(service, `user:${dan.id}`);
			assert.equal(events.at(-1)?.action, "user.second_factor_change_refused");
		});

		it("needs the password of an account that has one, after any kind of recent sign-in", async () => {
			const eva = await addPerson(service, "eva");
			for (const body of [{}, { password: "" }, { password: 1 }])
				assert.equal((await start(eva, body)).status, 400);
			const { authenticator, ...joe } = await addPersonWithPasskey(service, "joe");
			const assertion = authenticator.get(await passkeyOptions(service));
			const signedIn = await service.call("POST", PASSKEY_SIGN_IN, { body: { assertion } });
			assert.equal((await start({ ...joe, token: signedIn.body.data.access_token }, {})).status, 400);
		});

		it("refuses even the right password of a locked account", async () => {
			const fay = await addPerson(service, "fay");
			await lockPassword(service, fay);
			assert.equal((await start(fay, { password: fay.password })).status, 400);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("POST", MY_TOTP, { body: { password: "x" } })).status, 401);
		});
	});

	describe("403", () => {
		it("refuses an application's token without the password", async () => {
			const hal = await addPerson(service, "hal");
			const held = { ...hal, token: await signInToApplication(service, hal) };
			const answer = await start(held, {}, { accept: "application/problem+json" });
			assert.deepEqual([answer.status, answer.body.code], [403, "application.token"]);
			assert.equal((await start(held, { password: hal.password })).status, 201);
		});
	});

	describe("429", () => {
		it("counts guesses of the password before they are checked", async () => {
			const gus = await addPerson(service, "gus");
			const guesses = Array.from({ length: 20 }, (_, n) => start(gus, { password: `guess ${n}` }));
			const statuses = (await Promise.all(guesses)).map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 400).length, 5);
			assert.equal(statuses.filter((status) => status === 429).length, 15);
			assert.equal((await start(gus, { password: gus.password })).status, 429);
			service.clock.advance(31_000);
			assert.equal((await start(gus, { password: gus.password })).status, 201);
		});
	});
});
