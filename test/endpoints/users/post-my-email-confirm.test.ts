import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import { mailedLinks } from "../../harness/access-requests.ts";
import { addPerson, auditOf, isAlive, signInAgain } from "../../harness/people.ts";
import { askToMove, confirmMove, moveTo, reset, resetTokenFor } from "../../harness/recovery.ts";
import { mailedCode, wrongCode } from "../../harness/registration.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("POST /api/v1/users/me/email/confirm", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	describe("200", () => {
		it("moves the account, keeps this session, ends the others, and mails the old address a link back", async () => {
			const person = await addPerson(service, "ada", { email_verified: true });
			const other = await signInAgain(service, person);
			await askToMove(service, person, "ada@new.example");
			const code = await mailedCode(service, "ada@new.example");
			const answer = await confirmMove(service, person, "ADA@new.example", code);
			assert.equal(answer.status, 200);
			assert.equal(answer.body.data.email, "ada@new.example");
			assert.equal(answer.body.data.email_verified, true);
			assert.equal(await isAlive(service, person.token), true);
			assert.equal(await isAlive(service, other), false);
			const [mail] = await service.mailsTo(person.email);
			assert.equal(mail?.subject, "The e-mail address of your account was changed");
			assert.doesNotMatch(mail?.text ?? "", /new\.example/);
			assert.equal((await mailedLinks(service, person.email, "restore-email")).length, 1);
			const event = (await auditOf(service, `user:${person.id}`)).at(-1);
			assert.equal(event?.action, "user.email_changed");
			assert.deepEqual(event?.details, { sessions_revoked: 1 });
		});

		it("notifies an unproved old address, without a link to the account", async () => {
			const person = await addPerson(service, "unproved");
			await moveTo(service, person, "unproved@new.example");
			const [mail] = await service.mailsTo(person.email);
			assert.equal(mail?.subject, "The e-mail address of your account was changed");
			assert.doesNotMatch(mail?.text ?? "", /restore-email/);
		});

		it("revokes the password link mailed to the old address", async () => {
			const person = await addPerson(service, "linked");
			const token = await resetTokenFor(service, person.email);
			await moveTo(service, person, "linked@new.example");
			assert.equal((await reset(service, token, "a brand new password")).status, 404);
		});
	});

	describe("400", () => {
		it("takes five wrong codes and then not even the right one", async () => {
			const person = await addPerson(service, "guesser");
			const email = "guesser@new.example";
			await askToMove(service, person, email);
			const code = await mailedCode(service, email);
			const guesses = await Promise.all(
				Array.from({ length: 20 }, () => confirmMove(service, person, email, wrongCode(code))),
			);
			assert.ok(guesses.every(({ status, body }) => status === 400 && body.code === "code.invalid"));
			assert.equal((await confirmMove(service, person, email, code)).status, 400);
			const refused = (await auditOf(service, `user:${person.id}`)).filter(
				({ action }) => action === "user.email_code_refused",
			);
			assert.equal(refused.length, 5);
		});

		it("refuses a code that is used, replaced, ten minutes old, or for another address", async () => {
			const person = await addPerson(service, "late");
			await askToMove(service, person, "late@new.example");
			const code = await mailedCode(service, "late@new.example");
			assert.equal((await confirmMove(service, person, "later@new.example", code)).status, 400);
			service.clock.advance(MINUTE_MS);
			await askToMove(service, person, "late@new.example");
			const second = await mailedCode(service, "late@new.example", 2);
			if (second !== code)
				assert.equal((await confirmMove(service, person, "late@new.example", code)).status, 400);
			assert.equal((await confirmMove(service, person, "late@new.example", second)).status, 200);
			assert.equal((await confirmMove(service, person, "late@new.example", second)).status, 400);
			service.clock.advance(MINUTE_MS);
			await askToMove(service, person, "slow@new.example");
			const slow = await mailedCode(service, "slow@new.example");
			service.clock.advance(10 * MINUTE_MS);
			assert.equal((await confirmMove(service, person, "slow@new.example", slow)).status, 400);
		});

		it("refuses a malformed code", async () => {
			const person = await addPerson(service, "typist");
			for (const code of ["12345", "1234567", "abcdef", 123456, undefined])
				assert.equal((await confirmMove(service, person, "typist@new.example", code)).status, 400);
		});
	});

	describe("401", () => {
		it("requires an access token", async () => {
			const body = { email: "new@new.example", code: "123456" };
			assert.equal((await service.call("POST", "/api/v1/users/me/email/confirm", { body })).status, 401);
		});
	});

	describe("409", () => {
		it("reports a meanwhile taken address after a right code only", async () => {
			const person = await addPerson(service, "slower");
			const email = "wanted@new.example";
			await askToMove(service, person, email);
			const code = await mailedCode(service, email);
			await addPerson(service, "faster", { email });
			assert.equal((await confirmMove(service, person, email, wrongCode(code))).status, 400);
			const answer = await confirmMove(service, person, email, code);
			assert.equal(answer.status, 409);
			assert.equal(answer.body.code, "email.taken");
		});
	});
});
