// Enrollment of a second factor that a sign-in requires: an app or a passkey, with the `mfa_token` of a sign-in or a step-up.

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { totpCode } from "../../../src/crypto/totp.ts";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import { ABSENT_ID, APPLICATIONS, addApplication } from "../../harness/access/applications.ts";
import { addGate } from "../../harness/access/gates.ts";
import { Authenticator, type Forgery } from "../../harness/people/authenticator.ts";
import {
	addPerson,
	auditOf,
	isAlive,
	lastAuditOf,
	type Person,
	removePassword,
	signInAgain,
} from "../../harness/people/people.ts";
import {
	addPersonWithTotp,
	claimsOf,
	completeMfa,
	enrollPasskey,
	enrollTotp,
	MFA,
	nextCode,
	PASSKEY_SIGN_IN,
	passkeyOptions,
	passwordStep,
	signInWithTotp,
	wrongTotp,
} from "../../harness/people/second-factors.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import { startTestService } from "../../harness/service/service.ts";

const TOTP = `${MFA}/totp`;
const TOTP_CONFIRM = `${MFA}/totp/confirm`;
const PASSKEYS = `${MFA}/passkeys`;
const PASSKEYS_CONFIRM = `${MFA}/passkeys/confirm`;
const STEP_UP = `${MFA}/step-up`;
const STRICT = { access_policy: "open", require_mfa: true };

let people = 0;
// With a stopped clock, no code expires between two calls.
const service = testService(() => ({ atMs: Date.now() }));
const strict = fixture(() => addApplication(service, STRICT));

const newPerson = () => addPerson(service, `person-${++people}`);
/** The `mfa_token` of a user who must enroll a factor for the application. */
const due = (person: Person) => passwordStep(service, person, { app_id: strict.id });
const disableApplication = async (id: string) => {
	const response = await service.callAsAdmin("PATCH", `${APPLICATIONS}/${id}`, {
		body: { status: "disabled" },
	});
	assert.equal(response.status, 200);
};

describe("POST /api/v1/auth/mfa/totp", () => {
	describe("201", () => {
		it("returns a secret to a user who must enroll a factor, and opens no session", async () => {
			const ada = await newPerson();
			const mfa_token = await due(ada);
			const response = await service.call("POST", TOTP, { body: { mfa_token } });
			assert.equal(response.status, 201);
			assert.equal(response.headers["cache-control"], "no-store");
			assert.match(response.body.data.secret, /^[A-Z2-7]{32}$/);
			assert.match(response.body.data.otpauth_uri, /^otpauth:\/\/totp\/localhost:person-\d+\?/);
			await due(ada);
		});
	});

	describe("401", () => {
		it("refuses unknown and expired tokens, access tokens, and a token of a user with a second factor", async () => {
			const [ada, cal] = [await newPerson(), await addPersonWithTotp(service, "cal")];
			const expired = await due(ada);
			service.clock.advance(10 * MINUTE_MS);
			for (const mfa_token of ["unknown", expired, ada.token.slice(0, 100), await passwordStep(service, cal)])
				assert.equal((await service.call("POST", TOTP, { body: { mfa_token } })).status, 401);
		});
	});
});

