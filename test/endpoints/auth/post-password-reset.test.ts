import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { MINUTE_MS, SECOND_MS } from "../../../src/kernel/clock.ts";
import { mailedToken } from "../../harness/access-requests.ts";
import { addPerson, auditOf, isAlive, lockPassword, signInAgain } from "../../harness/people.ts";
import { forgot, reset, resetTokenFor } from "../../harness/recovery.ts";
import {
	addPersonWithPasskey,
	addPersonWithTotp,
	enrolTotp,
	MFA,
	nextCode,
	passwordStep,
} from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const NEW = "a brand new password";
const PROBLEM = { accept: "application/problem+json" };

describe("POST /api/v1/auth/password/reset", () => {
	let service: TestService;
	before(async () => {
		// A trusted proxy lets each test be a client of its own.
		service = await startTestService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });
	});
	after(() => service.stop());

	const login = (username: string, password: string, ip = "198.51.100.1") =>
		service.call("POST", "/api/v1/auth/login", {
			body: { username, password },
			headers: { "x-forwarded-for": ip, "x-forwarded-proto": "https" },
		});

	describe("204", () => {
		it("sets the password, ends every session, notifies the owner, and does not sign in", async () => {
			const person = await addPerson(service, "ada");
			const second = await signInAgain(service, person);
			const answer = await reset(service, await resetTokenFor(service, person.email), NEW);
			assert.equal(answer.status, 204);
			assert.equal(answer.body, undefined);
			assert.equal(await isAlive(service, person.token), false);
			assert.equal(await isAlive(service, second), false);
			assert.equal((await login("ada", person.password)).status, 401);
			// Before the sign-in, which mails a notice of its own.
			const subjects = (await service.mailsTo(person.email, 2)).map(({ subject }) => subject);
			assert.deepEqual(subjects, ["Set a new password", "Your password was changed"]);
			const signedIn = await login("ada", NEW);
			assert.equal(signedIn.status, 200);
			assert.equal(signedIn.body.data.user.email_verified, true);
			const event = (await auditOf(service, `user:${person.id}`)).find(
				({ action }) => action === "user.password_reset",
			);
			assert.deepEqual(event?.details, { sessions_revoked: 2 });
		});

		it("forgets the guesses at the account from every address and by every name, and ends a lock", async () => {
			const person = await addPerson(service, "guessed");
			const addresses = ["198.51.100.11", "198.51.100.12", "2001:db8::1"];
			for (const ip of addresses)
				for (const name of [person.username, person.email])
					for (let guess = 0; guess < 6; guess++) await login(name, "not the password", ip);
			await lockPassword(service, person);
			assert.equal((await login("guessed", person.password, "198.51.100.13")).status, 401);
			assert.equal((await login("guessed", NEW, addresses[0])).status, 429);
			assert.equal((await reset(service, await resetTokenFor(service, person.email), NEW)).status, 204);
			for (const ip of addresses)
				for (const name of [person.username, person.email])
					assert.equal((await login(name, NEW, ip)).status, 200, `${name} from ${ip}`);
		});

		it("keeps the link valid when the password is refused", async () => {
			const person = await addPerson(service, "careful");
			const token = await resetTokenFor(service, person.email);
			for (const bad of ["short", "password", person.username, person.email, "é".repeat(37)])
				assert.equal((await reset(service, token, bad)).status, 400, bad);
			assert.equal((await reset(service, token, NEW)).status, 204);
		});

		it("removes the sign-in methods of a sign-up under an unproved address, and none added later", async () => {
			const person = await addPersonWithPasskey(service, "squatted");
			const engine = await service.openDatabase();
			await enrolTotp(service, person);
			await engine.queries.run("UPDATE users SET password_hash = '' WHERE id = $1", person.id);
			await engine.close();
			const path = `/api/v1/users/${person.id}/third-party-accounts` as const;
			const token = await service.adminToken();
			const linked = async (provider_user_id: string): Promise<number> => {
				await service.call("POST", path, { token, body: { provider: "github", provider_user_id } });
				return (await service.call("GET", path, { token })).body.total;
			};
			assert.equal(await linked("squatter"), 1);
			await reset(service, await resetTokenFor(service, person.email), NEW);
			assert.equal(await linked("owner"), 1);
			service.clock.advance(2 * MINUTE_MS);
			await reset(service, await resetTokenFor(service, person.email), `${NEW} again`);
			assert.equal(await linked("another"), 2);
			const [event] = (await auditOf(service, `user:${person.id}`)).filter(
				({ action }) => action === "user.password_reset",
			);
			assert.deepEqual(event?.details, {
				sessions_revoked: 1,
				third_party_accounts_unlinked: 1,
				passkeys_removed: 1,
			});
			const { body } = await service.call("GET", `/api/v1/users/${person.id}`, { token });
			assert.equal(body.data.mfa_enabled, false);
		});

		it("leaves second factors as they are, and ends sign-ins that wait for one", async () => {
			const person = await addPersonWithTotp(service, "factored");
			const mfaToken = await passwordStep(service, person);
			assert.equal((await reset(service, await resetTokenFor(service, person.email), NEW)).status, 204);
			const body = { mfa_token: mfaToken, method: "totp", code: nextCode(service, person.secret) };
			assert.equal((await service.call("POST", MFA, { body })).status, 401);
			const again = await passwordStep(service, { ...person, password: NEW });
			const right = { mfa_token: again, method: "totp", code: nextCode(service, person.secret) };
			assert.equal((await service.call("POST", MFA, { body: right })).status, 200);
		});

		it("gives a password to an account that never had one", async () => {
			const person = await addPerson(service, "without");
			const engine = await service.openDatabase();
			await engine.queries.run("UPDATE users SET password_hash = '' WHERE id = $1", person.id);
			await engine.close();
			assert.equal((await reset(service, await resetTokenFor(service, person.email), NEW)).status, 204);
			assert.equal((await login("without", NEW)).status, 200);
		});
	});

	describe("400", () => {
		it("names the rule that a password breaks", async () => {
			const person = await addPerson(service, "ruled");
			const token = await resetTokenFor(service, person.email);
			const cases = [
				["short", "password.too_short"],
				["a".repeat(73), "password.too_long"],
				["password123", "password.too_common"],
				[person.email, "password.same_as_name"],
				["a\0bcdefgh", "request.invalid"],
			];
			for (const [password = "", code] of cases) {
				const answer = await reset(service, token, password, PROBLEM);
				assert.equal(answer.status, 400, password);
				assert.equal(answer.body.code, code);
				assert.equal(answer.body.errors[0]?.field, "new_password");
			}
		});

		it("refuses a body without its fields", async () => {
			assert.equal((await reset(service, undefined, NEW)).status, 400);
			assert.equal((await reset(service, "token", undefined)).status, 400);
			assert.equal((await reset(service, "t".repeat(513), NEW)).status, 400);
		});
	});

	describe("404", () => {
		it("answers alike for a token that is unknown, malformed, used, replaced or expired", async () => {
			const [used, replaced, expired] = await Promise.all([
				addPerson(service, "used"),
				addPerson(service, "replaced"),
				addPerson(service, "expired"),
			]);
			const usedToken = await resetTokenFor(service, used.email);
			assert.equal((await reset(service, usedToken, NEW)).status, 204);
			const replacedToken = await resetTokenFor(service, replaced.email);
			service.clock.advance(MINUTE_MS);
			await resetTokenFor(service, replaced.email, 2);
			const expiredToken = await resetTokenFor(service, expired.email);
			service.clock.advance(60 * MINUTE_MS);
			const tokens = ["none", "A".repeat(43), usedToken, replacedToken, expiredToken];
			const answers = await Promise.all(tokens.map((token) => reset(service, token, NEW, PROBLEM)));
			for (const { status, body } of answers) {
				assert.equal(status, 404);
				assert.equal(body.code, "reset.not_found");
			}
			assert.equal((await login("expired", expired.password)).status, 200);
		});

		it("lets a link live for an hour less a moment", async () => {
			const person = await addPerson(service, "punctual");
			const token = await resetTokenFor(service, person.email);
			service.clock.advance(60 * MINUTE_MS - 10 * SECOND_MS);
			assert.equal((await reset(service, token, NEW)).status, 204);
		});

		it("accepts one of twenty simultaneous uses", async () => {
			const person = await addPerson(service, "raced");
			const token = await resetTokenFor(service, person.email);
			const answers = await Promise.all(
				Array.from({ length: 20 }, (_, index) => reset(service, token, `${NEW} ${index}`)),
			);
			const statuses = answers.map(({ status }) => status);
			assert.deepEqual(statuses.filter((status) => status === 204).length, 1, statuses.join());
			assert.ok(statuses.every((status) => status === 204 || status === 404 || status === 503));
		});

		it("refuses the link of an account that was disabled, or whose address is another by now", async () => {
			const [disabled, moved] = await Promise.all([
				addPerson(service, "later-disabled"),
				addPerson(service, "later-moved"),
			]);
			const tokens = [
				await resetTokenFor(service, disabled.email),
				await resetTokenFor(service, moved.email),
			];
			const token = await service.adminToken();
			const patch = (id: string, body: unknown) =>
				service.call("PATCH", `/api/v1/users/${id}`, { token, body });
			assert.equal((await patch(disabled.id, { status: "disabled" })).status, 200);
			assert.equal((await patch(moved.id, { email: "elsewhere@people.example" })).status, 200);
			for (const each of tokens) assert.equal((await reset(service, each, NEW)).status, 404);
		});

		it("uses up a link to one page for nothing else", async () => {
			const person = await addPerson(service, "mixed-up");
			await forgot(service, person.email);
			const token = await mailedToken(service, person.email, "reset");
			const restored = await service.call("POST", "/api/v1/auth/email/restore", { body: { token } });
			assert.equal(restored.status, 404);
			assert.equal((await reset(service, token, NEW)).status, 204);
		});
	});
});
