import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { HOUR_MS, MINUTE_MS } from "../../../src/kernel/clock.ts";
import { addPerson, auditOf, signInToApplication, takePasswordAway } from "../../harness/people.ts";
import { askToMove, confirmMove } from "../../harness/recovery.ts";
import { mailedCode } from "../../harness/registration.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("POST /api/v1/users/me/email", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	describe("200", () => {
		it("mails a code to the new address, and changes nothing yet", async () => {
			const person = await addPerson(service, "ada");
			const answer = await askToMove(service, person, " Ada@New.Example ");
			assert.equal(answer.status, 200);
			assert.deepEqual(answer.body, { data: { expires_in: 600, resend_after: 60 } });
			assert.match(await mailedCode(service, "ada@new.example"), /^[0-9]{6}$/);
			const me = await service.call("GET", "/api/v1/users/me", { token: person.token });
			assert.equal(me.body.data.email, person.email);
			const actions = (await auditOf(service, `user:${person.id}`)).map(({ action }) => action);
			assert.equal(actions.at(-1), "user.email_change_requested");
		});

		it("answers the same for an address that has an account, and mails its owner that it exists", async () => {
			const [person, owner] = await Promise.all([addPerson(service, "mover"), addPerson(service, "owner")]);
			const taken = await askToMove(service, person, owner.email);
			service.clock.advance(MINUTE_MS);
			const free = await askToMove(service, person, "mover@new.example");
			assert.equal(taken.status, free.status);
			assert.deepEqual(taken.body, free.body);
			const [mail] = await service.mailsTo(owner.email);
			assert.equal(mail?.subject, "Your e-mail address already has an account");
			assert.doesNotMatch(mail?.text ?? "", /\b[0-9]{6}\b/);
		});

		it("refuses a user without a password whose address is proved: they set one by mail", async () => {
			const { id, token } = await addPerson(service, "proved", { email_verified: true });
			const engine = await service.openDatabase();
			await engine.queries.run("UPDATE users SET password_hash = '' WHERE id = $1", id);
			await engine.close();
			const body = { email: "thief@new.example" };
			const answer = await service.call("POST", "/api/v1/users/me/email", { token, body });
			assert.deepEqual([answer.status, answer.body.error], [400, "current_password is required"]);
		});

		it("accepts a recent sign-in only from a user without a password", async () => {
			const [without, having] = await Promise.all([
				addPerson(service, "without"),
				addPerson(service, "having"),
			]);
			const engine = await service.openDatabase();
			await engine.queries.run("UPDATE users SET password_hash = '' WHERE id = $1", without.id);
			await engine.close();
			const ask = ({ token }: { readonly token: string }, email: string) =>
				service.call("POST", "/api/v1/users/me/email", { token, body: { email } });
			assert.equal((await ask(having, "having@new.example")).status, 400);
			assert.equal((await ask(without, "without@new.example")).status, 200);
			service.clock.advance(6 * MINUTE_MS);
			const late = await ask(without, "without@new.example");
			assert.equal(late.status, 400);
			assert.match(late.body.error, /^current_password is required: the account has none, so sign in again/);
		});

		it("accepts a code only for its purpose: not for another user's move, not for a registration", async () => {
			const [one, two] = await Promise.all([addPerson(service, "one"), addPerson(service, "two")]);
			const address = "contested@new.example";
			assert.equal((await askToMove(service, one, address)).status, 200);
			const code = await mailedCode(service, address);
			assert.equal((await confirmMove(service, two, address, code)).status, 400);
			const body = { username: "contested", email: address, password: "a long password here", code };
			assert.equal((await service.call("POST", "/api/v1/auth/register", { body })).status, 400);
			// No other user has used up its tries or replaced it.
			for (let guess = 0; guess < 6; guess++) await confirmMove(service, two, address, "000000");
			assert.equal((await confirmMove(service, one, address, code)).status, 200);
		});
	});

	describe("400", () => {
		it("refuses a wrong current password, and mails nothing", async () => {
			const person = await addPerson(service, "wrong");
			const answer = await askToMove(service, person, "wrong@new.example", "not the password");
			assert.equal(answer.status, 400);
			assert.equal(answer.body.code, "password.wrong");
			assert.deepEqual(await service.mailsTo("wrong@new.example", 0), []);
			const actions = (await auditOf(service, `user:${person.id}`)).map(({ action }) => action);
			assert.equal(actions.at(-1), "user.email_change_refused");
		});

		it("refuses the address the account has, and what is no address", async () => {
			const person = await addPerson(service, "same");
			for (const email of [person.email, person.email.toUpperCase(), "a", "a@b@c.example", 7, undefined]) {
				const answer = await askToMove(service, person, email);
				assert.equal(answer.status, 400, String(email));
				assert.equal(answer.body.errors[0]?.field, "email");
			}
		});
	});

	describe("401", () => {
		it("requires an access token", async () => {
			const body = { email: "new@new.example", current_password: "whatever" };
			assert.equal((await service.call("POST", "/api/v1/users/me/email", { body })).status, 401);
		});
	});

	describe("403", () => {
		it("refuses an application's token without the password", async () => {
			const person = await addPerson(service, "held");
			const token = await signInToApplication(service, person);
			await takePasswordAway(service, person.id);
			const body = { email: "held@new.example" };
			const answer = await service.call("POST", "/api/v1/users/me/email", { token, body });
			assert.equal(answer.status, 403);
		});
	});

	describe("429", () => {
		it("sends one code a minute and five an hour to an address, over all users, and counts no wrong password for it", async () => {
			const people = await Promise.all([addPerson(service, "first"), addPerson(service, "second")]);
			const address = "flooded@new.example";
			const ask = (turn: number) => askToMove(service, people[turn % 2] as (typeof people)[0], address);
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
			assert.equal((await askToMove(service, again, address)).status, 200);
		});

		it("makes a guesser of the password wait", async () => {
			const person = await addPerson(service, "guesser");
			for (let guess = 0; guess < 5; guess++)
				assert.equal((await askToMove(service, person, "g@new.example", `guess ${guess}`)).status, 400);
			const refused = await askToMove(service, person, "g@new.example");
			assert.equal(refused.status, 429);
			assert.equal(refused.body.code, "login.too_many");
		});
	});
});