describe("POST /api/v1/auth/mfa/totp/confirm", () => {
	let ada: Person;
	beforeEach(async () => {
		ada = await newPerson();
	});

	const start = async (mfa_token: string): Promise<string> =>
		(await service.call("POST", TOTP, { body: { mfa_token } })).body.data.secret;
	const confirm = (mfa_token: string, code: string, headers: Record<string, string> = {}) =>
		service.call("POST", TOTP_CONFIRM, { body: { mfa_token, code }, headers });

	describe("200", () => {
		it("enrolls the app, signs in, returns the recovery codes and mails the owner", async () => {
			const token = await due(ada);
			const secret = await start(token);
			const code = totpCode(secret, service.clock.now());
			const response = await confirm(token, code);
			assert.equal(response.status, 200);
			assert.equal(response.headers["cache-control"], "no-store");
			const { access_token, recovery_codes, user } = response.body.data;
			assert.deepEqual(claimsOf(access_token).amr, ["pwd", "otp", "mfa"]);
			assert.deepEqual([recovery_codes.length, user.mfa_enabled], [10, true]);
			assert.equal(await isAlive(service, access_token), true);
			const [mail] = await service.mailsTo(ada.email);
			assert.equal(mail?.subject, "An authenticator app was added");
			const actions = (await auditOf(service, `user:${ada.id}`)).map(({ action }) => action);
			assert.deepEqual(actions.slice(-3), [
				"user.second_factor_asked",
				"user.second_factor_added",
				"user.signed_in",
			]);
			const next = await passwordStep(service, ada);
			assert.equal((await completeMfa(service, next, "totp", code)).status, 401);
			assert.equal((await completeMfa(service, next, "totp", nextCode(service, secret))).status, 200);
		});

		it("accepts one of ten concurrent confirmations", async () => {
			const token = await due(ada);
			const code = totpCode(await start(token), service.clock.now());
			const responses = await Promise.all(Array.from({ length: 10 }, () => confirm(token, code)));
			const statuses = responses.map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
		});
	});

	describe("400", () => {
		it("refuses a wrong code, and revokes the token at the fifth", async () => {
			const token = await due(ada);
			const secret = await start(token);
			const wrong = wrongTotp(service, secret);
			const problem = await confirm(token, wrong, { accept: "application/problem+json" });
			assert.deepEqual([problem.status, problem.body.code], [400, "mfa.code_wrong"]);
			for (let n = 0; n < 4; n++) assert.equal((await confirm(token, wrong)).status, 400);
			assert.equal((await confirm(token, totpCode(secret, service.clock.now()))).status, 401);
		});
	});

	describe("401", () => {
		it("refuses a token from before the owner enrolled an app", async () => {
			const thief = await due(ada);
			const owner = await due(ada);
			const [stolen, secret] = [await start(thief), await start(owner)];
			assert.equal((await confirm(owner, totpCode(secret, service.clock.now()))).status, 200);
			assert.equal((await service.call("POST", TOTP, { body: { mfa_token: thief } })).status, 401);
			assert.equal((await confirm(thief, totpCode(stolen, service.clock.now()))).status, 404);
			const next = await passwordStep(service, ada);
			assert.equal((await completeMfa(service, next, "totp", nextCode(service, secret))).status, 200);
		});

		it("refuses a token from before the owner enrolled a passkey", async () => {
			const thief = await due(ada);
			const secret = await start(thief);
			await enrollPasskey(service, ada);
			assert.equal((await confirm(thief, totpCode(secret, service.clock.now()))).status, 401);
			const mine = await service.call("GET", "/api/v1/users/me/mfa", { token: ada.token });
			assert.equal(mine.body.data.totp, false);
		});

		it("accepts one of two tokens that confirm concurrently", async () => {
			const [one, other] = [await due(ada), await due(ada)];
			const code = totpCode(await start(one), service.clock.now());
			const responses = await Promise.all([confirm(one, code), confirm(other, code)]);
			assert.equal(responses.filter(({ status }) => status === 200).length, 1);
		});

		it("refuses an unknown, used or expired token", async () => {
			const token = await due(ada);
			const secret = await start(token);
			assert.equal((await confirm("unknown", totpCode(secret, service.clock.now()))).status, 401);
			service.clock.advance(10 * MINUTE_MS);
			assert.equal((await confirm(token, totpCode(secret, service.clock.now()))).status, 401);
		});
	});

	describe("403", () => {
		it("decides access to the application again", async () => {
			const { id: app_id } = await addApplication(service, STRICT);
			const token = await passwordStep(service, ada, { app_id });
			const secret = await start(token);
			await disableApplication(app_id);
			const refused = await confirm(token, totpCode(secret, service.clock.now()));
			assert.equal(refused.status, 403);
		});
	});

	describe("404", () => {
		it("refuses a confirmation without an enrollment in progress", async () => {
			const token = await due(ada);
			assert.equal((await confirm(token, "123456")).status, 404);
		});
	});
});

describe("POST /api/v1/auth/mfa/passkeys", () => {
	let ada: Person;
	beforeEach(async () => {
		ada = await newPerson();
	});

	describe("201", () => {
		it("returns creation options to a user who must enroll a factor", async () => {
			const mfa_token = await due(ada);
			const response = await service.call("POST", PASSKEYS, { body: { mfa_token } });
			assert.equal(response.status, 201);
			assert.equal(response.headers["cache-control"], "no-store");
			const { options, expires_in } = response.body.data;
			const user = options.user as { readonly name: string };
			assert.deepEqual([user.name, expires_in], [ada.username, 300]);
		});
	});

	describe("409", () => {
		it("offers no passkeys at an IP address", async () => {
			const atAddress = await startTestService({ env: { LATCHKEY_PUBLIC_URL: "https://192.0.2.7" } });
			const bea = await addPerson(atAddress, "bea");
			const { id: app_id } = await addApplication(atAddress, STRICT);
			const mfa_token = await passwordStep(atAddress, bea, { app_id });
			const { status } = await atAddress.call("POST", PASSKEYS, { body: { mfa_token } });
			await atAddress.stop();
			assert.equal(status, 409);
		});
	});

	describe("401", () => {
		it("refuses an unknown token, and a token of a user who has a factor by now", async () => {
			const mfa_token = await due(ada);
			assert.equal((await service.call("POST", PASSKEYS, { body: { mfa_token: "none" } })).status, 401);
			await enrollPasskey(service, ada);
			assert.equal((await service.call("POST", PASSKEYS, { body: { mfa_token } })).status, 401);
		});
	});
});

