// Sign-up with a mailed code.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/kernel/clock.ts";
import { ABSENT_ID } from "../../harness/access/applications.ts";
import { addPerson, auditOf } from "../../harness/people/people.ts";
import { codeFor, mailedCode, sendCode, wrongCode } from "../../harness/people/registration.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { testService } from "../../harness/runs/fixture.ts";

const REGISTER = "/api/v1/auth/register";
const PASSWORD = "a long and winding password";
const PROBLEM = { accept: "application/problem+json" };

// With a stopped clock, every wait is exact.
const service = testService(() => ({ atMs: Date.now() }));

describe("POST /api/v1/auth/register/send-code", () => {
	describe("200", () => {
		it("mails six digits and returns their lifetime", async () => {
			const response = await sendCode(service, "new@people.example");
			assert.equal(response.status, 200);
			assert.deepEqual(response.body, { data: { expires_in: 600, resend_after: 60 } });
			assert.match(await mailedCode(service, "new@people.example"), /^[0-9]{6}$/);
		});

		it("returns the same response for an address with an account, and mails its owner", async () => {
			const person = await addPerson(service, "taken");
			const [free, taken] = await Promise.all([
				sendCode(service, "free@people.example"),
				sendCode(service, person.email),
			]);
			assert.equal(taken.status, free.status);
			assert.deepEqual(taken.body, free.body);
			assert.deepEqual(Object.keys(taken.headers).sort(), Object.keys(free.headers).sort());
			const [mail] = await service.mailsTo(person.email);
			assert.equal(mail?.subject, "You already have an account");
			assert.ok(mail?.text?.includes(person.username));
			assert.doesNotMatch(mail?.text ?? "", /\b[0-9]{6}\b/);
		});

		it("writes in the requested language", async () => {
			await sendCode(service, "zh@people.example", { "accept-language": "zh-CN,zh;q=0.9,en;q=0.5" });
			const [mail] = await service.mailsTo("zh@people.example");
			assert.match(mail?.subject ?? "", /^注册验证码：[0-9]{6}$/);
		});

		it("treats an address in every case as one, and sends a new code after a minute", async () => {
			assert.equal((await sendCode(service, " Mixed@People.Example ")).status, 200);
			assert.equal((await sendCode(service, "mixed@people.example")).status, 429);
			service.clock.advance(MINUTE_MS);
			assert.equal((await sendCode(service, "MIXED@people.example")).status, 200);
			assert.equal((await service.mailsTo("mixed@people.example", 2)).length, 2);
		});
	});

	describe("429", () => {
		it("refuses a second code within a minute, for taken and free addresses", async () => {
			const person = await addPerson(service, "eager");
			for (const email of [person.email, "eager-free@people.example"]) {
				assert.equal((await sendCode(service, email)).status, 200);
				service.clock.advance(20 * SECOND_MS);
				const refused = await sendCode(service, email);
				assert.equal(refused.status, 429);
				const limits = ["retry-after", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
				assert.deepEqual(
					limits.map((name) => refused.headers[name]),
					["40", "1", "0", "40"],
				);
			}
		});

		it("refuses a sixth code within an hour, for taken and free addresses", async () => {
			const person = await addPerson(service, "persistent");
			for (const email of [person.email, "persistent-free@people.example"]) {
				for (let sent = 0; sent < 5; sent++) {
					assert.equal((await sendCode(service, email)).status, 200);
					service.clock.advance(MINUTE_MS);
				}
				const refused = await sendCode(service, email);
				assert.equal(refused.status, 429);
				assert.equal(refused.headers["retry-after"], String(55 * 60));
				service.clock.advance(HOUR_MS - 5 * MINUTE_MS);
				assert.equal((await sendCode(service, email)).status, 200);
			}
		});

		it("sends one code for twenty concurrent requests", async () => {
			const responses = await Promise.all(
				Array.from({ length: 20 }, () => sendCode(service, "flood@people.example")),
			);
			assert.equal(responses.filter(({ status }) => status === 200).length, 1);
			assert.equal(responses.filter(({ status }) => status === 429).length, 19);
			assert.equal((await service.mailsTo("flood@people.example")).length, 1);
		});
	});
});

describe("POST /api/v1/auth/register/check-code", () => {
	const check = (email: string, code: unknown, headers = {}) =>
		service.call("POST", `${REGISTER}/check-code`, {
			body: { email, code },
			headers: { ...PROBLEM, ...headers },
		});

	describe("204", () => {
		it("leaves a correct code valid", async () => {
			const email = "checked@people.example";
			const code = await codeFor(service, email);
			for (let count = 0; count < 7; count++) assert.equal((await check(email, code)).status, 204);
			const body = { username: "checked", email, password: PASSWORD, code };
			assert.equal((await service.call("POST", REGISTER, { body })).status, 201);
		});
	});

	describe("400", () => {
		it("counts a wrong code as one of five tries, over both calls", async () => {
			const email = "guessed@people.example";
			const code = await codeFor(service, email);
			for (let count = 0; count < 5; count++) {
				const { status, body } = await check(email, wrongCode(code));
				assert.deepEqual([status, body.code, body.errors?.[0]?.field], [400, "code.invalid", "code"]);
			}
			assert.equal((await check(email, code)).status, 400);
			const body = { username: "guessed", email, password: PASSWORD, code };
			assert.equal((await service.call("POST", REGISTER, { body })).status, 400);
		});
	});
});

describe("POST /api/v1/auth/register", () => {
	const register = (body: Readonly<Record<string, unknown>>, headers = {}) =>
		service.call("POST", REGISTER, { body: { password: PASSWORD, ...body }, headers });
	const loginStatus = async (username: string, password = PASSWORD): Promise<number> =>
		(await service.call("POST", "/api/v1/auth/login", { body: { username, password } })).status;

	describe("201", () => {
		it("creates an active user with a verified address, who can sign in by name and by address", async () => {
			const email = "ada@people.example";
			const code = await codeFor(service, email);
			const response = await register({
				username: "Ada.L",
				email: ` ADA@people.example `,
				code,
				display_name: " Ada ",
			});
			assert.equal(response.status, 201);
			const { id, tenant_id, created_at, updated_at, ...user } = response.body.data;
			assert.match(id, /^[0-9a-f-]{36}$/);
			assert.match(tenant_id, /^[0-9a-f-]{36}$/);
			assert.equal(created_at, updated_at);
			assert.deepEqual(user, {
				username: "Ada.L",
				email,
				email_verified: true,
				display_name: "Ada",
				avatar_url: "",
				status: "active",
				disabled_reason: null,
				roles: [],
				locale: null,
				mfa_enabled: false,
				last_login_at: null,
			});
			for (const name of ["Ada.L", "ada.l", "ADA.L", email, "Ada@People.example"])
				assert.equal(await loginStatus(name), 200, name);
			const [registered] = await auditOf(service, `user:${id}`);
			assert.equal(registered?.action, "user.registered");
			assert.equal(registered?.actor, `user:${id}`);
		});

		it("ignores unknown fields and fields that the service assigns", async () => {
			const code = await codeFor(service, "sly@people.example");
			const response = await register({
				username: "sly",
				email: "sly@people.example",
				code,
				id: ABSENT_ID,
				roles: ["admin", "platform_admin"],
				status: "disabled",
				email_verified: false,
				tenant_id: ABSENT_ID,
				favourite: "colour",
			});
			assert.equal(response.status, 201);
			assert.deepEqual(response.body.data.roles, []);
			assert.equal(response.body.data.status, "active");
			assert.notEqual(response.body.data.id, ABSENT_ID);
		});

		it("accepts passwords of 8 characters and of 72 bytes, in any Unicode normal form", async () => {
			for (const [username, password] of [
				["short-word", "8 chärs!"],
				["long-word", `${"né ".repeat(15)}de l’été`],
			] as const) {
				const email = `${username}@people.example`;
				const code = await codeFor(service, email);
				const decomposed = password.normalize("NFD");
				const response = await register({ username, email, code, password: decomposed });
				assert.equal(response.status, 201, JSON.stringify(response.body));
				assert.equal(await loginStatus(username, password.normalize("NFC")), 200);
				assert.equal(await loginStatus(username, `${password}x`), 401, "never cut");
			}
		});

		it("creates one account from many concurrent registrations with one code", async () => {
			const email = "once@people.example";
			const code = await codeFor(service, email);
			const responses = await Promise.all(
				Array.from({ length: 20 }, (_, n) => register({ username: `once-${n}`, email, code })),
			);
			assert.equal(responses.filter(({ status }) => status === 201).length, 1);
			assert.equal(responses.filter(({ status }) => status === 400).length, 19);
		});

		it("accepts the correct code after four wrong ones", async () => {
			const email = "clumsy@people.example";
			const code = await codeFor(service, email);
			for (let wrong = 0; wrong < 4; wrong++)
				assert.equal((await register({ username: "clumsy", email, code: wrongCode(code) })).status, 400);
			assert.equal((await register({ username: "clumsy", email, code })).status, 201);
		});

		it("accepts the same name and address in another tenant, each with its own code", async () => {
			const { id, tokenOf } = await addSecondTenant(service);
			const headers = { "x-tenant-id": id };
			const email = "twin@people.example";
			const code = await codeFor(service, email);
			// An email address receives at most one code a minute across all tenants.
			service.clock.advance(MINUTE_MS);
			await sendCode(service, email, headers);
			const otherCode = await mailedCode(service, email, 2);
			if (otherCode !== code)
				assert.equal((await register({ username: "twin", email, code }, headers)).status, 400);
			assert.equal((await register({ username: "twin", email, code })).status, 201);
			const response = await register({ username: "twin", email, code: otherCode }, headers);
			assert.equal(response.status, 201);
			assert.equal(response.body.data.tenant_id, id);
			assert.ok(await tokenOf("twin", PASSWORD));
		});
	});

	describe("400", () => {
		const unfit: readonly (readonly [string, string, string])[] = [
			["of 7 characters", "7 chars", "password.too_short"],
			["of 73 bytes", "x".repeat(73), "password.too_long"],
			["of 37 characters in 74 bytes", "é".repeat(37), "password.too_long"],
			["that is common", "password1", "password.too_common"],
			["that is common, in capitals", "PASSWORD1", "password.too_common"],
			["that is the username", "SomeBody.Else", "password.same_as_name"],
			["that is the email address", "Some@People.example", "password.same_as_name"],
			["with NUL", "nul \0 character", "request.invalid"],
		];
		it("names the rule that the password breaks, for any code", async () => {
			for (const [what, password, code] of unfit) {
				const body = { username: "somebody.else", email: "some@people.example", code: "123456", password };
				const response = await register(body, PROBLEM);
				assert.deepEqual([response.status, response.body.code], [400, code], what);
				assert.equal(response.body.errors[0]?.field, "password", what);
			}
		});

		it("returns the same response for a wrong code, a code of another address, and none requested", async () => {
			const code = await codeFor(service, "right@people.example");
			const bodies = [
				{ email: "right@people.example", code: wrongCode(code) },
				{ email: "never-asked@people.example", code },
			];
			const responses = await Promise.all(
				bodies.map((body) => register({ username: "right", ...body }, PROBLEM)),
			);
			for (const response of responses) {
				assert.equal(response.status, 400);
				assert.equal(response.body.code, "code.invalid");
				assert.equal(response.body.detail, "code is incorrect or has expired");
				assert.equal(response.body.errors[0]?.field, "code");
			}
		});

		it("refuses a code after ten minutes", async () => {
			const email = "slow@people.example";
			const code = await codeFor(service, email);
			service.clock.advance(10 * MINUTE_MS);
			assert.equal((await register({ username: "slow", email, code })).status, 400);
		});

		it("refuses a code that was used", async () => {
			const email = "used@people.example";
			const code = await codeFor(service, email);
			assert.equal((await register({ username: "used", email, code })).status, 201);
			assert.equal((await register({ username: "used-again", email, code })).status, 400);
		});

		it("refuses a code that a newer one replaced", async () => {
			const email = "again@people.example";
			const first = await codeFor(service, email);
			service.clock.advance(MINUTE_MS);
			await sendCode(service, email);
			const second = await mailedCode(service, email, 2);
			if (first !== second)
				assert.equal((await register({ username: "again", email, code: first })).status, 400);
			assert.equal((await register({ username: "again", email, code: second })).status, 201);
		});

		it("refuses even the correct code after five wrong ones, even when they come at once", async () => {
			const email = "guessed@people.example";
			const code = await codeFor(service, email);
			const wrong = wrongCode(code);
			const responses = await Promise.all(
				Array.from({ length: 20 }, () => register({ username: "guessed", email, code: wrong })),
			);
			assert.deepEqual([...new Set(responses.map(({ status }) => status))], [400]);
			assert.equal((await register({ username: "guessed", email, code })).status, 400);
		});

		it("reveals a taken name or address only with the correct code", async () => {
			const person = await addPerson(service, "secret-person");
			await sendCode(service, person.email);
			for (const email of [person.email, "fresh@people.example"]) {
				const response = await register({ username: person.username, email, code: "123456" }, PROBLEM);
				assert.equal(response.status, 400);
				assert.equal(response.body.code, "code.invalid");
			}
		});
	});

	describe("409", () => {
		it("reports a taken username, ignoring case, and keeps the code valid for another", async () => {
			await addPerson(service, "popular");
			const email = "unpopular@people.example";
			const code = await codeFor(service, email);
			for (let times = 0; times < 6; times++) {
				const response = await register({ username: "Popular", email, code }, PROBLEM);
				assert.equal(response.status, 409);
				assert.equal(response.body.code, "username.taken");
			}
			assert.equal((await register({ username: "unpopular", email, code })).status, 201);
		});

		it("reports an address that was taken in the meantime, which uses up the code", async () => {
			const email = "late@people.example";
			const code = await codeFor(service, email);
			await addPerson(service, "early", { email });
			const response = await register({ username: "late", email, code }, PROBLEM);
			assert.equal(response.status, 409);
			assert.equal(response.body.code, "email.taken");
			assert.equal((await register({ username: "late", email, code })).status, 400);
		});

		it("gives a username to one of two concurrent requests", async () => {
			const emails = ["left@people.example", "right-hand@people.example"];
			const codes = await Promise.all(emails.map((email) => codeFor(service, email)));
			const responses = await Promise.all(
				emails.map((email, index) => register({ username: "wanted", email, code: codes[index] })),
			);
			assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409]);
		});
	});
});
