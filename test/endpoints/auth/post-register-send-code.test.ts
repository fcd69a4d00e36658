import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { HOUR_MS, MINUTE_MS } from "../../../src/kernel/clock.ts";
import { addPerson } from "../../harness/people.ts";
import { mailedCode, sendCode } from "../../harness/registration.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/auth/register/send-code";

describe("POST /api/v1/auth/register/send-code", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	describe("200", () => {
		it("mails six digits and says how long they last", async () => {
			const answer = await sendCode(service, "new@people.example");
			assert.equal(answer.status, 200);
			assert.deepEqual(answer.body, { data: { expires_in: 600, resend_after: 60 } });
			assert.match(await mailedCode(service, "new@people.example"), /^[0-9]{6}$/);
		});

		it("answers the same for an address that has an account, and mails its owner that it exists", async () => {
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
			assert.equal(mail?.subject, "您的注册验证码");
		});

		it("takes one address however it is written, and a fresh code for it after a minute", async () => {
			assert.equal((await sendCode(service, " Mixed@People.Example ")).status, 200);
			assert.equal((await sendCode(service, "mixed@people.example")).status, 429);
			service.clock.advance(MINUTE_MS);
			assert.equal((await sendCode(service, "MIXED@people.example")).status, 200);
			assert.equal((await service.mailsTo("mixed@people.example", 2)).length, 2);
		});
	});

	describe("400", () => {
		for (const email of [
			"",
			"a",
			"a@b@c.example",
			"a b@c.example",
			"ä@b.example",
			"a@b,c@d",
			7,
			null,
			["a@b.example"],
		]) {
			it(`refuses ${JSON.stringify(email)} as an address`, async () => {
				const answer = await service.call("POST", PATH, { body: { email } });
				assert.equal(answer.status, 400);
				assert.match(answer.body.error, /^email /);
			});
		}

		it("takes an address of 254 characters and refuses one of 255", async () => {
			const local = "a".repeat(64);
			const address = (length: number) => `${local}@${"b.".repeat(90)}${"c".repeat(length - 245)}`;
			assert.equal(address(254).length, 254);
			assert.equal((await service.call("POST", PATH, { body: { email: address(254) } })).status, 200);
			assert.equal((await service.call("POST", PATH, { body: { email: address(255) } })).status, 400);
		});

		it("refuses a body that is missing, broken or no object", async () => {
			assert.equal((await service.call("POST", PATH)).status, 400);
			for (const body of ["{", "[]", '"a@b.example"', "null"])
				assert.equal((await service.call("POST", PATH, { body })).status, 400, body);
		});
	});

	describe("404", () => {
		for (const tenant of ["01a1fbb8-cd8c-7000-a430-a692e481d229", "default", ""]) {
			it(`refuses the tenant ${JSON.stringify(tenant)}`, async () => {
				const answer = await sendCode(service, "lost@people.example", { "x-tenant-id": tenant });
				assert.equal(answer.status, 404);
				assert.equal((await service.mailsTo("lost@people.example", 0)).length, 0);
			});
		}
	});

	describe("429", () => {
		it("refuses a second code within a minute, for taken and free addresses alike", async () => {
			const person = await addPerson(service, "eager");
			for (const email of [person.email, "eager-free@people.example"]) {
				assert.equal((await sendCode(service, email)).status, 200);
				service.clock.advance(20_000);
				const refused = await sendCode(service, email);
				assert.equal(refused.status, 429);
				const wait = Number(refused.headers["retry-after"]);
				assert.ok(wait >= 38 && wait <= 40, `Retry-After ${wait}`);
				assert.equal(refused.headers["ratelimit-limit"], "1");
				assert.equal(refused.headers["ratelimit-remaining"], "0");
				assert.equal(refused.headers["ratelimit-reset"], String(wait));
			}
		});

		it("refuses the sixth within an hour, for taken and free addresses alike", async () => {
			const person = await addPerson(service, "persistent");
			for (const email of [person.email, "persistent-free@people.example"]) {
				for (let sent = 0; sent < 5; sent++) {
					assert.equal((await sendCode(service, email)).status, 200);
					service.clock.advance(MINUTE_MS);
				}
				const refused = await sendCode(service, email);
				assert.equal(refused.status, 429);
				const wait = Number(refused.headers["retry-after"]);
				assert.ok(wait > 54 * 60 && wait <= 55 * 60, `Retry-After ${wait}`);
				service.clock.advance(HOUR_MS - 5 * MINUTE_MS);
				assert.equal((await sendCode(service, email)).status, 200);
			}
		});

		it("sends one of twenty at once", async () => {
			const answers = await Promise.all(
				Array.from({ length: 20 }, () => sendCode(service, "flood@people.example")),
			);
			assert.equal(answers.filter(({ status }) => status === 200).length, 1);
			assert.equal(answers.filter(({ status }) => status === 429).length, 19);
			assert.equal((await service.mailsTo("flood@people.example")).length, 1);
		});
	});
});
