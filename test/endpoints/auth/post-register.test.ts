import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import { addPerson, auditOf } from "../../harness/people.ts";
import { codeFor, mailedCode, sendCode, wrongCode } from "../../harness/registration.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/auth/register";
const PASSWORD = "a long and winding password";
const PROBLEM = { accept: "application/problem+json" };

describe("POST /api/v1/auth/register", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const register = (body: Readonly<Record<string, unknown>>, headers = {}) =>
		service.call("POST", PATH, { body: { password: PASSWORD, ...body }, headers });
	const loginStatus = async (username: string, password = PASSWORD): Promise<number> =>
		(await service.call("POST", "/api/v1/auth/login", { body: { username, password } })).status;

	describe("201", () => {
		it("creates an active user with a verified address, who can sign in by name and by address", async () => {
			const email = "ada@people.example";
			const code = await codeFor(service, email);
			const answer = await register({
				username: "Ada.L",
				email: ` ADA@people.example `,
				code,
				display_name: " Ada ",
			});
			assert.equal(answer.status, 201);
			const { id, tenant_id, created_at, updated_at, ...user } = answer.body.data;
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

		it("ignores fields the service assigns and fields it does not know", async () => {
			const code = await codeFor(service, "sly@people.example");
			const answer = await register({
				username: "sly",
				email: "sly@people.example",
				code,
				id: "01a1fbb8-cd8c-7000-a430-a692e481d229",
				roles: ["admin", "platform_admin"],
				status: "disabled",
				email_verified: false,
				tenant_id: "01a1fbb8-cd8c-7000-a430-a692e481d229",
				favourite: "colour",
			});
			assert.equal(answer.status, 201);
			assert.deepEqual(answer.body.data.roles, []);
			assert.equal(answer.body.data.status, "active");
			assert.notEqual(answer.body.data.id, "01a1fbb8-cd8c-7000-a430-a692e481d229");
		});

		it("takes a password of 8 characters and one of 72 bytes, however it is composed", async () => {
			for (const [username, password] of [
				["short-word", "8 chärs!"],
				["long-word", `${"né ".repeat(15)}de l’été`],
			] as const) {
				const email = `${username}@people.example`;
				const code = await codeFor(service, email);
				const decomposed = password.normalize("NFD");
				const answer = await register({ username, email, code, password: decomposed });
				assert.equal(answer.status, 201, JSON.stringify(answer.body));
				assert.equal(await loginStatus(username, password.normalize("NFC")), 200);
				assert.equal(await loginStatus(username, `${password}x`), 401, "never cut");
			}
		});

		it("creates one account from many simultaneous registrations with one code", async () => {
			const email = "once@people.example";
			const code = await codeFor(service, email);
			const answers = await Promise.all(
				Array.from({ length: 20 }, (_, n) => register({ username: `once-${n}`, email, code })),
			);
			assert.equal(answers.filter(({ status }) => status === 201).length, 1);
			assert.equal(answers.filter(({ status }) => status === 400).length, 19);
		});

		it("takes the right code after four wrong ones", async () => {
			const email = "clumsy@people.example";
			const code = await codeFor(service, email);
			for (let wrong = 0; wrong < 4; wrong++)
				assert.equal((await register({ username: "clumsy", email, code: wrongCode(code) })).status, 400);
			assert.equal((await register({ username: "clumsy", email, code })).status, 201);
		});

		it("keeps tenants apart: the same name and address again, each with its own code", async () => {
			const { id, tokenOf } = await addSecondTenant(service);
			const headers = { "x-tenant-id": id };
			const email = "twin@people.example";
			const code = await codeFor(service, email);
			// An address is sent one code a minute, over all tenants.
			service.clock.advance(MINUTE_MS);
			await sendCode(service, email, headers);
			const otherCode = await mailedCode(service, email, 2);
			if (otherCode !== code)
				assert.equal((await register({ username: "twin", email, code }, headers)).status, 400);
			assert.equal((await register({ username: "twin", email, code })).status, 201);
			const answer = await register({ username: "twin", email, code: otherCode }, headers);
			assert.equal(answer.status, 201);
			assert.equal(answer.body.data.tenant_id, id);
			assert.ok(await tokenOf("twin", PASSWORD));
		});
	});

	describe("400", () => {
		const invalid: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
			["a username of 2 characters", { username: "ab" }, "username"],
			["a username of 65 characters", { username: "a".repeat(65) }, "username"],
			["a username that starts with a dot", { username: ".abc" }, "username"],
			["a username with a space", { username: "a bc" }, "username"],
			["a username with an @", { username: "ab@cd" }, "username"],
			["a username beyond ASCII", { username: "ádam" }, "username"],
			["a username that is no text", { username: 12345 }, "username"],
			["no username", { username: undefined }, "username"],
			["no e-mail", { email: undefined }, "email"],
			["an e-mail that is none", { email: "nobody" }, "email"],
			["no password", { password: undefined }, "password"],
			["an empty password", { password: "" }, "password"],
			["no code", { code: undefined }, "code"],
			["a code of five digits", { code: "12345" }, "code"],
			["a code of seven digits", { code: "1234567" }, "code"],
			["a code that is a number", { code: 123456 }, "code"],
			["a display name of 101 characters", { display_name: "é".repeat(101) }, "display_name"],
			["a display name with NUL", { display_name: "a\0b" }, "display_name"],
		];
		for (const [what, change, field] of invalid) {
			it(`refuses ${what}`, async () => {
				const body = { username: "somebody", email: "some@people.example", code: "123456", ...change };
				const answer = await register(body, PROBLEM);
				assert.equal(answer.status, 400);
				assert.equal(answer.body.code, "request.invalid");
				assert.deepEqual(
					answer.body.errors.map((error: { field: string }) => error.field),
					[field],
				);
			});
		}

		const unfit: readonly (readonly [string, string, string])[] = [
			["of 7 characters", "7 chars", "password.too_short"],
			["of 73 bytes", "x".repeat(73), "password.too_long"],
			["of 37 characters in 74 bytes", "é".repeat(37), "password.too_long"],
			["everybody has", "password1", "password.too_common"],
			["everybody has, in capitals", "PASSWORD1", "password.too_common"],
			["that is the username", "SomeBody.Else", "password.same_as_name"],
			["that is the e-mail", "Some@People.example", "password.same_as_name"],
			["with NUL", "nul \0 character", "request.invalid"],
		];
		for (const [what, password, code] of unfit) {
			it(`refuses a password ${what}, with any code`, async () => {
				const body = { username: "somebody.else", email: "some@people.example", code: "123456", password };
				const answer = await register(body, PROBLEM);
				assert.equal(answer.status, 400);
				assert.equal(answer.body.code, code);
				assert.equal(answer.body.errors[0]?.field, "password");
			});
		}

		it("refuses a wrong code, one for another address, and one never requested, with one message", async () => {
			const code = await codeFor(service, "right@people.example");
			const bodies = [
				{ email: "right@people.example", code: wrongCode(code) },
				{ email: "never-asked@people.example", code },
			];
			const answers = await Promise.all(
				bodies.map((body) => register({ username: "right", ...body }, PROBLEM)),
			);
			for (const answer of answers) {
				assert.equal(answer.status, 400);
				assert.equal(answer.body.code, "code.invalid");
				assert.equal(answer.body.detail, "code is wrong or expired");
				assert.equal(answer.body.errors[0]?.field, "code");
			}
		});

		it("refuses a code at ten minutes", async () => {
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

		it("refuses the code before a new one", async () => {
			const email = "again@people.example";
			const first = await codeFor(service, email);
			service.clock.advance(MINUTE_MS);
			await sendCode(service, email);
			const second = await mailedCode(service, email, 2);
			if (first !== second)
				assert.equal((await register({ username: "again", email, code: first })).status, 400);
			assert.equal((await register({ username: "again", email, code: second })).status, 201);
		});

		it("refuses even the right code after five wrong ones, also when they come at once", async () => {
			const email = "guessed@people.example";
			const code = await codeFor(service, email);
			const wrong = wrongCode(code);
			const answers = await Promise.all(
				Array.from({ length: 20 }, () => register({ username: "guessed", email, code: wrong })),
			);
			assert.deepEqual([...new Set(answers.map(({ status }) => status))], [400]);
			assert.equal((await register({ username: "guessed", email, code })).status, 400);
		});

		it("reveals a taken name or address only with the right code", async () => {
			const person = await addPerson(service, "secret-person");
			await sendCode(service, person.email);
			for (const email of [person.email, "fresh@people.example"]) {
				const answer = await register({ username: person.username, email, code: "123456" }, PROBLEM);
				assert.equal(answer.status, 400);
				assert.equal(answer.body.code, "code.invalid");
			}
		});
	});

	describe("404", () => {
		it("refuses a tenant that does not exist", async () => {
			const body = { username: "lost", email: "lost@people.example", code: "123456" };
			const headers = { "x-tenant-id": "01a1fbb8-cd8c-7000-a430-a692e481d229" };
			assert.equal((await register(body, headers)).status, 404);
		});
	});

	describe("409", () => {
		it("reports a taken username, ignoring case, and keeps the code valid for another", async () => {
			await addPerson(service, "popular");
			const email = "unpopular@people.example";
			const code = await codeFor(service, email);
			for (let times = 0; times < 6; times++) {
				const answer = await register({ username: "Popular", email, code }, PROBLEM);
				assert.equal(answer.status, 409);
				assert.equal(answer.body.code, "username.taken");
			}
			assert.equal((await register({ username: "unpopular", email, code })).status, 201);
		});

		it("says that an address was taken while its code was out, which uses the code up", async () => {
			const email = "late@people.example";
			const code = await codeFor(service, email);
			await addPerson(service, "early", { email });
			const answer = await register({ username: "late", email, code }, PROBLEM);
			assert.equal(answer.status, 409);
			assert.equal(answer.body.code, "email.taken");
			assert.equal((await register({ username: "late", email, code })).status, 400);
		});

		it("gives a username to one of two simultaneous requests", async () => {
			const emails = ["left@people.example", "right-hand@people.example"];
			const codes = await Promise.all(emails.map((email) => codeFor(service, email)));
			const answers = await Promise.all(
				emails.map((email, index) => register({ username: "wanted", email, code: codes[index] })),
			);
			assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
		});
	});
});
