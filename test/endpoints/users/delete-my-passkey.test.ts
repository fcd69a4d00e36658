import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addProvider } from "../../harness/identity-providers.ts";
import { openApplication, takePasswordAway } from "../../harness/people.ts";
import {
	addPersonWithPasskey,
	enrolPasskey,
	PASSKEY_SIGN_IN,
	MY_PASSKEYS as PASSKEYS,
	type PersonWithPasskey,
	passkeyOptions,
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
		it("removes it, and with the last factor the recovery codes, and notifies the owner", async () => {
			const ada = await addPersonWithPasskey(service, "ada");
			const second = await enrolPasskey(service, ada);
			assert.equal((await remove(ada, { password: ada.password })).status, 204);
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
		it("needs the password of an account that has one, and a fresh sign-in of one that has none", async () => {
			const bea = await addPersonWithPasskey(service, "bea");
			assert.equal((await remove(bea, { password: "wrong wrong" })).status, 400);
			assert.equal((await remove(bea, {})).status, 400);
			await takePasswordAway(service, bea.id);
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

	describe("403", () => {
		it("refuses an application's token without the password", async () => {
			const hal = await addPersonWithPasskey(service, "hal");
			await takePasswordAway(service, hal.id);
			const assertion = hal.authenticator.get(await passkeyOptions(service));
			const body = { assertion, app_id: await openApplication(service) };
			const { access_token: token } = (await service.call("POST", PASSKEY_SIGN_IN, { body })).body.data;
			assert.equal((await remove({ ...hal, token }, {})).status, 403);
		});
	});

	describe("404", () => {
		it("answers foreign, absent and malformed ids alike", async () => {
			const cal = await addPersonWithPasskey(service, "cal");
			const dan = await addPersonWithPasskey(service, "dan");
			for (const id of [dan.passkeyId, "01900000-0000-7000-8000-000000000000", "x"])
				assert.equal((await remove(cal, { password: cal.password }, id)).status, 404);
		});
	});

	describe("409", () => {
		it("keeps the last sign-in method", async () => {
			const fay = await addPersonWithPasskey(service, "fay");
			await takePasswordAway(service, fay.id);
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
			const answers = await Promise.all([eva, second].map((one) => remove(one, { password: eva.password })));
			assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409]);
			await requireMfa(service, false, admin);
		});
	});
});
