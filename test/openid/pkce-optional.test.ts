// Clients whose library does not use PKCE: the nonce replaces the challenge, and a challenge that was sent still counts.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import * as client from "openid-client";
import type { OAuthClientSettings } from "../../src/domain/oauth-client.ts";
import {
	type AuthorizationRequest,
	CALLBACK,
	type ConnectedClient,
	connect,
	exchange,
	ISSUER,
	openIdService,
	postForm,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	type TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";

describe("clients with pkce: optional", () => {
	const service = openIdService();
	let ada: Person;
	let browser: TestBrowser;
	let party: client.Configuration;
	before(async () => {
		ada = await addPerson(service, "ada");
		({ browser } = await signedInBrowser(service, ada));
		party = await partyOf({ pkce: "optional" });
	});

	const partyOf = async (settings: Partial<OAuthClientSettings>) =>
		relyingParty(service, await connect(service, { firstParty: true, ...settings }));

	/** A request without a challenge; an empty parameter is left out. */
	async function askWithout(by: client.Configuration, parameters: Readonly<Record<string, string>> = {}) {
		const asked = await startAuthorization(by, parameters);
		for (const name of ["code_challenge", "code_challenge_method"]) asked.url.searchParams.delete(name);
		for (const [name, value] of Object.entries(parameters))
			if (value === "") asked.url.searchParams.delete(name);
		return asked;
	}
	async function returned({ url }: Pick<AuthorizationRequest, "url">): Promise<URL> {
		const { status, headers, body } = await browser.go(url.href);
		assert.equal(status, 303, JSON.stringify(body));
		const location = new URL(headers.location ?? "");
		assert.equal(location.origin + location.pathname, CALLBACK);
		return location;
	}
	const redeem = (from: URL, { state, nonce }: AuthorizationRequest, pkceCodeVerifier?: string) =>
		client.authorizationCodeGrant(party, from, {
			expectedState: state,
			expectedNonce: nonce,
			idTokenExpected: true,
			...(pkceCodeVerifier === undefined ? {} : { pkceCodeVerifier }),
		});
	async function assertRefused(asked: AuthorizationRequest, description: RegExp): Promise<void> {
		const { searchParams } = await returned(asked);
		assert.deepEqual([searchParams.get("error"), searchParams.has("code")], ["invalid_request", false]);
		assert.match(searchParams.get("error_description") ?? "", description);
	}

	it("sign in without a challenge, with their nonce in the ID token", async () => {
		const asked = await askWithout(party);
		const tokens = await redeem(await returned(asked), asked);
		assert.deepEqual([tokens.claims()?.sub, tokens.claims()?.nonce], [ada.id, asked.nonce]);
	});

	it("need a nonce of 1 to 255 characters and the scope openid", async () => {
		const needed = /nonce of 1 to 255 characters and the scope openid|openid scope must be requested/;
		for (const parameters of [
			{ nonce: "" },
			{ nonce: "n".repeat(256) },
			{ scope: "profile" },
			{ scope: "" },
			{ nonce: "", scope: "" },
		])
			await assertRefused(await askWithout(party, parameters), needed);
		const longest = await askWithout(party, { nonce: "n".repeat(255) });
		assert.ok((await returned(longest)).searchParams.has("code"));
	});

	it("are refused the same at the endpoint for pushed requests", async () => {
		const push = async (parameters: Readonly<Record<string, string>>) =>
			client.buildAuthorizationUrlWithPAR(party, (await askWithout(party, parameters)).url.searchParams);
		await assert.rejects(push({ nonce: "" }), { error: "invalid_request" });
		assert.ok((await returned({ url: await push({}) })).searchParams.has("code"));
	});

	it("must redeem a code with the verifier if it has a challenge, and without one otherwise", async () => {
		const asked = await startAuthorization(party);
		await assert.rejects(redeem(await returned(asked), asked), { error: "invalid_grant" });
		const other = await startAuthorization(party);
		const wrong = { ...other, verifier: client.randomPKCECodeVerifier() };
		await assert.rejects(exchange(party, await returned(other), wrong), { error: "invalid_grant" });
		const right = await startAuthorization(party);
		assert.equal((await exchange(party, await returned(right), right)).claims()?.sub, ada.id);
		// Removing the challenge from a request must not help (RFC 9700, section 2.1.1).
		const stripped = await askWithout(party);
		await assert.rejects(redeem(await returned(stripped), stripped, stripped.verifier), {
			error: "invalid_grant",
		});
	});

	it("cannot use plain challenges", async () => {
		const asked = await askWithout(party);
		asked.url.searchParams.set("code_challenge", asked.verifier);
		await assertRefused(asked, /code_challenge_method must be provided/);
		asked.url.searchParams.set("code_challenge_method", "plain");
		await assertRefused(asked, /code_challenge_method/);
	});

	it("are the only ones: others need a challenge, and learn how", async () => {
		const send = "send code_challenge (PKCE, S256)";
		const wayOut = "; an administrator can set pkce to optional for this client";
		for (const [settings, text] of [
			[{}, send + wayOut],
			[{ authMethod: "client_secret_post" }, send + wayOut],
			[{ type: "spa", authMethod: "none" }, send],
		] as const) {
			const { searchParams } = await returned(await askWithout(await partyOf(settings)));
			assert.equal(searchParams.get("error_description"), text);
		}
	});
});

describe("clients with pkce: off", () => {
	const service = openIdService();
	let browser: TestBrowser;
	let shop: ConnectedClient;
	before(async () => {
		const ada = await addPerson(service, "ada");
		({ browser } = await signedInBrowser(service, ada));
		shop = await connect(service, { firstParty: true, pkce: "off" });
	});

	async function sent(parameters: Readonly<Record<string, string>>): Promise<URLSearchParams> {
		const url = new URL("/oauth/authorize", ISSUER);
		const fields = { response_type: "code", redirect_uri: CALLBACK, scope: "openid", client_id: shop.id };
		url.search = String(new URLSearchParams({ ...fields, ...parameters }));
		return new URL((await browser.go(url.href)).headers.location ?? "").searchParams;
	}
	async function redeem(code: string | null, more: Readonly<Record<string, string>> = {}) {
		const fields = { grant_type: "authorization_code", code: code ?? "", redirect_uri: CALLBACK, ...more };
		const own = { client_id: shop.id, client_secret: shop.secret };
		return (await postForm(service, "/oauth/token", { ...own, ...fields })).status;
	}

	it("sign in with a state alone", async () => {
		const back = await sent({ state: "s" });
		assert.equal(back.get("state"), "s");
		assert.equal(await redeem(back.get("code")), 200);
	});

	it("need a state", async () => {
		for (const parameters of [{}, { state: "" }, { nonce: "n" }]) {
			const back = await sent(parameters);
			const refused = [back.get("error"), back.get("error_description"), back.get("code")];
			assert.deepEqual(refused, [
				"invalid_request",
				"a request without code_challenge must have a state",
				null,
			]);
		}
	});

	it("get codes for 30 seconds", async () => {
		const inTime = await sent({ state: "s" });
		service.clock.advance(29_000);
		assert.equal(await redeem(inTime.get("code")), 200);
		const late = await sent({ state: "s" });
		service.clock.advance(31_000);
		assert.equal(await redeem(late.get("code")), 400);
	});

	it("cannot redeem with a verifier that no challenge precedes, nor without one that does", async () => {
		const verifier = client.randomPKCECodeVerifier();
		assert.equal(await redeem((await sent({ state: "s" })).get("code"), { code_verifier: verifier }), 400);
		const code_challenge = await client.calculatePKCECodeChallenge(verifier);
		const bound = () => sent({ state: "s", code_challenge, code_challenge_method: "S256" });
		assert.equal(await redeem((await bound()).get("code")), 400);
		assert.equal(await redeem((await bound()).get("code"), { code_verifier: verifier }), 200);
	});

	it("end nothing by a repeated redemption at once, and the grant later", async () => {
		const code = (await sent({ state: "s" })).get("code");
		assert.equal(await redeem(code), 200);
		assert.equal(await redeem(code), 400);
		const actions = async () => {
			const { body } = await service.callAsAdmin("GET", "/api/v1/audit-events?page_size=5");
			return body.data.map(({ action }) => action);
		};
		assert.ok((await actions()).includes("oauth.code_retried"));
		service.clock.advance(11_000);
		assert.equal(await redeem(code), 400);
		assert.ok((await actions()).includes("oauth.code_reused"));
	});
});
