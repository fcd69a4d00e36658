import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HOUR_MS, MINUTE_MS } from "../../../src/kernel/clock.ts";
import { mailedLinks } from "../../harness/access/access-requests.ts";
import { addPerson, auditOf, isAlive, removePassword, signInAgain } from "../../harness/people/people.ts";
import {
	confirmEmailChange,
	moveTo,
	requestEmailChange,
	reset,
	resetTokenFor,
} from "../../harness/people/recovery.ts";
import { mailedCode, wrongCode } from "../../harness/people/registration.ts";
import { testService } from "../../harness/runs/fixture.ts";

// The clock is stopped: codes and limits expire only when a test advances it.
const service = testService(() => ({ atMs: Date.now() }));

describe("POST /api/v1/users/me/email", () => {
	describe("200", () => {
		it("mails a code to the new address, and keeps the current one", async () => {
			const person = await addPerson(service, "ada");
			const response = await requestEmailChange(service, person, " Ada@New.Example ");
			assert.equal(response.status, 200);
			assert.deepEqual(response.body, { data: { expires_in: 600, resend_after: 60 } });
			assert.match(await mailedCode(service, "ada@new.example"), /^[0-9]{6}$/);
			const me = await service.call("GET", "/api/v1/users/me", { token: person.token });
			assert.equal(me.body.data.email, person.email);
			const actions = (await auditOf(service, `user:${person.id}`)).map(({ action }) => action);
			assert.equal(actions.at(-1), "user.email_change_requested");
		});

		it("returns the same for an address that has an account, and mails its owner", async () => {
			const [person, owner] = await Promise.all([addPerson(service, "mover"), addPerson(service, "owner")]);
			const taken = await requestEmailChange(service, person, owner.email);
			service.clock.advance(MINUTE_MS);
			const free = await requestEmailChange(service, person, "mover@new.example");
			assert.equal(taken.status, free.status);
			assert.deepEqual(taken.body, free.body);
			const [mail] = await service.mailsTo(owner.email);
			assert.equal(mail?.subject, "Your email address already has an account");
			assert.doesNotMatch(mail?.text ?? "", /\b[0-9]{6}\b/);
		});

		it("rejects a user without a password whose address is verified", async () => {
			const { id, token } = await addPerson(service, "proved", { email_verified: true });
			// They can set a password by mail.
			await removePassword(service, id);
			const body = { email: "thief@new.example" };
			const response = await service.call("POST", "/api/v1/users/me/email", { token, body });
			assert.deepEqual([response.status, response.body.error], [400, "current_password is required"]);
		});

		it("accepts a recent sign-in only from a user without a password", async () => {
			const [without, having] = await Promise.all([
				addPerson(service, "without"),
				addPerson(service, "having"),
			]);
			await removePassword(service, without.id);
			const ask = ({ token }: { readonly token: string }, email: string) =>
				service.call("POST", "/api/v1/users/me/email", { token, body: { email } });
			assert.equal((await ask(having, "having@new.example")).status, 400);
			assert.equal((await ask(without, "without@new.example")).status, 200);
			service.clock.advance(6 * MINUTE_MS);
			const late = await ask(without, "without@new.example");
			assert.equal(late.status, 400);
			assert.match(
				late.body.error,
				/^current_password cannot be checked: the account has no password; sign in again/,
			);
		});

		it("accepts a code neither for another user nor for a registration", async () => {
			const [one, two] = await Promise.all([addPerson(service, "one"), addPerson(service, "two")]);
			const address = "contested@new.example";
			assert.equal((await requestEmailChange(service, one, address)).status, 200);
			const code = await mailedCode(service, address);
			assert.equal((await confirmEmailChange(service, two, address, code)).status, 400);
			const body = { username: "contested", email: address, password: "a long password here", code };
			assert.equal((await service.call("POST", "/api/v1/auth/register", { body })).status, 400);
			// Attempts of another user neither count against the code nor replace it.
			for (let guess = 0; guess < 6; guess++) await confirmEmailChange(service, two, address, "000000");
			assert.equal((await confirmEmailChange(service, one, address, code)).status, 200);
		});
	});

	describe("400", () => {
		it("rejects a wrong current password, and mails nothing", async () => {
			const person = await addPerson(service, "wrong");
			const response = await requestEmailChange(service, person, "wrong@new.example", "not the password");
			assert.equal(response.status, 400);
			assert.equal(response.body.code, "password.wrong");
			const actions = (await auditOf(service, `user:${person.id}`)).map(({ action }) => action);
			assert.equal(actions.at(-1), "user.email_change_refused");
			await requestEmailChange(service, person, "right@new.example");
			await mailedCode(service, "right@new.example");
			assert.deepEqual(await service.mailsTo("wrong@new.example", 0), []);
		});

		it("rejects the current address, and values that are not an address", async () => {
			const person = await addPerson(service, "same");
			for (const email of [person.email, person.email.toUpperCase(), "a", "a@b@c.example", 7, undefined]) {
				const response = await requestEmailChange(service, person, email);
				assert.equal(response.status, 400, String(email));
				assert.equal(response.body.errors[0]?.field, "email");
			}
		});
	});

	describe("429", () => {
		it("sends one code a minute and five an hour to an address, for all users together", async () => {
			const people = await Promise.all([addPerson(service, "first"), addPerson(service, "second")]);
			const address = "flooded@new.example";
			const ask = (turn: number) =>
				requestEmailChange(service, people[turn % 2] as (typeof people)[0], address);
			for (let sent = 0; sent < 5; sent++) {
				assert.equal((await ask(sent)).status, 200);
				const refused = await ask(sent + 1);
				assert.equal(refused.status, 429);
				assert.equal(refused.body.code, "code.too_many");
				assert.ok(Number(refused.headers["retry-after"]) >= 1);
				service.clock.advance(MINUTE_MS);
			}
			for (let more = 0; more < 6; more++) assert.equal((await ask(0)).body.code, "code.too_many");
			assert.equal((await service.mailsTo(address, 5)).length, 5);
			service.clock.advance(HOUR_MS);
			const again = {
				...(people[0] as (typeof people)[0]),
				token: await service.tokenOf("first", people[0]?.password ?? ""),
			};
			assert.equal((await requestEmailChange(service, again, address)).status, 200);
		});

		it("rejects further passwords after five wrong ones", async () => {
			const person = await addPerson(service, "guesser");
			for (let guess = 0; guess < 5; guess++)
				assert.equal(
					(await requestEmailChange(service, person, "g@new.example", `guess ${guess}`)).status,
					400,
				);
			const refused = await requestEmailChange(service, person, "g@new.example");
			assert.equal(refused.status, 429);
			assert.equal(refused.body.code, "login.too_many");
		});
	});
});