describe("POST /api/v1/auth/mfa/passkeys/confirm", () => {
	let ada: Person;
	beforeEach(async () => {
		ada = await newPerson();
	});

	const start = async (mfa_token: string): Promise<Record<string, unknown>> =>
		(await service.call("POST", PASSKEYS, { body: { mfa_token } })).body.data.options;
	const confirm = (mfa_token: string, credential: unknown) =>
		service.call("POST", PASSKEYS_CONFIRM, { body: { mfa_token, name: "Phone", credential } });

	describe("200", () => {
		it("enrolls the passkey, signs in, and returns the recovery codes", async () => {
			const authenticator = new Authenticator();
			const token = await due(ada);
			const response = await confirm(token, authenticator.create(await start(token)));
			assert.equal(response.status, 200, JSON.stringify(response.body));
			assert.equal(response.headers["cache-control"], "no-store");
			const { access_token, recovery_codes, user } = response.body.data;
			assert.deepEqual(claimsOf(access_token).amr, ["pwd", "swk", "user", "mfa"]);
			assert.deepEqual([recovery_codes.length, user.mfa_enabled], [10, true]);
			assert.equal(await isAlive(service, access_token), true);
			const assertion = authenticator.get(await passkeyOptions(service));
			assert.equal((await service.call("POST", PASSKEY_SIGN_IN, { body: { assertion } })).status, 200);
		});
	});

	describe("400", () => {
		it("refuses a credential of another page, and one for the options of another sign-in", async () => {
			const [token, other] = [await due(ada), await due(ada)];
			const forgery: Forgery = { origin: "https://evil.example" };
			assert.equal(
				(await confirm(token, new Authenticator().create(await start(token), forgery))).status,
				400,
			);
			assert.equal((await confirm(token, new Authenticator().create(await start(other)))).status, 400);
			assert.equal(
				(await service.call("POST", PASSKEYS_CONFIRM, { body: { mfa_token: token } })).status,
				400,
			);
		});
	});

	describe("401", () => {
		it("refuses an unknown token, a token after five tries, and a token of a user who has a factor by now", async () => {
			assert.equal((await confirm("none", {})).status, 401);
			const tried = await due(ada);
			for (let n = 0; n < 5; n++) assert.equal((await confirm(tried, {})).status, 400);
			assert.equal((await confirm(tried, {})).status, 401);
			const thief = await due(ada);
			const credential = new Authenticator().create(await start(thief));
			await enrollPasskey(service, ada);
			assert.equal((await confirm(thief, credential)).status, 401);
		});
	});

	describe("403", () => {
		it("decides access to the application again", async () => {
			const { id: app_id } = await addApplication(service, STRICT);
			const token = await passwordStep(service, ada, { app_id });
			const credential = new Authenticator().create(await start(token));
			await disableApplication(app_id);
			assert.equal((await confirm(token, credential)).status, 403);
		});
	});

	describe("409", () => {
		it("refuses a passkey that is enrolled already", async () => {
			const authenticator = new Authenticator();
			const first = await due(ada);
			assert.equal((await confirm(first, authenticator.create(await start(first)))).status, 200);
			const token = await due(await newPerson());
			assert.equal((await confirm(token, authenticator.create(await start(token)))).status, 409);
		});
	});
});

