// Unusual but valid requests of widespread libraries, and the errors for invalid ones.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as client from "openid-client";
import {
	type ConnectedClient,
	completeAuthorization,
	connect,
	exchange,
	fetchFrom,
	ISSUER,
	obtainTokens,
	relyingParty,
	startAuthorization,
	startOpenIdService,
	TestBrowser,
} from "../harness/openid.ts";
import { addPerson, type Person } from "../harness/people.ts";
import type { TestService } from "../harness/service.ts";

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const OFFLINE = { scope: "openid offline_access" };

let service: TestService;
let ada: Person;
let browser: TestBrowser;
let token: string;
before(async () => {
	service = await startOpenIdService();
	ada = await addPerson(service, "ada");
	browser = new TestBrowser(service);
	token = await browser.signIn(ada.username, ada.password);
});
after(() => service.stop());

const partyOf = async (connected: ConnectedClient) => relyingParty(service, connected);

async function post(path: string, fields: Readonly<Record<string, string>>, authorization?: string) {
	const response = await fetchFrom(service)(`${ISSUER}${path}`, {
		method: "POST",
		body: new URLSearchParams(fields),
		headers: authorization === undefined ? {} : { authorization },
	});
	return { status: response.status, body: (await response.json()) as Record<string, string> };
}

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
	const basic = (id: string) => `Basic ${btoa(`${id}:`)}`;

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
