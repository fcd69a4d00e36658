import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { totpCode } from "../../../src/crypto/totp.ts";
import {
	ABSENT_ID,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
} from "../../harness/applications.ts";
import { addPerson, auditOf, isAlive, lockPassword, type Person } from "../../harness/people.ts";
import { addPersonWithTotp, answerMfa, passwordStep, wrongTotp } from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

/** The address of all callers may fail twice more. */
const TWO_FAILURES_MS = 90_000;

describe("POST /api/v1/users/{id}/unlock", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	const path = (of = cast.plain.id) => `/api/v1/users/${of}/unlock` as const;
	const unlock = async ({ id }: Pick<Person, "id">): Promise<number> =>
		(await service.call("POST", path(id), { token: await service.adminToken() })).status;
	const signIn = async (username: string, password: string): Promise<number> =>
		(await service.call("POST", "/api/v1/auth/login", { body: { username, password } })).status;
	const unlocks = async ({ id }: Person) => {
		const events = await auditOf(service, `user:${id}`);
		return events.filter(({ action }) => action === "user.unlocked").map(({ details }) => details);
	};

	describe("204", () => {
		it("ends the lock of a password, and leaves password and sessions as they are", async () => {
			const ada = await addPerson(service, "ada");
			await lockPassword(service, ada);
			assert.equal(await signIn("ada", ada.password), 401);
			assert.equal(await unlock(ada), 204);
			assert.equal(await signIn("ada", ada.password), 200);
			assert.equal(await isAlive(service, ada.token), true);
			assert.deepEqual(await unlocks(ada), [{ wrong_passwords: 101, wrong_codes: 0 }]);
			assert.equal(await unlock(ada), 204);
			assert.deepEqual((await unlocks(ada))[1], { wrong_passwords: 0, wrong_codes: 0 });
		});

		it("ends the wait of username and e-mail, of this account only", async () => {
			const [bea, cal] = [await addPerson(service, "bea"), await addPerson(service, "cal")];
			for (const name of ["bea", "BEA@people.example", "cal"])
				for (let guess = 1; guess <= 5; guess++) assert.equal(await signIn(name, "wrong"), 401);
			for (const name of ["bea", bea.email]) assert.equal(await signIn(name, bea.password), 429);
			assert.equal(await unlock(bea), 204);
			assert.deepEqual(await unlocks(bea), [{ wrong_passwords: 10, wrong_codes: 0 }]);
			for (const name of ["Bea", bea.email]) assert.equal(await signIn(name, bea.password), 200);
			assert.equal(await signIn("cal", cal.password), 429);
			service.clock.advance(TWO_FAILURES_MS);
		});

		it("ends the wait of an authenticator app, and keeps the app", async () => {
			const dan = await addPersonWithTotp(service, "dan");
			let token = await passwordStep(service, dan);
			for (let guess = 1; guess <= 5; guess++)
				assert.equal((await answerMfa(service, token, "totp", wrongTotp(service, dan.secret))).status, 401);
			token = await passwordStep(service, dan);
			// The code of the next step is taken already; waiting for it would end the wait.
			const code = totpCode(dan.secret, service.clock.now() + 30_000);
			assert.equal((await answerMfa(service, token, "totp", code)).status, 429);
			assert.equal(await unlock(dan), 204);
			assert.deepEqual(await unlocks(dan), [{ wrong_passwords: 0, wrong_codes: 5 }]);
			assert.equal((await answerMfa(service, token, "totp", code)).status, 200);
		});

		it("lets a plain admin unlock everybody but platform admins", async () => {
			const admin = await addPerson(service, "plain-admin", { roles: ["admin"] });
			assert.equal((await service.call("POST", path(), { token: admin.token })).status, 204);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", path()));
	});

	describe("403", () => {
		it("is not for others, not even for the user", () =>
			assertForbidden(service, [cast.auditor, cast.reviewer, cast.plain], "POST", path()));

		it("keeps a plain admin from unlocking a platform admin", async () => {
			const platform = await addPerson(service, "platform", { roles: ["platform_admin"] });
			const admin = await addPerson(service, "only-admin", { roles: ["admin"] });
			await lockPassword(service, platform);
			assert.equal((await service.call("POST", path(platform.id), { token: admin.token })).status, 403);
			assert.equal(await signIn("platform", platform.password), 401);
			assert.deepEqual(await unlocks(platform), []);
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: path(ABSENT_ID) },
					{ token: cast.admin, path: path("me") },
					{ token: cast.other.adminToken, path: path() },
				],
				"POST",
				"user.not_found",
			));
	});
});
