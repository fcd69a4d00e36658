// Sign-in with a passkey alone.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import { Authenticator, type Forgery } from "../../harness/people/authenticator.ts";
import { auditOf, isAlive, lockPassword } from "../../harness/people/people.ts";
import {
	addPersonWithPasskey,
	claimsOf,
	MY_PASSKEYS,
	PASSKEY_SIGN_IN,
	type PersonWithPasskey,
	passkeyMfaOptions,
	passkeyOptions,
	passwordStep,
} from "../../harness/people/second-factors.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import { startTestService } from "../../harness/service/service.ts";

const START = `${PASSKEY_SIGN_IN}/start`;
const PROBLEM = { accept: "application/problem+json" };

const service = testService();
/** Reached by an IP address, for which browsers have no passkeys. */
const atAddress = testService({ env: { LATCHKEY_PUBLIC_URL: "https://192.0.2.7" } });

describe("POST /api/v1/auth/passkey/start", () => {
	describe("200", () => {
		it("returns a new challenge for any passkey of the service, and requires user verification", async () => {
			const [first, second] = [await service.call("POST", START), await service.call("POST", START)];
			assert.equal(first.status, 200);
			assert.equal(first.headers["cache-control"], "no-store");
			const { options, expires_in } = first.body.data;
			const { challenge, ...rest } = options;
			assert.match(String(challenge), /^[A-Za-z0-9_-]{43}$/);
			assert.notEqual(challenge, second.body.data.options.challenge);
			assert.equal(expires_in, 300);
			assert.deepEqual(
				[rest.rpId, rest.userVerification, rest.allowCredentials, rest.timeout],
				["localhost", "required", undefined, 300_000],
			);
		});
	});

	describe("409", () => {
		it("offers no passkeys at an IP address", async () => {
			const { status, body } = await atAddress.call("POST", START, { headers: PROBLEM });
			assert.deepEqual([status, body.code], [409, "passkey.unavailable"]);
		});
	});
});

