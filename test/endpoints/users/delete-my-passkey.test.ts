import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addProvider } from "../../harness/identity-providers.ts";
import {
	addPersonWithPasskey,
	enrolPasskey,
	MY_PASSKEYS as PASSKEYS,
	type PersonWithPasskey,
	requireMfa,
} from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("DELETE /api/v1/users/me/mfa/passkeys/{id}", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const remove = (person: PersonWithPasskey, body: unknown, id = person.passkeyId) =>
		service.call("DELETE", `${PASSKEYS}/${id}`, { token: person.token, body });

	describe("204", () => {
		it("removes it, and with the last factor the recovery codes, and tells the owner", async () => {
			const ada = await addPersonWithPasskey(service, "ada");
			const second = await enrolPasskey(service, ada);
			assert.equal((await remove(ada, {})).status, 204);
			const between = await service.call("GET", "/api/v1/users/me/mfa", { token: ada.token });
			assert.deepEqual([between.body.data.passkeys, between.body.data.recovery_codes_left], [1, 10]);
			assert.equal((await remove(second, { password: ada.password })).status, 204);
			const after = await service.call("GET", "/api/v1/users/me/mfa", { token: ada.token });
			assert.deepEqual([after.body.data.mfa_enabled, after.body.data.recovery_codes_left], [false, 0]);
			assert.match(await service.tokenOf("ada", ada.password), /^ey/);
			const subjects = (await service.mailsTo(ada.email, 4)).map(({ subject }) => subject);
			assert.equal(subjects.filter((subject) => subject === "A passkey was removed").length, 2);
		});
	});

	describe("400", () => {
		it("wants the password, or a fresh sign-in", async () => {
			const bea = await addPersonWithPasskey(service, "bea");
			assert.equal((await remove(bea, { password: "wrong wrong" })).status, 400);
			service.clock.advance(5 * 60_000 + 1_000);
			assert.equal((await remove(bea, {})).status, 400);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			const path = `${PASSKEYS}/01900000-0000-7000-8000-000000000000`;
			assert.equal((await service.call("DELETE", path, { body: {} })).status, 401);
		});
	});

	describe("404", () => {
		it("does not know somebody else's, absent or malformed ones", async () => {
			const cal = await addPersonWithPasskey(service, "cal");
			const dan = await addPersonWithPasskey(service, "dan");
			for (const id of [dan.passkeyId, "01900000-0000-7000-8000-000000000000", "x"])
				assert.equal((await remove(cal, {}, id)).status, 404);
		});
	});

	describe("409", () => {
		it("keeps the last way to sign in", async () => {
			const fay = await addPersonWithPasskey(service, "fay");
			const engine = await service.openDatabase();
			await engine.queries.run("UPDATE users SET password_hash = '' WHERE id = $1", fay.id);
			await engine.close();
			const answer = await remove(fay, {});
			assert.deepEqual([answer.status, /last way to sign in/.test(answer.body.error)], [409, true]);
			const { provider } = await addProvider(service);
			await service.call("POST", `/api/v1/users/${fay.id}/third-party-accounts`, {
				token: await service.adminToken(),
				body: { provider, provider_user_id: "fay" },
			});
			assert.equal((await remove(fay, {})).status, 204);
		});

		it("keeps the last factor where the tenant requires one, of two removals at once too", async () => {
			const eva = await addPersonWithPasskey(service, "eva");
			const second = await enrolPasskey(service, eva);
			const admin = await service.adminToken();
			await requireMfa(service, true, admin);
			const answers = await Promise.all([remove(eva, {}), remove(second, {})]);
			assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409]);
			await requireMfa(service, false, admin);
		});
	});
});
