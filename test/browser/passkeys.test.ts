import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { BROWSER_SKIPPED } from "../harness/browser/browser.ts";
import { openBrowser } from "../harness/browser/shared-browser.ts";
import { addVirtualAuthenticator } from "../harness/browser/virtual-authenticator.ts";
import { addPerson } from "../harness/people/people.ts";
import {
	claimsOf,
	MFA,
	MY_PASSKEYS,
	PASSKEY_SIGN_IN,
	passkeyMfaOptions,
	passkeyOptions,
	passwordStep,
} from "../harness/people/second-factors.ts";
import { fixture, setup, testService } from "../harness/runs/fixture.ts";

const PUBLIC_URL = "https://id.example.com";
const TIMEOUT_MS = 300_000;

type Json = Record<string, unknown>;

/** Run in the page, as an integrator would call WebAuthn. */
const create = (page: Page, options: unknown): Promise<Json> =>
	page.evaluate(`navigator.credentials
		.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)}) })
		.then((credential) => credential.toJSON())`);
const get = (page: Page, options: unknown): Promise<Json> =>
	page.evaluate(`navigator.credentials
		.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)}) })
		.then((credential) => credential.toJSON())`);

describe("passkeys in a browser", { skip: BROWSER_SKIPPED, timeout: TIMEOUT_MS }, () => {
	let page: Page;
	const service = testService({ env: { LATCHKEY_PUBLIC_URL: PUBLIC_URL } });
	const browser = fixture(() => openBrowser(PUBLIC_URL, service.httpsPort), Symbol.asyncDispose);
	setup(async () => {
		({ page } = await browser.open());
		await page.goto(`${PUBLIC_URL}/docs`);
	});
	const ada = fixture(() => addPerson(service, "ada"));

	const enrol = async (): Promise<Json> => {
		const { token, password } = ada;
		const { body } = await service.call("POST", MY_PASSKEYS, { token, body: { password } });
		const credential = await create(page, body.data.options);
		const sent = { token, body: { name: "Chromium", credential } };
		const confirmed = await service.call("POST", `${MY_PASSKEYS}/confirm`, sent);
		assert.equal(confirmed.status, 201, JSON.stringify(confirmed.body));
		return confirmed.body.data;
	};

	test("are created, and sign in alone or as a second factor", async () => {
		const { cdp, authenticatorId } = await addVirtualAuthenticator(page);
		const { passkey, recovery_codes } = (await enrol()) as { passkey: Json; recovery_codes: string[] };
		assert.equal(recovery_codes.length, 10);
		assert.deepEqual(passkey.transports, ["internal"]);
		const assertion = await get(page, await passkeyOptions(service));
		const alone = await service.call("POST", PASSKEY_SIGN_IN, { body: { assertion } });
		assert.equal(alone.status, 200, JSON.stringify(alone.body));
		assert.deepEqual(claimsOf(alone.body.data.access_token).amr, ["hwk", "user", "mfa"]);
		const mfa_token = await passwordStep(service, ada);
		const response = await get(page, await passkeyMfaOptions(service, mfa_token));
		const body = { mfa_token, method: "passkey", assertion: response };
		const second = await service.call("POST", MFA, { body });
		assert.equal(second.status, 200, JSON.stringify(second.body));
		assert.deepEqual(claimsOf(second.body.data.access_token).amr, ["pwd", "hwk", "user", "mfa"]);
		await cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
	});

	test("are not created twice on one device", async () => {
		const { cdp, authenticatorId } = await addVirtualAuthenticator(page);
		await enrol();
		const { token, password } = ada;
		const { body } = await service.call("POST", MY_PASSKEYS, { token, body: { password } });
		await assert.rejects(create(page, body.data.options), /InvalidStateError/);
		await cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
	});

	test("are refused by the browser for another domain", async () => {
		const { cdp, authenticatorId } = await addVirtualAuthenticator(page);
		const options = await passkeyOptions(service);
		await assert.rejects(get(page, { ...options, rpId: "other.example" }), /SecurityError/);
		await cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
	});
});
