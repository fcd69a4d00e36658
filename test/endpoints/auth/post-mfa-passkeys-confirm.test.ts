import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { type Answered, Authenticator } from "../../harness/authenticator.ts";
import { addPerson, isAlive, type Person } from "../../harness/people.ts";
import {
	claimsOf,
	enrolPasskey,
	MFA,
	PASSKEY_SIGN_IN,
	passkeyOptions,
	passwordStep,
	requireMfa,
} from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = `${MFA}/passkeys/confirm`;

describe("POST /api/v1/auth/mfa/passkeys/confirm", () => {
	let service: TestService;
	let admin: string;
	let round = 0;
	let ada: Person;
	before(async () => {
		service = await startTestService();
		admin = await service.adminToken();
	});
	after(() => service.stop());
	beforeEach(async () => {
		await requireMfa(service, false, admin);
		ada = await addPerson(service, `ada-${++round}`);
		await requireMfa(service, true, admin);
	});

	const start = async (mfa_token: string): Promise<Record<string, unknown>> =>
		(await service.call("POST", `${MFA}/passkeys`, { body: { mfa_token } })).body.data.options;
	const confirm = (mfa_token: string, credential: unknown) =>
		service.call("POST", PATH, { body: { mfa_token, name: "Phone", credential } });

	describe("200", () => {
		it("adds the passkey, signs in, and shows the recovery codes", async () => {
			const authenticator = new Authenticator();
			const token = await passwordStep(service, ada);
			const answer = await confirm(token, authenticator.create(await start(token)));
			assert.equal(answer.status, 200, JSON.stringify(answer.body));
			assert.equal(answer.headers["cache-control"], "no-store");
			const { access_token, recovery_codes, user } = answer.body.data;
			assert.deepEqual(claimsOf(access_token).amr, ["pwd", "swk", "user", "mfa"]);
			assert.deepEqual([recovery_codes.length, user.mfa_enabled], [10, true]);
			assert.equal(await isAlive(service, access_token), true);
			const assertion = authenticator.get(await passkeyOptions(service));
			assert.equal((await service.call("POST", PASSKEY_SIGN_IN, { body: { assertion } })).status, 200);
		});
	});

	describe("400", () => {
		it("refuses an answer of another page, or to another sign-in's options", async () => {
			const [token, other] = [await passwordStep(service, ada), await passwordStep(service, ada)];
			const forgery: Answered = { origin: "https://evil.example" };
			assert.equal(
				(await confirm(token, new Authenticator().create(await start(token), forgery))).status,
				400,
			);
			assert.equal((await confirm(token, new Authenticator().create(await start(other)))).status, 400);
			assert.equal((await service.call("POST", PATH, { body: { mfa_token: token } })).status, 400);
		});
	});

	describe("401", () => {
		it("refuses an unknown token, one with five tries behind it, and one whose owner has a factor by now", async () => {
			assert.equal((await confirm("none", {})).status, 401);
			const tried = await passwordStep(service, ada);
			for (let n = 0; n < 5; n++) assert.equal((await confirm(tried, {})).status, 400);
			assert.equal((await confirm(tried, {})).status, 401);
			const thief = await passwordStep(service, ada);
			const credential = new Authenticator().create(await start(thief));
			await enrolPasskey(service, ada);
			assert.equal((await confirm(thief, credential)).status, 401);
		});
	});

	describe("403", () => {
		it("decides access to the application again", async () => {
			const creation = { token: admin, body: { name: `App ${round}`, access_policy: "open" } };
			const app_id = (await service.call("POST", "/api/v1/applications", creation)).body.data.id;
			const token = await passwordStep(service, ada, { app_id });
			const credential = new Authenticator().create(await start(token));
			const disable = { token: admin, body: { status: "disabled" } };
			await service.call("PATCH", `/api/v1/applications/${app_id}`, disable);
			assert.equal((await confirm(token, credential)).status, 403);
		});
	});

	describe("409", () => {
		it("refuses a passkey that is enrolled already", async () => {
			const authenticator = new Authenticator();
			const first = await passwordStep(service, ada);
			assert.equal((await confirm(first, authenticator.create(await start(first)))).status, 200);
			await requireMfa(service, false, admin);
			const bea = await addPerson(service, `bea-${round}`);
			await requireMfa(service, true, admin);
			const token = await passwordStep(service, bea);
			assert.equal((await confirm(token, authenticator.create(await start(token)))).status, 409);
		});
	});
});
