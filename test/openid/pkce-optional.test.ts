// Clients whose library does not use PKCE: the nonce replaces the challenge, and a challenge that was sent still counts.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as client from "openid-client";
import type { OAuthClientSettings } from "../../src/domain/oauth-client.ts";
import {
	type AuthorizationRequest,
	CALLBACK,
	connect,
	exchange,
	relyingParty,
	startAuthorization,
	startOpenIdService,
	TestBrowser,
} from "../harness/openid.ts";
import { addPerson, type Person } from "../harness/people.ts";
import type { TestService } from "../harness/service.ts";

describe("clients with pkce: optional", () => {
	let service: TestService;
	let ada: Person;
	let browser: TestBrowser;
	let party: client.Configuration;
	before(async () => {
		service = await startOpenIdService();
		ada = await addPerson(service, "ada");
		browser = new TestBrowser(service);
		await browser.signIn(ada.username, ada.password);
		party = await partyOf({ pkce: "optional" });
	});
	after(() => service.stop());

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

	it("are the only ones: others need a challenge", async () => {
		await assertRefused(await askWithout(await partyOf({})), /PKCE/);
	});
});