describe("POST /api/v1/auth/mfa/step-up", () => {
	const begin = (token: string, fields: object = {}) =>
		service.call("POST", STEP_UP, {
			token,
			body: { app_id: strict.id, ...fields },
			headers: { accept: "application/problem+json" },
		});
	const refused = async (token: string, fields: object, status: number, code: string): Promise<void> => {
		const response = await begin(token, fields);
		assert.deepEqual([response.status, response.body.code], [status, code]);
	};
	/** Enrolls an app with an `mfa_token`. */
	const enrol = async (mfa_token: string) => {
		const started = await service.call("POST", TOTP, { body: { mfa_token } });
		assert.equal(started.status, 201, JSON.stringify(started.body));
		const code = totpCode(started.body.data.secret, service.clock.now());
		return service.call("POST", TOTP_CONFIRM, { body: { mfa_token, code } });
	};

	describe("200", () => {
		it("lets a user without a factor enroll one, and then enter the application", async () => {
			const ada = await newPerson();
			const response = await begin(ada.token);
			assert.deepEqual([response.status, response.headers["cache-control"]], [200, "no-store"]);
			const { mfa_token, ...due } = response.body.data;
			assert.deepEqual(due, {
				mfa_required: true,
				expires_in: 600,
				methods: [],
				enrolment_required: true,
				help_offered: false,
			});
			const confirmed = await enrol(mfa_token);
			assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
			const { access_token, recovery_codes } = confirmed.body.data;
			assert.equal(recovery_codes.length, 10);
			const [before, now] = [claimsOf(ada.token), claimsOf(access_token)];
			assert.deepEqual(now.amr, ["pwd", "otp", "mfa"]);
			assert.notEqual(now.sid, before.sid);
			await refused(access_token, {}, 409, "mfa.not_due");
			assert.equal(await isAlive(service, ada.token), true);
			const actions = (await auditOf(service, `user:${ada.id}`)).map(({ action }) => action);
			assert.deepEqual(actions.slice(-3), [
				"user.second_factor_asked",
				"user.second_factor_added",
				"user.signed_in",
			]);
		});

		it("lets a user enroll one for an application whose gate has a rule with mfa", async () => {
			const { application_id: app_id } = await addGate(service, {
				rules: [{ path: "/vault", needs: "signed-in", mfa: true }],
			});
			const { token } = await newPerson();
			const { data } = (await begin(token, { app_id })).body;
			assert.deepEqual([data.methods, data.enrolment_required], [[], true]);
			const rules = [{ path: "/vault", needs: "signed-in" }];
			await addGate(service, { rules }, app_id);
			await refused(token, { app_id }, 409, "mfa.not_due");
		});

		it("asks for the factor that was enrolled since the sign-in", async () => {
			const ada = await newPerson();
			const { secret } = await enrollTotp(service, ada);
			const { data } = (await begin(ada.token, { app_id: undefined })).body;
			assert.deepEqual([data.methods, data.enrolment_required], [["totp", "recovery_code"], false]);
			const response = await completeMfa(service, data.mfa_token, "totp", nextCode(service, secret));
			await refused(response.body.data.access_token, {}, 409, "mfa.not_due");
		});

		it("accepts the password in place of a fresh sign-in", async () => {
			const ada = await newPerson();
			service.clock.advance(6 * MINUTE_MS);
			assert.equal((await begin(ada.token, { password: ada.password })).status, 200);
		});

		it("serves an account without a password after a fresh sign-in", async () => {
			const ada = await newPerson();
			await removePassword(service, ada.id);
			assert.equal((await begin(ada.token)).status, 200);
		});

		it("issues tokens of which only one can enroll a factor", async () => {
			const ada = await newPerson();
			const [first, second] = [await begin(ada.token), await begin(ada.token)];
			assert.equal((await enrol(first.body.data.mfa_token)).status, 200);
			const { mfa_token } = second.body.data;
			assert.equal((await service.call("POST", TOTP, { body: { mfa_token } })).status, 401);
		});
	});

	describe("400", () => {
		it("requires the password when the sign-in is older than five minutes", async () => {
			const ada = await newPerson();
			service.clock.advance(5 * MINUTE_MS + 1);
			const response = await begin(ada.token);
			assert.deepEqual([response.status, response.body.errors[0]?.field], [400, "password"]);
		});

		it("counts and audits a wrong password", async () => {
			const ada = await newPerson();
			await refused(ada.token, { password: "not the password" }, 400, "password.wrong");
			assert.deepEqual(await lastAuditOf(service, `user:${ada.id}`), [
				"user.second_factor_change_refused",
				{ reason: "password.wrong" },
			]);
		});
	});

	describe("401", () => {
		it("refuses the token of an ended session", async () => {
			const { token } = await newPerson();
			await service.call("POST", "/api/v1/auth/logout", { token });
			await refused(token, {}, 401, "token.invalid");
		});
	});

	describe("404", () => {
		it("refuses an unknown interaction", async () => {
			const { token } = await newPerson();
			await refused(token, { interaction_id: "abcdefghijklmnopqrstu" }, 404, "interaction.not_found");
		});
	});

	describe("409", () => {
		it("refuses if no second factor is required", async () => {
			const { token } = await newPerson();
			const relaxed = await addApplication(service, { access_policy: "open" });
			for (const app_id of [undefined, relaxed.id, ABSENT_ID])
				await refused(token, { app_id }, 409, "mfa.not_due");
		});

		it("refuses a session with a second factor", async () => {
			const ada = await addPersonWithTotp(service, "careful");
			const { access_token } = await signInWithTotp(service, ada);
			await refused(access_token, {}, 409, "mfa.not_due");
		});
	});

	it("ends with the sessions of the account", async () => {
		const ada = await newPerson();
		const { mfa_token } = (await begin(ada.token)).body.data;
		const other = await signInAgain(service, ada);
		const body = { current_password: ada.password, new_password: "another long password" };
		const changed = await service.call("PUT", "/api/v1/users/me/password", { token: other, body });
		assert.equal(changed.status, 200);
		assert.equal((await service.call("POST", TOTP, { body: { mfa_token } })).status, 401);
	});
});
