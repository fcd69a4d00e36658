import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { DAY_MS, MINUTE_MS } from "../../../src/kernel/clock.ts";
import { mailedToken } from "../../harness/access-requests.ts";
import { addPerson, auditOf, isAlive, type Person } from "../../harness/people.ts";
import { forgot, moveTo, reset } from "../../harness/recovery.ts";
import { enrolPasskey, enrolTotp, PASSKEY_SIGN_IN, passkeyOptions } from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/auth/email/restore";
const PROBLEM = { accept: "application/problem+json" };
const NEW = "a brand new password";

describe("POST /api/v1/auth/email/restore", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const restore = (token: unknown) => service.call("POST", PATH, { body: { token }, headers: PROBLEM });
	const login = (username: string, password: string) =>
		service.call("POST", "/api/v1/auth/login", { body: { username, password } });
	const verified = (name: string): Promise<Person> => addPerson(service, name, { email_verified: true });

	describe("204", () => {
		it("puts the address back, signs everybody out, voids the password and mails a link to set one", async () => {
			const person = await verified("ada");
			const thief = "thief@elsewhere.example";
			await moveTo(service, person, thief);
			assert.equal((await login(thief, person.password)).status, 200);
			const answer = await restore(await mailedToken(service, person.email, "restore-email"));
			assert.equal(answer.status, 204);
			assert.equal(answer.body, undefined);
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

		it("goes back over several moves, and invalidates the links of the later ones", async () => {
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
			const [with2, without] = await Promise.all([verified("factored"), verified("plain")]);
			const owner = await enrolTotp(service, with2);
			for (const person of [with2, without])
				await moveTo(service, person, `${person.username}@elsewhere.example`);
			await enrolTotp(service, without);
			const admin = await service.adminToken();
			for (const { id, username } of [with2, without]) {
				const body = { provider: "github", provider_user_id: `thief-of-${username}` };
				const path = `/api/v1/users/${id}/third-party-accounts` as const;
				assert.equal((await service.call("POST", path, { token: admin, body })).status, 201);
			}
			for (const person of [with2, without]) {
				const token = await mailedToken(service, person.email, "restore-email");
				assert.equal((await restore(token)).status, 204);
				const path = `/api/v1/users/${person.id}/third-party-accounts` as const;
				assert.equal((await service.call("GET", path, { token: admin })).body.total, 0);
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
				const token = await service.adminToken();
				const body = { provider: "gitlab", provider_user_id };
				return await service.call("POST", path, { token, body });
			};
			assert.equal((await link("of the owner")).status, 201);
			service.clock.advance(8 * DAY_MS);
			const token = await service.tokenOf(owner.username, owner.password);
			const { authenticator } = await enrolPasskey(service, { ...owner, token });
			assert.equal((await link("of the thief")).status, 201);
			service.clock.advance(MINUTE_MS);
			await moveTo(service, { ...owner, token }, "prepared@elsewhere.example");
			assert.equal((await restore(await mailedToken(service, owner.email, "restore-email"))).status, 204);
			const assertion = authenticator.get(await passkeyOptions(service));
			assert.equal((await service.call("POST", PASSKEY_SIGN_IN, { body: { assertion } })).status, 401);
			const { body } = await service.call("GET", path, { token: await service.adminToken() });
			assert.deepEqual(
				body.data.map((account) => account.provider_user_id),
				["of the owner"],
			);
		});

		it("takes the address back from an account that was made under it without proof", async () => {
			const person = await verified("besieged");
			await moveTo(service, person, "siege@elsewhere.example");
			const squatter = await addPerson(service, "siege", { email: person.email });
			const engine = await service.openDatabase();
			await engine.queries.run("UPDATE users SET password_hash = '' WHERE id = $1", squatter.id);
			await engine.close();
			assert.equal((await restore(await mailedToken(service, person.email, "restore-email"))).status, 204);
			const admin = await service.adminToken();
			const emailOf = async (id: string): Promise<string> =>
				(await service.call("GET", `/api/v1/users/${id}`, { token: admin })).body.data.email;
			assert.equal(await emailOf(person.id), person.email);
			assert.equal(await emailOf(squatter.id), `${squatter.id}@no-address.invalid`);
			const events = await auditOf(service, `user:${squatter.id}`);
			assert.ok(events.some(({ action }) => action === "user.email_displaced"));
		});

		it("revokes the password link a thief had mailed to the new address", async () => {
			const person = await verified("sleeper");
			const thief = "sleeper@elsewhere.example";
			await moveTo(service, person, thief);
			await forgot(service, thief);
			const token = await mailedToken(service, thief, "reset");
			assert.equal((await restore(await mailedToken(service, person.email, "restore-email"))).status, 204);
			assert.equal((await reset(service, token, NEW)).status, 404);
		});
	});

	describe("400", () => {
		it("refuses a body without a token", async () => {
			assert.equal((await restore(undefined)).status, 400);
			assert.equal((await restore(7)).status, 400);
		});
	});

	describe("404", () => {
		it("gives the same answer for a token that is unknown, used or expired", async () => {
			const [used, expired] = await Promise.all([verified("used"), verified("expired")]);
			await moveTo(service, used, "used@elsewhere.example");
			await moveTo(service, expired, "expired@elsewhere.example");
			const usedToken = await mailedToken(service, used.email, "restore-email");
			const expiredToken = await mailedToken(service, expired.email, "restore-email");
			assert.equal((await restore(usedToken)).status, 204);
			service.clock.advance(7 * DAY_MS);
			for (const token of ["none", usedToken, expiredToken]) {
				const answer = await restore(token);
				assert.equal(answer.status, 404);
				assert.equal(answer.body.code, "email_restore.not_found");
			}
		});

		it("refuses the link once an administrator has changed the address", async () => {
			const person = await verified("managed");
			await moveTo(service, person, "managed@elsewhere.example");
			const restoreToken = await mailedToken(service, person.email, "restore-email");
			const token = await service.adminToken();
			const body = { email: "managed@people-2.example" };
			assert.equal((await service.call("PATCH", `/api/v1/users/${person.id}`, { token, body })).status, 200);
			assert.equal((await restore(restoreToken)).status, 404);
		});
	});

	describe("409", () => {
		it("reports that another account has the address now, and keeps the link valid", async () => {
			const person = await verified("vacated");
			await moveTo(service, person, "vacated@elsewhere.example");
			const restoreToken = await mailedToken(service, person.email, "restore-email");
			const squatter = await addPerson(service, "squatter", { email: person.email });
			const refused = await restore(restoreToken);
			assert.equal(refused.status, 409);
			assert.equal(refused.body.code, "email.taken");
			const token = await service.adminToken();
			await service.call("DELETE", `/api/v1/users/${squatter.id}`, { token });
			assert.equal((await restore(restoreToken)).status, 204);
		});
	});
});
