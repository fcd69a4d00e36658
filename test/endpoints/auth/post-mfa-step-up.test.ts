import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { totpCode } from "../../../src/crypto/totp.ts";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import { ABSENT_ID, addApplication } from "../../harness/applications.ts";
import {
	addPerson,
	auditOf,
	isAlive,
	type Person,
	signInAgain,
	signInToApplication,
	takePasswordAway,
} from "../../harness/people.ts";
import {
	addPersonWithTotp,
	answerMfa,
	claimsOf,
	enrolTotp,
	MFA,
	nextCode,
	signInWithTotp,
} from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = `${MFA}/step-up`;
const REDIRECT_URI = "https://strict.example.com/back";

describe("POST /api/v1/auth/mfa/step-up", () => {
	let service: TestService;
	let strictId: string;
	let round = 0;
	before(async () => {
		service = await startTestService();
		const fields = { redirect_uris: [REDIRECT_URI], access_policy: "open", require_mfa: true };
		strictId = (await addApplication(service, fields)).id;
	});
	after(() => service.stop());

	const newPerson = () => addPerson(service, `person-${++round}`);
	const begin = (token: string, fields: object = {}) =>
		service.call("POST", PATH, {
			token,
			body: { app_id: strictId, ...fields },
			headers: { accept: "application/problem+json" },
		});
	const ticketStatus = async (token: string): Promise<number> => {
		const body = { app_id: strictId, redirect_uri: REDIRECT_URI };
		return (await service.call("POST", "/api/v1/auth/tickets", { token, body })).status;
	};
	const refused = async (token: string, fields: object, status: number, code: string): Promise<void> => {
		const answer = await begin(token, fields);
		assert.deepEqual([answer.status, answer.body.code], [status, code]);
	};
	/** Enrols an app with an `mfa_token`. */
	const enrol = async (mfa_token: string) => {
		const started = await service.call("POST", `${MFA}/totp`, { body: { mfa_token } });
		assert.equal(started.status, 201, JSON.stringify(started.body));
		const code = totpCode(started.body.data.secret, service.clock.now());
		return service.call("POST", `${MFA}/totp/confirm`, { body: { mfa_token, code } });
	};

	describe("200", () => {
		it("lets a person without a factor enrol one, and then enter the application", async () => {
			const ada = await newPerson();
			assert.equal(await ticketStatus(ada.token), 403);
			const answer = await begin(ada.token);
			assert.deepEqual([answer.status, answer.headers["cache-control"]], [200, "no-store"]);
			const { mfa_token, ...due } = answer.body.data;
			assert.deepEqual(due, { mfa_required: true, expires_in: 600, methods: [], enrolment_required: true });
			const confirmed = await enrol(mfa_token);
			assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
			const { access_token, recovery_codes } = confirmed.body.data;
			assert.equal(recovery_codes.length, 10);
			const [before, now] = [claimsOf(ada.token), claimsOf(access_token)];
			assert.deepEqual(now.amr, ["pwd", "otp", "mfa"]);
			assert.notEqual(now.sid, before.sid);
			assert.equal(await ticketStatus(access_token), 200);
			assert.equal(await isAlive(service, ada.token), true);
			const actions = (await auditOf(service, `user:${ada.id}`)).map(({ action }) => action);
			assert.deepEqual(actions.slice(-3), [
				"user.second_factor_asked",
				"user.second_factor_added",
				"user.signed_in",
			]);
		});

		it("asks for the factor that was enrolled since the sign-in", async () => {
			const ada = await newPerson();
			const { secret } = await enrolTotp(service, ada);
			const { data } = (await begin(ada.token, { app_id: undefined })).body;
			assert.deepEqual([data.methods, data.enrolment_required], [["totp", "recovery_code"], false]);
			const answer = await answerMfa(service, data.mfa_token, "totp", nextCode(service, secret));
			assert.equal(await ticketStatus(answer.body.data.access_token), 200);
		});

		it("takes the password in place of a fresh sign-in", async () => {
			const ada = await newPerson();
			service.clock.advance(6 * MINUTE_MS);
			assert.equal((await begin(ada.token, { password: ada.password })).status, 200);
		});

		it("serves an account without a password after a fresh sign-in", async () => {
			const ada = await newPerson();
			await takePasswordAway(service, ada.id);
			assert.equal((await begin(ada.token)).status, 200);
		});

		it("issues tokens of which one enrols a factor", async () => {
			const ada = await newPerson();
			const [first, second] = [await begin(ada.token), await begin(ada.token)];
			assert.equal((await enrol(first.body.data.mfa_token)).status, 200);
			const { mfa_token } = second.body.data;
			assert.equal((await service.call("POST", `${MFA}/totp`, { body: { mfa_token } })).status, 401);
		});
	});

	describe("400", () => {
		it("needs the password when the sign-in is older than five minutes", async () => {
			const ada = await newPerson();
			service.clock.advance(5 * MINUTE_MS + 1);
			const answer = await begin(ada.token);
			assert.deepEqual([answer.status, answer.body.errors[0]?.field], [400, "password"]);
		});

		it("counts and audits a wrong password", async () => {
			const ada = await newPerson();
			await refused(ada.token, { password: "not the password" }, 400, "password.wrong");
			const last = (await auditOf(service, `user:${ada.id}`)).at(-1);
			assert.deepEqual(
				[last?.action, last?.details],
				["user.second_factor_change_refused", { reason: "password.wrong" }],
			);
		});

		it("names a field that is malformed or unknown", async () => {
			const { token } = await newPerson();
			for (const [fields, field] of [
				[{ app_id: "strict" }, "app_id"],
				[{ application_id: ABSENT_ID }, "application_id"],
			] as const)
				assert.equal((await begin(token, fields)).body.errors[0]?.field, field);
		});
	});

	describe("401", () => {
		it("needs a session that lives", async () => {
			assert.equal((await service.call("POST", PATH, { body: {} })).status, 401);
			const { token } = await newPerson();
			await service.call("POST", "/api/v1/auth/logout", { token });
			await refused(token, {}, 401, "token.invalid");
		});
	});

	describe("403", () => {
		it("refuses a token of an application, with the password too", async () => {
			const ada: Person = await newPerson();
			const token = await signInToApplication(service, ada);
			await refused(token, { password: ada.password }, 403, "application.token");
		});
	});

	describe("404", () => {
		it("for a sign-in under way that is unknown", async () => {
			const { token } = await newPerson();
			await refused(token, { interaction_id: "abcdefghijklmnopqrstu" }, 404, "interaction.not_found");
		});
	});

	describe("409", () => {
		it("enrols no factor where none is required: that takes the password", async () => {
			const { token } = await newPerson();
			const relaxed = await addApplication(service, { access_policy: "open" });
			for (const app_id of [undefined, relaxed.id, ABSENT_ID])
				await refused(token, { app_id }, 409, "mfa.not_due");
		});

		it("refuses a session that has its second factor", async () => {
			const ada = await addPersonWithTotp(service, "careful");
			const { access_token } = await signInWithTotp(service, ada);
			await refused(access_token, {}, 409, "mfa.not_due");
		});
	});

	it("is over with the account's sessions", async () => {
		const ada = await newPerson();
		const { mfa_token } = (await begin(ada.token)).body.data;
		const other = await signInAgain(service, ada);
		const body = { current_password: ada.password, new_password: "another long password" };
		const changed = await service.call("PUT", "/api/v1/users/me/password", { token: other, body });
		assert.equal(changed.status, 200);
		assert.equal((await service.call("POST", `${MFA}/totp`, { body: { mfa_token } })).status, 401);
	});
});
