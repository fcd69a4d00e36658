// The logout plans of the OpenID Foundation, with their test names; docs/conformance.md lists the results.

import assert from "node:assert/strict";
import { after, before, beforeEach } from "node:test";
import type * as client from "openid-client";
import { playPlan } from "../harness/openid/conformance.ts";
import { verifyLogoutToken } from "../harness/openid/logout-token.ts";
import {
	connect,
	ISSUER,
	obtainTokens,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	startOpenIdService,
	type TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, isAlive, type Person } from "../harness/people/people.ts";
import type { TestService } from "../harness/service/service.ts";
import {
	RECEIVER_NETWORK,
	startWebhookReceiver,
	type WebhookReceiver,
} from "../harness/webhooks/webhook-receiver.ts";

const BYE = "https://shop.example/bye";
const BACK = { post_logout_redirect_uri: BYE, state: "a state" };
const END = "/oauth/end-session";
const EVENTS = { "http://schemas.openid.net/event/backchannel-logout": {} };

let service: TestService;
let receiver: WebhookReceiver;
let ada: Person;
let party: client.Configuration;
let browser: TestBrowser;
let token: string;

before(async () => {
	receiver = await startWebhookReceiver();
	service = await startOpenIdService({ env: { LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK } });
	ada = await addPerson(service, "ada");
	({ party } = await connectShop(null));
});
after(async () => {
	await service.stop();
	await receiver.close();
});
beforeEach(async () => {
	({ browser, token } = await signedInBrowser(service, ada));
});

async function connectShop(backchannelLogoutUri: string | null) {
	const settings = { firstParty: true, idTokenAlg: "RS256", postLogoutRedirectUris: [BYE] } as const;
	const shop = await connect(service, { ...settings, backchannelLogoutUri });
	const rs256 = { id_token_signed_response_alg: "RS256" };
	return { shop, party: await relyingParty(service, shop, undefined, rs256) };
}

type Parameters = Readonly<Record<string, string>>;

const endSession = (parameters: Parameters) => browser.go(`${END}?${new URLSearchParams(parameters)}`);
const idToken = async () => (await obtainTokens(party, browser, token)).id_token ?? "";
const isSignedIn = () => isAlive(service, token);
async function refusesSignOut(parameters: Parameters): Promise<void> {
	const response = await endSession(parameters);
	assert.deepEqual([response.status, response.headers.location, await isSignedIn()], [400, undefined, true]);
}
/** Asserts that the user must confirm, which signs out. */
async function asksBeforeSignOut(parameters: Parameters): Promise<void> {
	const { status, headers } = await endSession(parameters);
	assert.deepEqual([status, await isSignedIn()], [303, true]);
	assert.match(headers.location ?? "", /^https:\/\/login\.example\/sign-out\?request=/);
	const id = new URL(headers.location ?? "").searchParams.get("request");
	assert.equal((await browser.go(`/api/v1/auth/sign-outs/${id}`)).status, 200);
	assert.equal((await browser.post("/api/v1/auth/logout", undefined, token)).status, 204);
	assert.equal(await isSignedIn(), false);
}
/** Asserts with `prompt=none` that the browser is signed out. */
async function isLoginRequired(): Promise<void> {
	const { url } = await startAuthorization(party, { prompt: "none" });
	const { searchParams } = new URL((await browser.go(url.href)).headers.location ?? "");
	assert.deepEqual([searchParams.get("error"), searchParams.has("code")], ["login_required", false]);
}

playPlan("oidcc-rp-initiated-logout-certification-test-plan", {
	async "oidcc-rp-initiated-logout-discovery-endpoint-verification"() {
		assert.equal(party.serverMetadata().end_session_endpoint, `${ISSUER}${END}`);
	},
	async "oidcc-rp-initiated-logout"() {
		const hint = await idToken();
		const response = await endSession({ ...BACK, id_token_hint: hint });
		assert.deepEqual([response.headers.location, await isSignedIn()], [`${BYE}?state=a%20state`, false]);
		await isLoginRequired();
	},
	async "oidcc-rp-initiated-logout-no-state"() {
		const response = await endSession({ id_token_hint: await idToken(), post_logout_redirect_uri: BYE });
		assert.deepEqual([response.headers.location, await isSignedIn()], [BYE, false]);
	},
	async "oidcc-rp-initiated-logout-no-post-logout-redirect-uri"() {
		const response = await endSession({ id_token_hint: await idToken() });
		assert.deepEqual([response.headers.location, await isSignedIn()], [`${ISSUER}/signed-out`, false]);
	},
	async "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri"() {
		const hint = await idToken();
		await refusesSignOut({ id_token_hint: hint, post_logout_redirect_uri: `${BYE}/other` });
	},
	async "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri"() {
		const hint = await idToken();
		await refusesSignOut({ id_token_hint: hint, post_logout_redirect_uri: `${BYE}?extra=1` });
	},
	async "oidcc-rp-initiated-logout-modified-id-token-hint"() {
		const [header, payload, signature = ""] = (await idToken()).split(".");
		const changed = signature.startsWith("A") ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
		const hint = `${header}.${payload}.${changed}`;
		await refusesSignOut({ id_token_hint: hint, post_logout_redirect_uri: BYE });
	},
	"oidcc-rp-initiated-logout-bad-id-token-hint": () =>
		refusesSignOut({ id_token_hint: "bad", post_logout_redirect_uri: BYE }),
	"oidcc-rp-initiated-logout-no-id-token-hint": () => refusesSignOut(BACK),
	"oidcc-rp-initiated-logout-no-params": () => asksBeforeSignOut({}),
	"oidcc-rp-initiated-logout-only-state": () => asksBeforeSignOut({ state: "a state" }),
});

playPlan("oidcc-backchannel-rp-initiated-logout-certification-test-plan", {
	async "oidcc-backchannel-logout-discovery-endpoint-verification"() {
		const metadata = party.serverMetadata();
		assert.equal(metadata.backchannel_logout_supported, true);
		assert.equal(metadata.backchannel_logout_session_supported, true);
		assert.equal(metadata.end_session_endpoint, `${ISSUER}${END}`);
		for (const [name, value] of Object.entries(metadata))
			if (name.endsWith("_endpoint")) assert.match(String(value), /^https:/, name);
	},
	async "oidcc-backchannel-rp-initiated-logout"() {
		const notified = await connectShop(`${receiver.url}/backchannel_logout`);
		const tokens = await obtainTokens(notified.party, browser, token);
		const hint = tokens.id_token ?? "";
		const response = await endSession({ ...BACK, id_token_hint: hint });
		assert.equal(response.headers.location, `${BYE}?state=a%20state`);
		const [received, ...others] = await receiver.atLeast(1);
		assert.ok(received);
		assert.deepEqual([received.path, others], ["/backchannel_logout", []]);
		const payload = await verifyLogoutToken(service, received, notified.shop.id);
		const claims = tokens.claims();
		assert.deepEqual([payload.sub, payload.sid], [claims?.sub, claims?.sid]);
		assert.deepEqual([payload.events, payload.nonce], [EVENTS, undefined]);
		await isLoginRequired();
	},
});
