import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { totpCode } from "../../../src/crypto/totp.ts";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import { mailedToken } from "../../harness/access/access-requests.ts";
import { problemOf } from "../../harness/access/applications.ts";
import {
	addPerson,
	auditOf,
	isAlive,
	lockPassword,
	type Person,
	removePassword,
	signInAgain,
} from "../../harness/people/people.ts";
import { reset, resetTokenFor } from "../../harness/people/recovery.ts";
import {
	addPersonWithTotp,
	completeMfa,
	nextCode,
	passwordStep,
	wrongTotp,
} from "../../harness/people/second-factors.ts";
import { testService } from "../../harness/runs/fixture.ts";
import type { CallResponse } from "../../harness/service/service.ts";

const USERS = "/api/v1/users";
const PASSWORD = "a long and winding password";
const NEW_PASSWORD = "another long password";
/** After this time, the IP address of the callers is allowed six more failures. */
const SIX_FAILURES_MS = 5 * MINUTE_MS;

// The clock is stopped: mail limits and waits end only when a test advances it.
const service = testService(() => ({ atMs: Date.now() }));

const signIn = async (username: string, password: string): Promise<number> =>
	(await service.call("POST", "/api/v1/auth/login", { body: { username, password } })).status;

describe("POST /api/v1/users/{id}/invite", () => {
	const addInvited = async (username: string, fields = {}) => {
		const body = { username, email: `${username}@people.example`, invite: true, ...fields };
		return await service.asAdmin("POST", USERS, body);
	};
	const send = async (id: string, token?: string) =>
		service.call("POST", `${USERS}/${id}/invite`, {
			token: token ?? (await service.adminToken()),
			headers: { accept: "application/problem+json" },
		});
	const accept = async (token: string) =>
		(await service.call("POST", "/api/v1/auth/invite/accept", { body: { token, password: PASSWORD } }))
			.status;

	describe("202", () => {
		it("mails a new link that replaces the previous one, and returns none", async () => {
			const ada = await addInvited("ada");
			const first = await mailedToken(service, ada.email, "invite");
			const response = await send(ada.id);
			assert.deepEqual([response.status, response.body], [202, undefined]);
			const second = await mailedToken(service, ada.email, "invite", 2);
			assert.notEqual(first, second);
			assert.deepEqual([await accept(first), await accept(second)], [404, 200]);
			const invited = (await auditOf(service, `user:${ada.id}`)).filter(
				({ action }) => action === "user.invited",
			);
			assert.equal(invited.length, 2);
		});

		it("mails the new address after a change, and nothing to the old one", async () => {
			const bea = await addInvited("bea");
			await mailedToken(service, bea.email, "invite");
			const body = { email: "bea2@people.example" };
			await service.asAdmin("PATCH", `${USERS}/${bea.id}`, body);
			assert.equal((await send(bea.id)).status, 202);
			assert.equal(await accept(await mailedToken(service, body.email, "invite")), 200);
			assert.equal((await service.mailsTo(bea.email)).length, 1);
		});

		it("writes the mail in the language of the user", async () => {
			const { email } = await addInvited("cal", { locale: "zh-CN" });
			assert.equal((await service.mailsTo(email))[0]?.subject, "邀请您使用账号“cal”");
		});
	});

	describe("409", () => {
		it("rejects users who are not invited, or have no address that receives mail", async () => {
			const gil = await addPerson(service, "gil");
			const hal = await addInvited("hal");
			const patch = (id: string, body: object) => service.callAsAdmin("PATCH", `${USERS}/${id}`, { body });
			await patch(hal.id, { email: "hal@nowhere.invalid" });
			for (const id of [gil.id, hal.id]) {
				const { status, body } = await send(id);
				assert.deepEqual([status, body.code], [409, "user.invite_unusable"]);
			}
			await patch(gil.id, { status: "disabled" });
			assert.equal((await send(gil.id)).status, 409);
		});
	});
});

