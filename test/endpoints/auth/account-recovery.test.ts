// The links with which owners recover an account: after a forgotten password or a changed email address.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/kernel/clock.ts";
import { mailedLinks, mailedToken, rows } from "../../harness/access/access-requests.ts";
import {
	addPerson,
	auditOf,
	isAlive,
	lockPassword,
	type Person,
	removePassword,
	signInAgain,
} from "../../harness/people/people.ts";
import { forgot, moveTo, reset, resetTokenFor } from "../../harness/people/recovery.ts";
import {
	addPersonWithPasskey,
	addPersonWithTotp,
	enrollPasskey,
	enrollTotp,
	MFA,
	nextCode,
	PASSKEY_SIGN_IN,
	passkeyOptions,
	passwordStep,
} from "../../harness/people/second-factors.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { testService } from "../../harness/runs/fixture.ts";

const RESTORE = "/api/v1/auth/email/restore";
const NEW = "a brand new password";
const PROBLEM = { accept: "application/problem+json" };

const service = testService(() => ({
	// Behind a trusted proxy, each test can use its own IP address.
	env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" },
	// With a stopped clock, lifetimes are exact and no code expires between two calls.
	atMs: Date.now(),
}));

describe("POST /api/v1/auth/password/forgot", () => {
	describe("202", () => {
		it("mails the owner a link below the public URL, regardless of the Host header", async () => {
			const person = await addPerson(service, "ada");
			const headers = {
				host: "evil.example",
				"x-forwarded-host": "evil.example",
				forwarded: "host=evil.example",
			};
			const response = await forgot(service, ` ${person.email.toUpperCase()} `, headers);
			assert.equal(response.status, 202);
			assert.equal(response.body, undefined);
			const [link = ""] = await mailedLinks(service, person.email, "reset");
			assert.match(link, /^https:\/\/localhost:8443\/reset#[A-Za-z0-9_-]{43}$/);
			const [mail] = await service.mailsTo(person.email);
			assert.equal(mail?.subject, "Set a new password");
			assert.doesNotMatch(JSON.stringify(mail), /evil\.example/);
			const [event] = (await auditOf(service, `user:${person.id}`)).slice(-1);
			assert.deepEqual([event?.actor, event?.action], ["anonymous", "user.password_reset_requested"]);
		});

		it("stores a digest of the token, never the token", async () => {
			const person = await addPerson(service, "hashed");
			await forgot(service, person.email);
			const [link = ""] = await mailedLinks(service, person.email, "reset");
			const stored = await rows<{ digest: string }>(
				service,
				"SELECT digest FROM recovery_links WHERE user_id = $1",
				person.id,
			);
			assert.equal(stored.length, 1);
			assert.notEqual(stored[0]?.digest, link.split("#")[1]);
		});

		it("responds and writes the same for an unknown address, and sends no mail", async () => {
			const person = await addPerson(service, "known");
			const counts = async () => {
				const tables = ["recovery_links", "mail_outbox", "audit_events", "address_mails"];
				const found = await Promise.all(
					tables.map((table) => rows<{ total: number }>(service, `SELECT count(*) AS total FROM ${table}`)),
				);
				return found.map(([row]) => row?.total ?? 0);
			};
			const written = async (email: string) => {
				const before = await counts();
				const response = await forgot(service, email);
				return { response, rows: (await counts()).map((total, index) => total - (before[index] ?? 0)) };
			};
			const known = await written(person.email);
			const unknown = await written("nobody@people.example");
			assert.equal(unknown.response.status, known.response.status);
			assert.equal(unknown.response.body, known.response.body);
			assert.deepEqual(
				Object.keys(unknown.response.headers).sort(),
				Object.keys(known.response.headers).sort(),
			);
			assert.deepEqual(unknown.rows, known.rows);
			assert.deepEqual(known.rows, [1, 1, 1, 1]);
			await mailedLinks(service, person.email, "reset");
			assert.deepEqual(await service.mailsTo("nobody@people.example", 0), []);
		});

		it("sends no mail for a disabled account", async () => {
			const person = await addPerson(service, "disabled");
			await service.asAdmin("PATCH", `/api/v1/users/${person.id}`, { status: "disabled" });
			assert.equal((await forgot(service, person.email)).status, 202);
			const later = await addPerson(service, "after-disabled");
			await forgot(service, later.email);
			await mailedLinks(service, later.email, "reset");
			assert.deepEqual(await service.mailsTo(person.email, 0), []);
		});

		it("sends one mail a minute and five an hour to an address, and always returns 202", async () => {
			const person = await addPerson(service, "eager");
			const links = async (count: number) =>
				(await mailedLinks(service, person.email, "reset", count)).length;
			const responses = await Promise.all(Array.from({ length: 20 }, () => forgot(service, person.email)));
			assert.deepEqual([...new Set(responses.map(({ status }) => status))], [202]);
			assert.equal(await links(1), 1);
			for (let sent = 2; sent <= 5; sent++) {
				service.clock.advance(MINUTE_MS);
				await forgot(service, person.email);
				assert.equal(await links(sent), sent);
			}
			service.clock.advance(MINUTE_MS);
			assert.equal((await forgot(service, person.email)).status, 202);
			// The last link stays valid: too many requests do not lock the owner out.
			const last = (await mailedLinks(service, person.email, "reset", 5)).at(-1)?.split("#")[1];
			assert.equal((await reset(service, last, "a password set at last")).status, 204);
			service.clock.advance(HOUR_MS);
			await forgot(service, person.email);
			assert.equal(await links(6), 6);
		});

		it("uses the tenant of the request", async () => {
			const person = await addPerson(service, "here-only");
			const other = await addSecondTenant(service);
			assert.equal((await forgot(service, person.email, { "x-tenant-id": other.id })).status, 202);
			const links = "SELECT digest FROM recovery_links WHERE email = $1 AND user_id IS NOT NULL";
			assert.deepEqual(await rows(service, links, person.email), []);
		});

		it("writes in the requested language", async () => {
			const person = await addPerson(service, "chinese");
			await forgot(service, person.email, { "accept-language": "zh-CN" });
			const [mail] = await service.mailsTo(person.email);
			assert.equal(mail?.subject, "设置新密码");
		});
	});
});

describe("POST /api/v1/auth/password/reset", () => {
	const login = (username: string, password: string, ip = "198.51.100.1") =>
		service.call("POST", "/api/v1/auth/login", {
			body: { username, password },
			headers: { "x-forwarded-for": ip, "x-forwarded-proto": "https" },
		});

	describe("204", () => {
		it("sets the password, ends every session, mails the owner, and does not sign in", async () => {
			const person = await addPerson(service, "ann");
			const second = await signInAgain(service, person);
			const response = await reset(service, await resetTokenFor(service, person.email), NEW);
			assert.equal(response.status, 204);
			assert.equal(response.body, undefined);
			assert.equal(await isAlive(service, person.token), false);
			assert.equal(await isAlive(service, second), false);
			assert.equal((await login("ann", person.password)).status, 401);
			// Read before the sign-in, which mails its own notice.
			const subjects = (await service.mailsTo(person.email, 2)).map(({ subject }) => subject);
			assert.deepEqual(subjects, ["Set a new password", "Your password was changed"]);
			const signedIn = await login("ann", NEW);
			assert.equal(signedIn.status, 200);
			assert.equal(signedIn.body.data.user.email_verified, true);
			const event = (await auditOf(service, `user:${person.id}`)).find(
				({ action }) => action === "user.password_reset",
			);
			assert.deepEqual(event?.details, { sessions_revoked: 2 });
		});

		it("resets the failure counts of the account for every address and name, and ends a lock", async () => {
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

		it("keeps the link valid after a refused password", async () => {
			const person = await addPerson(service, "careful");
			const token = await resetTokenFor(service, person.email);
			for (const bad of ["short", "password", person.username, person.email, "é".repeat(37)])
				assert.equal((await reset(service, token, bad)).status, 400, bad);
			assert.equal((await reset(service, token, NEW)).status, 204);
		});

		it("removes the sign-in methods of a sign-up under an unverified address, and none added later", async () => {
			const person = await addPersonWithPasskey(service, "squatted");
			await enrollTotp(service, person);
			await removePassword(service, person.id);
			const path = `/api/v1/users/${person.id}/third-party-accounts` as const;
			const linked = async (provider_user_id: string): Promise<number> => {
				await service.asAdmin("POST", path, { provider: "github", provider_user_id });
				return (await service.callAsAdmin("GET", path)).body.total;
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
			const { body } = await service.callAsAdmin("GET", `/api/v1/users/${person.id}`);
			assert.equal(body.data.mfa_enabled, false);
		});

		it("keeps second factors, and ends sign-ins that wait for one", async () => {
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
			await removePassword(service, person.id);
			assert.equal((await reset(service, await resetTokenFor(service, person.email), NEW)).status, 204);
			assert.equal((await login("without", NEW)).status, 200);
		});
	});

	describe("400", () => {
		it("names the rule that the password breaks", async () => {
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
				const response = await reset(service, token, password, PROBLEM);
				assert.equal(response.status, 400, password);
				assert.equal(response.body.code, code);
				assert.equal(response.body.errors[0]?.field, "new_password");
			}
		});
	});

	describe("404", () => {
		it("returns the same response for unknown, malformed, used, replaced and expired tokens", async () => {
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
			const responses = await Promise.all(tokens.map((token) => reset(service, token, NEW, PROBLEM)));
			for (const { status, body } of responses) {
				assert.equal(status, 404);
				assert.equal(body.code, "reset.not_found");
			}
			assert.equal((await login("expired", expired.password)).status, 200);
		});

		it("accepts a link until the end of its hour", async () => {
			const person = await addPerson(service, "punctual");
			const token = await resetTokenFor(service, person.email);
			service.clock.advance(60 * MINUTE_MS - SECOND_MS);
			assert.equal((await reset(service, token, NEW)).status, 204);
		});

		it("accepts one of twenty concurrent uses", async () => {
			const person = await addPerson(service, "raced");
			const token = await resetTokenFor(service, person.email);
			const responses = await Promise.all(
				Array.from({ length: 20 }, (_, index) => reset(service, token, `${NEW} ${index}`)),
			);
			const statuses = responses.map(({ status }) => status);
			assert.deepEqual(statuses.filter((status) => status === 204).length, 1, statuses.join());
			assert.ok(statuses.every((status) => status === 204 || status === 404 || status === 503));
		});

		it("refuses the link of an account that was disabled or whose address has changed", async () => {
			const [disabled, moved] = await Promise.all([
				addPerson(service, "later-disabled"),
				addPerson(service, "later-moved"),
			]);
			const tokens = [
				await resetTokenFor(service, disabled.email),
				await resetTokenFor(service, moved.email),
			];
			const patch = (id: string, body: unknown) =>
				service.callAsAdmin("PATCH", `/api/v1/users/${id}`, { body });
			assert.equal((await patch(disabled.id, { status: "disabled" })).status, 200);
			assert.equal((await patch(moved.id, { email: "elsewhere@people.example" })).status, 200);
			for (const each of tokens) assert.equal((await reset(service, each, NEW)).status, 404);
		});

		it("refuses the link on the page of a restored address, and keeps it valid", async () => {
			const person = await addPerson(service, "mixed-up");
			await forgot(service, person.email);
			const token = await mailedToken(service, person.email, "reset");
			const restored = await service.call("POST", "/api/v1/auth/email/restore", { body: { token } });
			assert.equal(restored.status, 404);
			assert.equal((await reset(service, token, NEW)).status, 204);
		});
	});
});

describe("POST /api/v1/auth/email/restore", () => {
	const restore = (token: unknown) => service.call("POST", RESTORE, { body: { token }, headers: PROBLEM });
	const login = (username: string, password: string) =>
		service.call("POST", "/api/v1/auth/login", { body: { username, password } });
	const verified = (name: string): Promise<Person> => addPerson(service, name, { email_verified: true });

	describe("204", () => {
		it("restores the address, ends every session, voids the password and mails a link to set one", async () => {
			const person = await verified("amy");
			const thief = "thief@elsewhere.example";
			await moveTo(service, person, thief);
			assert.equal((await login(thief, person.password)).status, 200);
			const response = await restore(await mailedToken(service, person.email, "restore-email"));
			assert.equal(response.status, 204);
			assert.equal(response.body, undefined);
			assert.equal(await isAlive(service, person.token), false);
			assert.equal((await login(thief, person.password)).status, 401);
			assert.equal((await login(person.username, person.password)).status, 401);
			const token = await mailedToken(service, person.email, "reset");
			assert.equal((await reset(service, token, NEW)).status, 204);
			const signedIn = await login(person.email, NEW);
			assert.equal(signedIn.body.data.user.email, person.email);
			const actions = (await auditOf(service, `user:${person.id}`)).map(({ action }) => action);
			assert.ok(actions.includes("user.email_changed") && actions.includes("user.email_restored"));
		});

		it("restores the address across several changes, and invalidates the links of the later ones", async () => {
			const person = await verified("twice");
			const [second, third] = ["second@elsewhere.example", "third@elsewhere.example"];
			await moveTo(service, person, second);
			service.clock.advance(MINUTE_MS);
			await moveTo(service, { ...person, token: await service.tokenOf("twice", person.password) }, third);
			const first = await mailedToken(service, person.email, "restore-email");
			const later = await mailedToken(service, second, "restore-email");
			assert.equal((await restore(first)).status, 204);
			assert.equal((await restore(later)).status, 404);
		});

		it("removes the sign-in methods a thief added since, and keeps those of the owner", async () => {
			const [with2, without] = await Promise.all([verified("protected"), verified("plain")]);
			const owner = await enrollTotp(service, with2);
			service.clock.advance(SECOND_MS);
			for (const person of [with2, without])
				await moveTo(service, person, `${person.username}@elsewhere.example`);
			await enrollTotp(service, without);
			for (const { id, username } of [with2, without]) {
				const body = { provider: "github", provider_user_id: `thief-of-${username}` };
				const path = `/api/v1/users/${id}/third-party-accounts` as const;
				assert.equal((await service.callAsAdmin("POST", path, { body })).status, 201);
			}
			for (const person of [with2, without]) {
				const token = await mailedToken(service, person.email, "restore-email");
				assert.equal((await restore(token)).status, 204);
				const path = `/api/v1/users/${person.id}/third-party-accounts` as const;
				assert.equal((await service.callAsAdmin("GET", path)).body.total, 0);
				const link = await mailedToken(service, person.email, "reset");
				assert.equal((await reset(service, link, NEW)).status, 204);
			}
			assert.equal((await login(without.email, NEW)).body.data.user.mfa_enabled, false);
			assert.equal((await login(owner.email, NEW)).body.data.mfa_required, true);
		});

		it("removes recent passkeys and linked accounts, and keeps older ones", async () => {
			const owner = await verified("prepared");
			const path = `/api/v1/users/${owner.id}/third-party-accounts` as const;
			const link = async (provider_user_id: string) => {
				const body = { provider: "gitlab", provider_user_id };
				return await service.callAsAdmin("POST", path, { body });
			};
			assert.equal((await link("of the owner")).status, 201);
			service.clock.advance(8 * DAY_MS);
			const token = await service.tokenOf(owner.username, owner.password);
			const { authenticator } = await enrollPasskey(service, { ...owner, token });
			assert.equal((await link("of the thief")).status, 201);
			service.clock.advance(MINUTE_MS);
			await moveTo(service, { ...owner, token }, "prepared@elsewhere.example");
			assert.equal((await restore(await mailedToken(service, owner.email, "restore-email"))).status, 204);
			const assertion = authenticator.get(await passkeyOptions(service));
			assert.equal((await service.call("POST", PASSKEY_SIGN_IN, { body: { assertion } })).status, 401);
			const { body } = await service.callAsAdmin("GET", path);
			assert.deepEqual(
				body.data.map((account) => account.provider_user_id),
				["of the owner"],
			);
		});

		it("reclaims the address from an account that never verified it", async () => {
			const person = await verified("besieged");
			await moveTo(service, person, "siege@elsewhere.example");
			const squatter = await addPerson(service, "siege", { email: person.email });
			await removePassword(service, squatter.id);
			assert.equal((await restore(await mailedToken(service, person.email, "restore-email"))).status, 204);
			const emailOf = async (id: string): Promise<string> =>
				(await service.asAdmin("GET", `/api/v1/users/${id}`)).email;
			assert.equal(await emailOf(person.id), person.email);
			assert.equal(await emailOf(squatter.id), `${squatter.id}@no-address.invalid`);
			const events = await auditOf(service, `user:${squatter.id}`);
			assert.ok(events.some(({ action }) => action === "user.email_displaced"));
		});

		it("revokes the password link that was mailed to the new address", async () => {
			const person = await verified("sleeper");
			const thief = "sleeper@elsewhere.example";
			await moveTo(service, person, thief);
			await forgot(service, thief);
			const token = await mailedToken(service, thief, "reset");
			assert.equal((await restore(await mailedToken(service, person.email, "restore-email"))).status, 204);
			assert.equal((await reset(service, token, NEW)).status, 404);
		});
	});

	describe("404", () => {
		it("returns the same response for unknown, used and expired tokens", async () => {
			const [used, expired] = await Promise.all([verified("restored"), verified("too-late")]);
			await moveTo(service, used, "restored@elsewhere.example");
			await moveTo(service, expired, "too-late@elsewhere.example");
			const usedToken = await mailedToken(service, used.email, "restore-email");
			const expiredToken = await mailedToken(service, expired.email, "restore-email");
			assert.equal((await restore(usedToken)).status, 204);
			service.clock.advance(7 * DAY_MS);
			for (const token of ["none", usedToken, expiredToken]) {
				const response = await restore(token);
				assert.equal(response.status, 404);
				assert.equal(response.body.code, "email_restore.not_found");
			}
		});

		it("refuses the link once an administrator has changed the address", async () => {
			const person = await verified("managed");
			await moveTo(service, person, "managed@elsewhere.example");
			const restoreToken = await mailedToken(service, person.email, "restore-email");
			const body = { email: "managed@people-2.example" };
			assert.equal((await service.callAsAdmin("PATCH", `/api/v1/users/${person.id}`, { body })).status, 200);
			assert.equal((await restore(restoreToken)).status, 404);
		});
	});

	describe("409", () => {
		it("refuses an address that another account has since taken, and keeps the link valid", async () => {
			const person = await verified("vacated");
			await moveTo(service, person, "vacated@elsewhere.example");
			const restoreToken = await mailedToken(service, person.email, "restore-email");
			const squatter = await addPerson(service, "squatter", { email: person.email });
			const refused = await restore(restoreToken);
			assert.equal(refused.status, 409);
			assert.equal(refused.body.code, "email.taken");
			await service.asAdmin("DELETE", `/api/v1/users/${squatter.id}`);
			assert.equal((await restore(restoreToken)).status, 204);
		});
	});
});
