import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { type Answered, Authenticator } from "../../harness/authenticator.ts";
import {
	addPersonWithPasskey,
	addPersonWithTotp,
	claimsOf,
	enrolPasskey,
	MFA,
	type PersonWithPasskey,
	passkeyAnswerOptions,
	passkeyOptions,
	passwordStep,
} from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = `${MFA}/passkey-options`;

describe("POST /api/v1/auth/mfa/passkey-options", () => {
	let service: TestService;
	let ada: PersonWithPasskey;
	before(async () => {
		service = await startTestService();
		ada = await addPersonWithPasskey(service, "ada");
	});
	after(() => service.stop());

	const send = (mfa_token: string, assertion: unknown) =>
		service.call("POST", MFA, { body: { mfa_token, method: "passkey", assertion } });

	describe("200", () => {
		it("names the user's passkeys, and an answer of one signs in", async () => {
			const { username, password } = ada;
			const login = await service.call("POST", "/api/v1/auth/login", { body: { username, password } });
			assert.deepEqual(login.body.data.methods, ["passkey", "recovery_code"]);
			const token = login.body.data.mfa_token;
			const options = await passkeyAnswerOptions(service, token);
			assert.deepEqual(options.allowCredentials, [
				{ id: ada.authenticator.credentialId, type: "public-key", transports: ["internal", "hybrid"] },
			]);
			const answer = await send(token, ada.authenticator.get(options, { userVerified: false }));
			assert.equal(answer.status, 200, JSON.stringify(answer.body));
			assert.deepEqual(claimsOf(answer.body.data.access_token).amr, ["pwd", "swk", "user", "mfa"]);
		});

		it("offers it beside the app, whichever comes first", async () => {
			const bea = await addPersonWithTotp(service, "bea");
			const both = await enrolPasskey(service, bea);
			const body = { username: bea.username, password: bea.password };
			const login = await service.call("POST", "/api/v1/auth/login", { body });
			assert.deepEqual(login.body.data.methods, ["totp", "passkey", "recovery_code"]);
			const token = login.body.data.mfa_token;
			const options = await passkeyAnswerOptions(service, token);
			assert.equal((await send(token, both.authenticator.get(options))).status, 200);
		});

		it("accepts only a genuine answer of that passkey, for that sign-in, once", async () => {
			const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
			const cal = await addPersonWithPasskey(service, "cal");
			const forged: readonly Answered[] = [
				{ origin: "https://evil.example" },
				{ rpId: "evil.example" },
				{ key },
				{ userPresent: false },
				{ userHandle: "c29tZWJvZHkgZWxzZQ" },
				{ credentialId: cal.authenticator.credentialId },
			];
			for (const forgery of forged) {
				const token = await passwordStep(service, ada);
				const options = await passkeyAnswerOptions(service, token);
				const answer = await send(token, ada.authenticator.get(options, forgery));
				assert.equal(answer.status, 401, JSON.stringify(forgery));
			}
			const [token, other] = [await passwordStep(service, ada), await passwordStep(service, ada)];
			const options = await passkeyAnswerOptions(service, token);
			assert.equal((await send(other, ada.authenticator.get(options))).status, 401, "another sign-in");
			const alone = await passkeyOptions(service);
			assert.equal((await send(token, ada.authenticator.get(alone))).status, 401, "a sign-in alone");
			const foreign = await passkeyAnswerOptions(service, token);
			assert.equal((await send(token, cal.authenticator.get(foreign))).status, 401, "another person's");
			const right = await passkeyAnswerOptions(service, token);
			assert.equal((await send(token, ada.authenticator.get(right))).status, 200);
			assert.equal((await send(token, ada.authenticator.get(right))).status, 401, "once");
		});

		it("refuses a key whose count does not rise", async () => {
			const authenticator = new Authenticator(undefined, { signCount: 5 });
			const dan = await addPersonWithPasskey(service, "dan", authenticator);
			const token = await passwordStep(service, dan);
			const options = await passkeyAnswerOptions(service, token);
			assert.equal((await send(token, authenticator.get(options, { signCount: 5 }))).status, 401);
			const again = await passkeyAnswerOptions(service, token);
			assert.equal((await send(token, authenticator.get(again, { signCount: 6 }))).status, 200);
		});
	});

	describe("400", () => {
		it("requires the token, and the answer an assertion", async () => {
			assert.equal((await service.call("POST", PATH, { body: {} })).status, 400);
			const body = { mfa_token: await passwordStep(service, ada), method: "passkey", code: "123456" };
			assert.equal((await service.call("POST", MFA, { body })).status, 400);
		});
	});

	describe("401", () => {
		it("refuses an unknown token, and a token of a user without a passkey", async () => {
			const eva = await addPersonWithTotp(service, "eva");
			for (const mfa_token of ["unknown", await passwordStep(service, eva)])
				assert.equal((await service.call("POST", PATH, { body: { mfa_token } })).status, 401);
		});
	});
});