describe("POST /api/v1/users/{id}/send-reset", () => {
	const path = (of: string) => `/api/v1/users/${of}/send-reset` as const;
	const send = async ({ id }: Pick<Person, "id">, token?: string) =>
		service.call("POST", path(id), { token: token ?? (await service.adminToken()) });
	const requests = async ({ id }: Pick<Person, "id">) =>
		(await auditOf(service, `user:${id}`)).filter(({ action }) => action === "user.password_reset_requested");

	describe("202", () => {
		it("mails the owner a working link, returns no token, and changes nothing by itself", async () => {
			const abe = await addPerson(service, "abe");
			const response = await send(abe);
			assert.deepEqual([response.status, response.body], [202, undefined]);
			assert.equal(await isAlive(service, await signInAgain(service, abe)), true);
			const token = await mailedToken(service, abe.email, "reset");
			const [requested, ...more] = await requests(abe);
			assert.notEqual(requested?.actor, `user:${abe.id}`);
			assert.match(requested?.actor ?? "", /^user:/);
			assert.deepEqual([requested?.details, more], [{}, []]);
			assert.equal((await reset(service, token, NEW_PASSWORD)).status, 204);
			assert.equal(await isAlive(service, abe.token), false);
			assert.equal(await isAlive(service, await service.tokenOf("abe", NEW_PASSWORD)), true);
		});

		it("replaces an earlier link, and its link ends a lock", async () => {
			const ann = await addPerson(service, "ann");
			const earlier = await resetTokenFor(service, ann.email);
			service.clock.advance(MINUTE_MS);
			await lockPassword(service, ann);
			assert.equal((await send(ann)).status, 202);
			const token = await mailedToken(service, ann.email, "reset", 2);
			assert.equal((await reset(service, earlier, NEW_PASSWORD)).status, 404);
			assert.equal((await reset(service, token, NEW_PASSWORD)).status, 204);
			await service.tokenOf("ann", NEW_PASSWORD);
		});
	});

	describe("409", () => {
		it("rejects a disabled account with the reason", async () => {
			const { id } = await service.addUser({
				username: "asleep",
				email: "asleep@people.example",
				password: "a long enough password",
				status: "disabled",
			});
			const { status, code } = await problemOf(service, "POST", path(id));
			assert.deepEqual([status, code], [409, "user.reset_unusable"]);
			assert.match((await send({ id })).body.error, /is disabled/);
			assert.deepEqual(await requests({ id }), []);
		});

		it("rejects an account without an address of its own", async () => {
			const { id } = await addPerson(service, "unreachable");
			const body = { email: `${id}@no-address.invalid` };
			await service.asAdmin("PATCH", `/api/v1/users/${id}`, body);
			const { status, code } = await problemOf(service, "POST", path(id));
			assert.deepEqual([status, code], [409, "user.reset_unusable"]);
			assert.deepEqual(await requests({ id }), []);
		});
	});

	describe("429", () => {
		it("allows one mail a minute to an address, together with those that the owner requests", async () => {
			const amy = await addPerson(service, "amy");
			const token = await resetTokenFor(service, amy.email);
			const refused = await send(amy);
			assert.equal(refused.status, 429);
			assert.equal(refused.headers["retry-after"], "60");
			assert.equal((await problemOf(service, "POST", path(amy.id))).code, "code.too_many");
			assert.equal((await requests(amy)).length, 1);
			assert.equal((await reset(service, token, NEW_PASSWORD)).status, 204);
		});
	});
});

