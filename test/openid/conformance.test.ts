// The basic plan of the OpenID Foundation, with its test names; docs/conformance.md lists the results.

import assert from "node:assert/strict";
import { beforeEach, it } from "node:test";
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import * as client from "openid-client";
import { SECOND_MS } from "../../src/kernel/clock.ts";
import { APPLICATIONS } from "../harness/access/applications.ts";
import { documentedResults, type PlanTests, playPlan } from "../harness/openid/conformance.ts";
import {
	type AuthorizationRequest,
	CALLBACK,
	type ConnectedClient,
	completeAuthorization,
	connect,
	exchange,
	fetchFrom,
	ISSUER,
	idOf,
	openIdService,
	proceed,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { setup } from "../harness/runs/fixture.ts";

/** Includes the logout plans of conformance-logout.test.ts. */
const PLANS = [
	"oidcc-basic-certification-test-plan",
	"oidcc-rp-initiated-logout-certification-test-plan",
	"oidcc-backchannel-rp-initiated-logout-certification-test-plan",
];
const RS256 = { id_token_signed_response_alg: "RS256" };

const service = openIdService();
let ada: Person;
let shop: ConnectedClient;
let party: client.Configuration;
let browser: TestBrowser;
let token: string;

setup(async () => {
	ada = await addPerson(service, "ada", { display_name: "Ada Lovelace" });
	shop = await connect(service, { firstParty: true, idTokenAlg: "RS256" });
	party = await relyingParty(service, shop, undefined, RS256);
});
beforeEach(async () => {
	({ browser, token } = await signedInBrowser(service, ada));
});

type Parameters = Readonly<Record<string, string>>;

async function signIn(parameters: Parameters = {}, by = party) {
	const asked = await startAuthorization(by, parameters);
	const returned = await completeAuthorization(browser, asked.url, token);
	return { asked, returned, tokens: await exchange(by, returned, asked) };
}
/** Asserts a sign-in without user interaction. */
async function returnedAtOnce({ url }: Pick<AuthorizationRequest, "url">): Promise<URL> {
	const { status, headers, body } = await browser.go(url.href);
	assert.equal(status, 303, JSON.stringify(body));
	const returned = new URL(headers.location ?? "");
	assert.equal(returned.origin + returned.pathname, CALLBACK);
	return returned;
}
const succeedsWith = (parameters: Parameters) => async () => {
	assert.equal((await signIn(parameters)).tokens.claims()?.sub, ada.id);
};
const refusesWith = (parameters: Parameters, error: string) => async () => {
	const returned = await returnedAtOnce(await startAuthorization(party, parameters));
	assert.deepEqual([returned.searchParams.get("error"), returned.searchParams.has("code")], [error, false]);
};
async function returnsUserinfoTo(method: string, place: "header" | "body"): Promise<void> {
	const { access_token } = (await signIn()).tokens;
	const response = await fetchFrom(service)(`${ISSUER}/oauth/userinfo`, {
		method,
		...(place === "header"
			? { headers: { authorization: `Bearer ${access_token}` } }
			: { body: new URLSearchParams({ access_token }) }),
	});
	assert.deepEqual([response.status, ((await response.json()) as { sub: string }).sub], [200, ada.id]);
}
async function claimsOf(scope: string, names: readonly string[]): Promise<void> {
	const { tokens } = await signIn({ scope });
	const info = await client.fetchUserInfo(party, tokens.access_token, ada.id);
	for (const name of names) assert.ok(name in info, name);
}

/** Moves the time of the sign-in instead of the clock, because the library uses the clock of the machine. */
async function signedInEarlier(): Promise<void> {
	await using engine = await service.openDatabase();
	await engine.queries.run(
		"UPDATE sessions SET authenticated_at = authenticated_at - $1 WHERE user_id = $2",
		600 * SECOND_MS,
		ada.id,
	);
}

/** Asserts that a sign-in is required despite a session, and that the new session is used. */
async function signsInAgain(parameters: Parameters): Promise<void> {
	await signedInEarlier();
	const before = (await signIn()).tokens.claims();
	const asked = await startAuthorization(party, parameters);
	const { location } = (await browser.go(asked.url.href)).headers;
	assert.match(location ?? "", /\/sign-in\?interaction=/);
	const refused = await proceed(browser, idOf(location), token);
	assert.equal(refused.body.error, "the application requires a new sign-in");
	token = await browser.signIn(ada.username, ada.password);
	const response = await proceed(browser, idOf(location), token);
	const returned = await completeAuthorization(browser, response.body.data.redirect_to, token);
	const after = (await exchange(party, returned, asked)).claims();
	assert.equal(after?.sub, before?.sub);
	assert.ok(Number(after?.auth_time) > Number(before?.auth_time));
}
async function staysSignedIn(more: (idToken: string) => Parameters): Promise<void> {
	await signedInEarlier();
	const { tokens } = await signIn();
	const asked = await startAuthorization(party, more(tokens.id_token ?? ""));
	const again = (await exchange(party, await returnedAtOnce(asked), asked)).claims();
	const [before, after] = [tokens.claims(), again].map((claims) => [claims?.sub, claims?.auth_time]);
	assert.deepEqual(after, before);
}

const PASSED: PlanTests = {
	"oidcc-server": succeedsWith({}),
	async "oidcc-response-type-missing"() {
		const { url } = await startAuthorization(party);
		url.searchParams.delete("response_type");
		const returned = await returnedAtOnce({ url });
		assert.equal(returned.searchParams.get("error"), "invalid_request");
	},
	async "oidcc-idtoken-signature"() {
		const { id_token = "" } = (await signIn()).tokens;
		const { body } = await service.call<JSONWebKeySet>("GET", "/.well-known/jwks.json", { https: true });
		await jwtVerify(id_token, createLocalJWKSet(body), { issuer: ISSUER, audience: shop.id });
		const { alg, kid } = decodeProtectedHeader(id_token);
		assert.deepEqual([alg, typeof kid], ["RS256", "string"]);
	},
	"oidcc-userinfo-get": () => returnsUserinfoTo("GET", "header"),
	"oidcc-userinfo-post-header": () => returnsUserinfoTo("POST", "header"),
	"oidcc-userinfo-post-body": () => returnsUserinfoTo("POST", "body"),
	async "oidcc-ensure-request-without-nonce-succeeds-for-code-flow"() {
		const asked = await startAuthorization(party);
		asked.url.searchParams.delete("nonce");
		const tokens = await client.authorizationCodeGrant(party, await returnedAtOnce(asked), {
			pkceCodeVerifier: asked.verifier,
			expectedState: asked.state,
			idTokenExpected: true,
		});
		assert.equal(tokens.claims()?.nonce, undefined);
	},
	"oidcc-scope-profile": () => claimsOf("openid profile", ["name", "preferred_username", "updated_at"]),
	"oidcc-scope-email": () => claimsOf("openid email", ["email", "email_verified"]),
	"oidcc-ensure-other-scope-order-succeeds": succeedsWith({ scope: "email openid" }),
	async "oidcc-alternate-happy-flow"() {
		const asked = await startAuthorization(party, { scope: "email openid" });
		const reversed = new URLSearchParams([...asked.url.searchParams].toReversed());
		const url = new URL(`${asked.url.origin}${asked.url.pathname}?${reversed}`);
		const tokens = await exchange(party, await returnedAtOnce({ url }), asked);
		const info = await client.fetchUserInfo(party, tokens.access_token, ada.id);
		assert.deepEqual([info.email, typeof info.email_verified], [ada.email, "boolean"]);
	},
	"oidcc-display-page": succeedsWith({ display: "page" }),
	"oidcc-display-popup": succeedsWith({ display: "popup" }),
	"oidcc-prompt-login": () => signsInAgain({ prompt: "login" }),
	async "oidcc-prompt-none-not-logged-in"() {
		browser = new TestBrowser(service);
		await refusesWith({ prompt: "none" }, "login_required")();
	},
	"oidcc-prompt-none-logged-in": () => staysSignedIn(() => ({ prompt: "none" })),
	"oidcc-max-age-1": () => signsInAgain({ max_age: "1" }),
	"oidcc-max-age-10000": () => staysSignedIn(() => ({ max_age: "10000" })),
	"oidcc-id-token-hint": () => staysSignedIn((hint) => ({ prompt: "none", id_token_hint: hint })),
	"oidcc-ensure-request-with-unknown-parameter-succeeds": succeedsWith({ extra: "foobar" }),
	"oidcc-login-hint": succeedsWith({ login_hint: "ada" }),
	"oidcc-ui-locales": succeedsWith({ ui_locales: "se" }),
	"oidcc-claims-locales": succeedsWith({ claims_locales: "se" }),
	"oidcc-ensure-request-with-acr-values-succeeds": succeedsWith({ acr_values: "1 2" }),
	async "oidcc-codereuse"() {
		const { asked, returned } = await signIn();
		await assert.rejects(exchange(party, returned, asked), { error: "invalid_grant" });
	},
	async "oidcc-codereuse-30seconds"() {
		const { asked, returned, tokens } = await signIn();
		service.clock.advance(30 * SECOND_MS);
		await assert.rejects(exchange(party, returned, asked), { error: "invalid_grant" });
		await assert.rejects(client.fetchUserInfo(party, tokens.access_token, ada.id));
	},
	async "oidcc-ensure-registered-redirect-uri"() {
		const { url } = await startAuthorization(party, { redirect_uri: `${CALLBACK}/other` });
		const { status, headers } = await browser.go(url.href);
		assert.deepEqual([status, headers.location], [400, undefined]);
	},
	async "oidcc-refresh-token"() {
		const { tokens } = await signIn({ scope: "openid offline_access" });
		const refreshed = await client.refreshTokenGrant(party, tokens.refresh_token ?? "");
		const [before, after] = [tokens, refreshed].map((each) => each.claims());
		assert.deepEqual(
			[after?.iss, after?.sub, after?.aud, after?.auth_time],
			[before?.iss, before?.sub, before?.aud, before?.auth_time],
		);
		assert.notEqual(refreshed.access_token, tokens.access_token);
	},
	"oidcc-ensure-request-with-valid-pkce-succeeds": succeedsWith({}),
	async "oidcc-ensure-post-request-succeeds"() {
		const asked = await startAuthorization(party);
		const { origin, pathname, searchParams: body } = asked.url;
		const response = await fetchFrom(service)(`${origin}${pathname}`, { method: "POST", body });
		const returned = await completeAuthorization(browser, response.headers.get("location") ?? "", token);
		assert.equal((await exchange(party, returned, asked)).claims()?.sub, ada.id);
	},
	async "oidcc-server-client-secret-post"() {
		const posting = await connect(service, { firstParty: true, authMethod: "client_secret_post" });
		const by = await relyingParty(service, posting, client.ClientSecretPost(posting.secret));
		assert.equal((await signIn({}, by)).tokens.claims()?.aud, posting.id);
	},
};

/** Features that the plan allows a provider not to support if it says so. */
const REFUSED: PlanTests = {
	async "oidcc-idtoken-unsigned"() {
		const response = await service.callAsAdmin("PUT", `${APPLICATIONS}/${shop.id}/oauth-client`, {
			body: { type: "web", id_token_alg: "none" },
		});
		assert.equal(response.status, 400);
	},
	"oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported": refusesWith(
		{ request: "eyJhbGciOiJub25lIn0.eyJzY29wZSI6Im9wZW5pZCJ9." },
		"request_not_supported",
	),
	"oidcc-ensure-request-object-with-redirect-uri": refusesWith(
		{ request: "eyJhbGciOiJub25lIn0.eyJyZWRpcmVjdF91cmkiOiJodHRwczovL2V2aWwuZXhhbXBsZSJ9." },
		"request_not_supported",
	),
	"oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported": refusesWith(
		{ request_uri: "https://shop.example/request" },
		"request_uri_not_supported",
	),
};

playPlan("oidcc-basic-certification-test-plan", PASSED, REFUSED);

it("every documented plan is run by a test file", () => {
	assert.deepEqual(new Set(documentedResults().map((row) => row.split(" ")[0])), new Set(PLANS));
});
