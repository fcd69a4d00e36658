// Unusual but valid requests of widespread libraries, and the errors for invalid ones.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as client from "openid-client";
import {
	basicAuth,
	CALLBACK,
	type ConnectedClient,
	completeAuthorization,
	connect,
	exchange,
	idOf,
	obtainTokens,
	openIdService,
	postForm,
	proceed,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { setup } from "../harness/runs/fixture.ts";

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const OFFLINE = { scope: "openid offline_access" };

const service = openIdService();
let ada: Person;
let browser: TestBrowser;
let token: string;
setup(async () => {
	ada = await addPerson(service, "ada");
	({ browser, token } = await signedInBrowser(service, ada));
});

const partyOf = async (connected: ConnectedClient) => relyingParty(service, connected);

const post = (path: string, fields: Readonly<Record<string, string>>, authorization?: string) =>
	postForm<Record<string, string>>(service, path, fields, { ...(authorization && { authorization }) });

describe("offline_access", () => {
	const scopesOf = ({ scope = "" }: { readonly scope?: string }) => scope.split(" ");

	it("is granted to first-party clients without prompt=consent", async () => {
		const party = await partyOf(await connect(service, { firstParty: true }));
		assert.deepEqual(scopesOf(await obtainTokens(party, browser, token, OFFLINE)), [
			"openid",
			"offline_access",
		]);
	});

	it("is granted after any consent, without asking again", async () => {
		const party = await partyOf(await connect(service));
		await obtainTokens(party, browser, token, { scope: "openid" });
		const asked = await startAuthorization(party, OFFLINE);
		const back = (await browser.go(asked.url.href)).headers.location ?? "";
		const tokens = await exchange(party, new URL(back), asked);
		assert.equal(scopesOf(tokens).includes("offline_access"), true);
	});

	it("is granted by the consent itself, and with a pushed request", async () => {
		const party = await partyOf(await connect(service));
		const asked = await startAuthorization(party, OFFLINE);
		const url = await client.buildAuthorizationUrlWithPAR(party, asked.url.searchParams);
		const tokens = await exchange(party, await completeAuthorization(browser, url, token), asked);
		assert.equal(scopesOf(tokens).includes("offline_access"), true);
	});

	it("is ignored in a refresh if it was not granted; other scopes are refused", async () => {
		const party = await partyOf(await connect(service, { firstParty: true }));
		const { refresh_token = "" } = await obtainTokens(party, browser, token, { scope: "openid email" });
		const next = await client.refreshTokenGrant(party, refresh_token, {
			scope: "openid email offline_access",
		});
		assert.deepEqual(scopesOf(next), ["openid", "email"]);
		const alone = await client.refreshTokenGrant(party, next.refresh_token ?? "", {
			scope: "offline_access",
		});
		assert.deepEqual(scopesOf(alone), ["openid", "email"]);
		await assert.rejects(
			client.refreshTokenGrant(party, alone.refresh_token ?? "", { scope: "openid profile offline_access" }),
			{ error: "invalid_scope" },
		);
	});
});

describe("a missing response_type", () => {
	it("is named at the authorization endpoint and for pushed requests", async () => {
		const shop = await connect(service, { firstParty: true });
		const { url } = await startAuthorization(await partyOf(shop));
		url.searchParams.delete("response_type");
		const back = new URL((await browser.go(url.href)).headers.location ?? "");
		const expected = ["invalid_request", "response_type is required: code"];
		const named = [back.searchParams.get("error"), back.searchParams.get("error_description")];
		assert.deepEqual(named, expected);
		const fields = { ...Object.fromEntries(url.searchParams), client_secret: shop.secret };
		const { status, body } = await post("/oauth/par", fields);
		assert.deepEqual([status, body.error, body.error_description], [400, ...expected]);
	});
});

describe("Basic with an empty secret", () => {
	const basic = (id: string) => basicAuth({ id, secret: "" });

	it("names a public client", async () => {
		const tv = await connect(service, { type: "native", authMethod: "none" });
		for (const client_id of [undefined, tv.id]) {
			const id = client_id === undefined ? {} : { client_id };
			const begun = await post("/oauth/device-authorization", { scope: "openid", ...id }, basic(tv.id));
			assert.equal(begun.status, 200, JSON.stringify(begun.body));
			const { device_code = "" } = begun.body;
			const polled = await post(
				"/oauth/token",
				{ grant_type: DEVICE_GRANT, device_code, ...id },
				basic(tv.id),
			);
			assert.deepEqual([polled.status, polled.body.error], [400, "authorization_pending"]);
		}
	});

	it("is refused for a client with a secret, an unknown one, and beside another id", async () => {
		const shop = await connect(service);
		const tv = await connect(service, { type: "native", authMethod: "none" });
		for (const [id, fields] of [
			[shop.id, {}],
			[shop.id, { client_id: tv.id }],
			[tv.id, { client_id: shop.id }],
			[tv.id, { client_secret: "x" }],
			[crypto.randomUUID(), {}],
		] as const) {
			const { status, body } = await post(
				"/oauth/token",
				{ grant_type: "refresh_token", refresh_token: "x", ...fields },
				basic(id),
			);
			assert.match(`${status} ${body.error}`, /^(?:400 invalid_request|401 invalid_client)$/, id);
		}
	});
});

describe("prompt=select_account", () => {
	const asked = (party: client.Configuration, parameters: Readonly<Record<string, string>> = {}) =>
		startAuthorization(party, { prompt: "select_account", ...parameters });
	const interactionAt = async (location: string | undefined) =>
		(await service.call("GET", `/api/v1/auth/interactions/${idOf(location)}`)).body.data;

	it("asks which account, then continues with the one of the session", async () => {
		const party = await partyOf(await connect(service, { firstParty: true }));
		const request = await asked(party);
		const { location } = (await browser.go(request.url.href)).headers;
		const { prompt, select_account, sign_in_again } = await interactionAt(location);
		assert.deepEqual([prompt, select_account, sign_in_again], ["login", true, false]);
		const tokens = await exchange(party, await completeAuthorization(browser, request.url, token), request);
		assert.equal(tokens.claims()?.sub, ada.id);
	});

	it("continues with another account", async () => {
		const bob = await addPerson(service, "bob");
		const { browser: shared } = await signedInBrowser(service, ada);
		const party = await partyOf(await connect(service, { firstParty: true }));
		const request = await asked(party);
		const { location } = (await shared.go(request.url.href)).headers;
		const other = await shared.signIn(bob.username, bob.password);
		const { body } = await proceed(shared, idOf(location), other);
		const back = (await shared.go(body.data.redirect_to)).headers.location ?? "";
		assert.equal((await exchange(party, new URL(back), request)).claims()?.sub, bob.id);
	});

	it("requires a new sign-in with login, and asks for consent with consent", async () => {
		const party = await partyOf(await connect(service, { firstParty: true }));
		const { browser: visitor, token: visitorToken } = await signedInBrowser(service, ada);
		service.clock.advance(2_000);
		const again = await asked(party, { prompt: "select_account login" });
		const chosen = await proceed(
			visitor,
			idOf((await visitor.go(again.url.href)).headers.location),
			visitorToken,
		);
		const toLogin = (await visitor.go(chosen.body.data.redirect_to)).headers.location;
		const { select_account, sign_in_again } = await interactionAt(toLogin);
		assert.deepEqual([select_account, sign_in_again], [false, true]);
		assert.equal((await proceed(visitor, idOf(toLogin), visitorToken)).status, 401);

		const both = await asked(party, { prompt: "consent select_account" });
		const first = await proceed(browser, idOf((await browser.go(both.url.href)).headers.location), token);
		assert.match((await browser.go(first.body.data.redirect_to)).headers.location ?? "", /\/consent\?/);
	});

	it("asks once for a sign-in that the choice started", async () => {
		const party = await partyOf(await connect(service, { firstParty: true }));
		const visitor = new TestBrowser(service);
		const request = await asked(party, { prompt: "login select_account" });
		const { location } = (await visitor.go(request.url.href)).headers;
		service.clock.advance(1_000);
		const visitorToken = await visitor.signIn(ada.username, ada.password);
		const next = await proceed(visitor, idOf(location), visitorToken);
		const back = (await visitor.go(next.body.data.redirect_to)).headers.location ?? "";
		assert.equal(back.startsWith(CALLBACK), true, back);
	});

	it("is announced", async () => {
		const { body } = await service.call<{ prompt_values_supported: string[] }>(
			"GET",
			"/.well-known/openid-configuration",
		);
		assert.deepEqual(body.prompt_values_supported, ["none", "login", "consent", "select_account"]);
	});
});

describe("spaces in scope", () => {
	const PADDED = " openid  profile ";

	it("are ignored at the ends and between names, in every request", async () => {
		const shop = await connect(service, { firstParty: true });
		const party = await partyOf(shop);
		const tokens = await obtainTokens(party, browser, token, { scope: PADDED });
		assert.equal(tokens.scope, "openid profile");
		const pushed = await startAuthorization(party, { scope: PADDED });
		const url = await client.buildAuthorizationUrlWithPAR(party, pushed.url.searchParams);
		const returned = await completeAuthorization(browser, url, token);
		assert.equal((await exchange(party, returned, pushed)).scope, "openid profile");
		const next = await client.refreshTokenGrant(party, tokens.refresh_token ?? "", { scope: " openid " });
		assert.equal(next.scope, "openid");
		const tv = await connect(service, { type: "native", authMethod: "none" });
		const begun = await post("/oauth/device-authorization", { client_id: tv.id, scope: PADDED });
		assert.equal(begun.status, 200, JSON.stringify(begun.body));
	});

	it("are the only characters that are ignored", async () => {
		const party = await partyOf(await connect(service, { firstParty: true }));
		for (const scope of ["openid\tprofile", "openid\n", 'openid "x"']) {
			const { url } = await startAuthorization(party, { scope });
			const back = new URL((await browser.go(url.href)).headers.location ?? "");
			assert.equal(back.searchParams.get("error"), "invalid_scope", JSON.stringify(scope));
		}
	});
});

describe("POST /oauth/revoke", () => {
	it("returns an empty 200 without a content type", async () => {
		const shop = await connect(service, { firstParty: true });
		const tokens = await obtainTokens(await partyOf(shop), browser, token, { scope: "openid" });
		const fields = { token: tokens.refresh_token, client_id: shop.id, client_secret: shop.secret };
		const { status, headers, body } = await postForm(service, "/oauth/revoke", fields);
		assert.deepEqual([status, headers["content-type"], body], [200, undefined, undefined]);
	});
});