describe("POST /api/v1/users/{id}/unlock", () => {
	const path = (of: string) => `/api/v1/users/${of}/unlock` as const;
	const unlock = async ({ id }: Pick<Person, "id">): Promise<number> =>
		(await service.callAsAdmin("POST", path(id))).status;
	const unlocks = async ({ id }: Person) => {
		const events = await auditOf(service, `user:${id}`);
		return events.filter(({ action }) => action === "user.unlocked").map(({ details }) => details);
	};

	describe("204", () => {
		it("ends the lock of a password, and keeps password and sessions", async () => {
			const art = await addPerson(service, "art");
			await lockPassword(service, art);
			assert.equal(await signIn("art", art.password), 401);
			assert.equal(await unlock(art), 204);
			assert.equal(await signIn("art", art.password), 200);
			assert.equal(await isAlive(service, art.token), true);
			assert.deepEqual(await unlocks(art), [{ wrong_passwords: 101, wrong_codes: 0 }]);
			assert.equal(await unlock(art), 204);
			assert.deepEqual((await unlocks(art))[1], { wrong_passwords: 0, wrong_codes: 0 });
		});

		it("clears the wait of the username and email address of this account only", async () => {
			const [ash, asa] = [await addPerson(service, "ash"), await addPerson(service, "asa")];
			for (const name of ["ash", "ASH@people.example", "asa"])
				for (let guess = 1; guess <= 5; guess++) assert.equal(await signIn(name, "wrong"), 401);
			for (const name of ["ash", ash.email]) assert.equal(await signIn(name, ash.password), 429);
			assert.equal(await unlock(ash), 204);
			assert.deepEqual(await unlocks(ash), [{ wrong_passwords: 10, wrong_codes: 0 }]);
			for (const name of ["Ash", ash.email]) assert.equal(await signIn(name, ash.password), 200);
			assert.equal(await signIn("asa", asa.password), 429);
			service.clock.advance(SIX_FAILURES_MS);
		});

		it("clears the wait of an authenticator app, and keeps the app", async () => {
			const dan = await addPersonWithTotp(service, "dan");
			let token = await passwordStep(service, dan);
			for (let guess = 1; guess <= 5; guess++)
				assert.equal((await completeMfa(service, token, "totp", wrongTotp(service, dan.secret))).status, 401);
			token = await passwordStep(service, dan);
			// The next code is already used; advancing to another step would end the wait.
			const code = totpCode(dan.secret, service.clock.now() + 30_000);
			assert.equal((await completeMfa(service, token, "totp", code)).status, 429);
			assert.equal(await unlock(dan), 204);
			assert.deepEqual(await unlocks(dan), [{ wrong_passwords: 0, wrong_codes: 5 }]);
			assert.equal((await completeMfa(service, token, "totp", code)).status, 200);
		});
	});
});

describe("GET /api/v1/users/{id}/mfa", () => {
	const get = async (id: string) => service.callAsAdmin("GET", `/api/v1/users/${id}/mfa`);

	describe("200", () => {
		it("returns the factors of a user, and no secret", async () => {
			const ava = await addPersonWithTotp(service, "ava");
			const expected = {
				has_password: true,
				mfa_enabled: true,
				totp: true,
				passkeys: 0,
				recovery_codes_left: ava.recoveryCodes.length,
				required: false,
			};
			assert.deepEqual((await get(ava.id)).body, { data: expected });
		});

		it("returns false and 0 for a user without a password and factors", async () => {
			const eve = await addPerson(service, "eve");
			await removePassword(service, eve.id);
			const { body } = await get(eve.id);
			assert.deepEqual(
				[body.data.has_password, body.data.mfa_enabled, body.data.recovery_codes_left],
				[false, false, 0],
			);
		});
	});
});

describe("POST /api/v1/users/{id}/mfa/reset", () => {
	const resetFactors = (id: string, token: string): Promise<CallResponse> =>
		service.call("POST", `/api/v1/users/${id}/mfa/reset`, { token });

	describe("204", () => {
		it("removes every factor and code, ends sessions and sign-ins under way, and notifies the owner", async () => {
			const axl = await addPersonWithTotp(service, "axl");
			const waiting = await passwordStep(service, axl);
			assert.equal((await resetFactors(axl.id, await service.adminToken())).status, 204);
			assert.equal(await isAlive(service, axl.token), false);
			assert.equal((await completeMfa(service, waiting, "totp", nextCode(service, axl.secret))).status, 401);
			const token = await service.tokenOf("axl", axl.password);
			const mine = await service.call("GET", "/api/v1/users/me/mfa", { token });
			assert.deepEqual([mine.body.data.mfa_enabled, mine.body.data.recovery_codes_left], [false, 0]);
			const subjects = (await service.mailsTo(axl.email, 2)).map(({ subject }) => subject);
			assert.ok(subjects.includes("Your second factors were reset"));
			const events = await auditOf(service, `user:${axl.id}`);
			const event = events.find(({ action }) => action === "user.second_factors_reset");
			assert.notEqual(event?.actor, `user:${axl.id}`);
		});

		it("accepts a user without factors", async () => {
			const ben = await addPerson(service, "ben");
			assert.equal((await resetFactors(ben.id, await service.adminToken())).status, 204);
		});
	});
});