describe("POST /api/v1/users/me/email/confirm", () => {
	describe("200", () => {
		it("changes the address, keeps this session, ends the others, and mails the old address a link to restore it", async () => {
			const person = await addPerson(service, "abe", { email_verified: true });
			const other = await signInAgain(service, person);
			await requestEmailChange(service, person, "abe@new.example");
			const code = await mailedCode(service, "abe@new.example");
			const response = await confirmEmailChange(service, person, "ABE@new.example", code);
			assert.equal(response.status, 200);
			assert.equal(response.body.data.email, "abe@new.example");
			assert.equal(response.body.data.email_verified, true);
			assert.equal(await isAlive(service, person.token), true);
			assert.equal(await isAlive(service, other), false);
			const [mail] = await service.mailsTo(person.email);
			assert.equal(mail?.subject, "Your email address was changed");
			assert.doesNotMatch(mail?.text ?? "", /new\.example/);
			assert.equal((await mailedLinks(service, person.email, "restore-email")).length, 1);
			const event = (await auditOf(service, `user:${person.id}`)).at(-1);
			assert.equal(event?.action, "user.email_changed");
			assert.deepEqual(event?.details, { sessions_revoked: 1 });
		});

		it("notifies an unverified old address, without a link", async () => {
			const person = await addPerson(service, "unproved");
			await moveTo(service, person, "unproved@new.example");
			const [mail] = await service.mailsTo(person.email);
			assert.equal(mail?.subject, "Your email address was changed");
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
		it("rejects the correct code after five wrong ones", async () => {
			const person = await addPerson(service, "ann");
			const email = "ann@new.example";
			await requestEmailChange(service, person, email);
			const code = await mailedCode(service, email);
			const guesses = await Promise.all(
				Array.from({ length: 20 }, () => confirmEmailChange(service, person, email, wrongCode(code))),
			);
			assert.ok(guesses.every(({ status, body }) => status === 400 && body.code === "code.invalid"));
			assert.equal((await confirmEmailChange(service, person, email, code)).status, 400);
			const refused = (await auditOf(service, `user:${person.id}`)).filter(
				({ action }) => action === "user.email_code_refused",
			);
			assert.equal(refused.length, 5);
		});

		it("rejects a code that is used, replaced, ten minutes old, or for another address", async () => {
			const person = await addPerson(service, "late");
			await requestEmailChange(service, person, "late@new.example");
			const code = await mailedCode(service, "late@new.example");
			assert.equal((await confirmEmailChange(service, person, "later@new.example", code)).status, 400);
			service.clock.advance(MINUTE_MS);
			await requestEmailChange(service, person, "late@new.example");
			const second = await mailedCode(service, "late@new.example", 2);
			if (second !== code)
				assert.equal((await confirmEmailChange(service, person, "late@new.example", code)).status, 400);
			assert.equal((await confirmEmailChange(service, person, "late@new.example", second)).status, 200);
			assert.equal((await confirmEmailChange(service, person, "late@new.example", second)).status, 400);
			service.clock.advance(MINUTE_MS);
			await requestEmailChange(service, person, "slow@new.example");
			const slow = await mailedCode(service, "slow@new.example");
			service.clock.advance(10 * MINUTE_MS);
			assert.equal((await confirmEmailChange(service, person, "slow@new.example", slow)).status, 400);
		});
	});

	describe("409", () => {
		it("reports an address that was taken in the meantime, after a right code only", async () => {
			const person = await addPerson(service, "slower");
			const email = "wanted@new.example";
			await requestEmailChange(service, person, email);
			const code = await mailedCode(service, email);
			await addPerson(service, "faster", { email });
			assert.equal((await confirmEmailChange(service, person, email, wrongCode(code))).status, 400);
			const response = await confirmEmailChange(service, person, email, code);
			assert.equal(response.status, 409);
			assert.equal(response.body.code, "email.taken");
		});
	});
});