describe("POST /api/v1/auth/passkey", () => {
	const ada = fixture(() => addPersonWithPasskey(service, "ada"));

	const send = (assertion: unknown, more: object = {}, headers: Record<string, string> = {}) =>
		service.call("POST", PASSKEY_SIGN_IN, { body: { assertion, ...more }, headers });
	const signIn = async (person: PersonWithPasskey, forgery: Forgery = {}, more: object = {}) =>
		send(person.authenticator.get(await passkeyOptions(service), forgery), more);

	describe("200", () => {
		it("signs in without a password, as both factors", async () => {
			const answer = await signIn(ada);
			assert.equal(answer.status, 200, JSON.stringify(answer.body));
			assert.equal(answer.headers["cache-control"], "no-store");
			const { access_token, user } = answer.body.data;
			assert.deepEqual([user.id, user.mfa_enabled], [ada.id, true]);
			assert.deepEqual(claimsOf(access_token).amr, ["swk", "user", "mfa"]);
			assert.equal(await isAlive(service, access_token), true);
			const { body } = await service.call("GET", MY_PASSKEYS, { token: access_token });
			assert.equal(typeof body.data[0]?.last_used_at, "string");
		});

		it("reports a key that cannot leave its device, and accepts its rising count", async () => {
			const authenticator = new Authenticator(undefined, { synced: false, signCount: 5 });
			const bea = await addPersonWithPasskey(service, "bea", authenticator);
			for (let use = 0; use < 2; use++) {
				const answer = await signIn(bea);
				assert.deepEqual(claimsOf(answer.body.data.access_token).amr, ["hwk", "user", "mfa"]);
			}
		});

		it("signs in to an application, even while the password is locked", async () => {
			const body = { name: "By passkey", access_policy: "open", require_mfa: true };
			const app = await service.callAsAdmin("POST", "/api/v1/applications", { body });
			await lockPassword(service, ada);
			const answer = await signIn(ada, {}, { app_id: app.body.data.id });
			assert.equal(claimsOf(answer.body.data.access_token).client_id, app.body.data.id);
		});

		it("accepts assertions of configured pages, on a domain above the host of the service", async () => {
			const page = "https://app.example.com";
			const env = {
				LATCHKEY_PUBLIC_URL: "https://id.example.com",
				LATCHKEY_PASSKEY_DOMAIN: "example.com",
				LATCHKEY_PASSKEY_ORIGINS: page,
			};
			const wider = await startTestService({ env });
			const { authenticator } = await addPersonWithPasskey(wider, "app-user", new Authenticator(page));
			const statusOf = async (forgery: Forgery): Promise<number> => {
				const assertion = authenticator.get(await passkeyOptions(wider), forgery);
				return (await wider.call("POST", PASSKEY_SIGN_IN, { body: { assertion } })).status;
			};
			assert.equal(await statusOf({}), 200);
			assert.equal(await statusOf({ origin: "https://id.example.com" }), 200);
			assert.equal(await statusOf({ origin: "https://evil.example.com" }), 401);
			await wider.stop();
		});

		it("accepts one of twenty concurrent uses of an assertion", async () => {
			const assertion = ada.authenticator.get(await passkeyOptions(service));
			const responses = await Promise.all(Array.from({ length: 20 }, () => send(assertion)));
			const statuses = responses.map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
			assert.equal(statuses.filter((status) => status === 401).length, 19, statuses.join());
		});
	});

	describe("401", () => {
		const { privateKey: foreignKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
		const forged: readonly [string, Forgery][] = [
			["another origin", { origin: "https://localhost.evil.example" }],
			["the origin without TLS", { origin: "http://localhost:8443" }],
			["another port", { origin: "https://localhost:8444" }],
			["another party", { rpId: "evil.example" }],
			["an invented challenge", { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
			["an enrollment", { type: "webauthn.create" }],
			["no user verified", { userVerified: false }],
			["no user present", { userPresent: false }],
			["another key", { key: foreignKey }],
			["no user handle", { userHandle: undefined }],
			["another user's handle", { userHandle: "c29tZWJvZHkgZWxzZQ" }],
			["an unknown credential", { credentialId: "dW5rbm93biBjcmVkZW50aWFs" }],
		];
		it("returns the same response for every forgery", async () => {
			for (const [what, forgery] of forged) {
				const answer = await signIn(ada, forgery);
				assert.deepEqual(
					[answer.status, answer.body],
					[401, { error: "this passkey cannot sign in here, or its challenge was used or has expired" }],
					what,
				);
			}
		});

		it("refuses a malformed assertion", async () => {
			const right = ada.authenticator.get(await passkeyOptions(service)) as Record<string, object>;
			for (const assertion of [
				{},
				{ id: ada.authenticator.credentialId },
				{ ...right, response: {} },
				{ ...right, response: { ...right.response, signature: "" } },
				{ ...right, response: { ...right.response, authenticatorData: "AAAA" } },
				{ ...right, response: { clientDataJSON: "bm8ganNvbg" } },
			])
				assert.equal((await send(assertion)).status, 401, JSON.stringify(assertion));
		});

		it("refuses a signature with one bit changed, and audits it", async () => {
			const assertion = ada.authenticator.get(await passkeyOptions(service)) as {
				response: { signature: string };
			};
			const bytes = Buffer.from(assertion.response.signature, "base64url");
			bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
			assertion.response.signature = bytes.toString("base64url");
			const answer = await send(assertion, {}, PROBLEM);
			assert.deepEqual([answer.status, answer.body.code], [401, "passkey.invalid"]);
			const last = (await auditOf(service, `user:${ada.id}`)).at(-1);
			assert.deepEqual([last?.action, last?.details.reason], ["user.sign_in_failed", "passkey.invalid"]);
		});

		it("refuses a challenge that was used, expired, or issued for another purpose", async () => {
			const options = await passkeyOptions(service);
			assert.equal((await send(ada.authenticator.get(options))).status, 200);
			assert.equal((await send(ada.authenticator.get(options))).status, 401);
			const late = await passkeyOptions(service);
			service.clock.advance(5 * MINUTE_MS);
			assert.equal((await send(ada.authenticator.get(late))).status, 401);
			const cal = await addPersonWithPasskey(service, "cal");
			const answering = await passkeyMfaOptions(service, await passwordStep(service, cal));
			assert.equal((await send(cal.authenticator.get(answering))).status, 401);
		});

		it("refuses a key whose count does not rise", async () => {
			const authenticator = new Authenticator(undefined, { signCount: 5 });
			const dan = await addPersonWithPasskey(service, "dan", authenticator);
			assert.equal((await signIn(dan, { signCount: 9 })).status, 200);
			for (const signCount of [9, 8, 0]) assert.equal((await signIn(dan, { signCount })).status, 401);
			const last = (await auditOf(service, `user:${dan.id}`)).at(-1);
			assert.equal(last?.details.reason, "passkey.counter");
			assert.equal((await signIn(dan, { signCount: 10 })).status, 200);
		});

		it("refuses a passkey, and a challenge, of another tenant", async () => {
			const other = await addSecondTenant(service);
			const headers = { "x-tenant-id": other.id };
			const theirs = await passkeyOptions(service, headers);
			assert.equal((await send(ada.authenticator.get(theirs), {}, headers)).status, 401);
			assert.equal((await send(ada.authenticator.get(theirs))).status, 401);
			assert.equal((await signIn(ada)).status, 200);
		});

		it("refuses a passkey that was removed", async () => {
			const eva = await addPersonWithPasskey(service, "eva");
			const body = { password: eva.password };
			await service.call("DELETE", `${MY_PASSKEYS}/${eva.passkeyId}`, { token: eva.token, body });
			assert.equal((await signIn(eva)).status, 401);
		});
	});

	describe("403", () => {
		it("reveals a disabled account or missing access only to a genuine passkey", async () => {
			const fay = await addPersonWithPasskey(service, "fay");
			const assigned = await service.callAsAdmin("POST", "/api/v1/applications", {
				body: { name: "Assigned" },
			});
			assert.equal((await signIn(fay, {}, { app_id: assigned.body.data.id })).status, 403);
			await service.asAdmin("PATCH", `/api/v1/users/${fay.id}`, { status: "disabled" });
			assert.equal((await signIn(fay)).status, 403);
		});
	});
});
