// Redirect URIs with a private-use scheme: apps on phones and desktops (RFC 8252, sections 7.1 and 8.6).

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import * as client from "openid-client";
import { APPLICATIONS, addApplication } from "../harness/access/applications.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import {
	idOf,
	openIdService,
	postForm,
	proceed,
	relyingParty,
	signedInBrowser,
	startAuthorization,
} from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";

const REDIRECT = "com.example.app:/oauth2redirect";

describe("a client with a private-use scheme", () => {
	const service = openIdService();
	let ada: Person;
	before(async () => {
		ada = await addPerson(service, "ada");
	});

	const app = async (redirect_uris: readonly string[] = [REDIRECT]) =>
		(await addApplication(service, { redirect_uris, access_policy: "open" })).id;
	const put = async (id: string, body: object) =>
		service.callAsAdmin("PUT", `${APPLICATIONS}/${id}/oauth-client`, { body });
	const patch = async (id: string, body: object) =>
		service.callAsAdmin("PATCH", `${APPLICATIONS}/${id}`, {
			body,
			headers: { accept: "application/problem+json" },
		});
	async function nativeParty(settings: object = {}) {
		const id = await app();
		await putOAuthClient(service, { type: "native", ...settings }, id);
		return await relyingParty(service, { id, secret: "" }, client.None());
	}
	const asked = (party: client.Configuration, parameters: Readonly<Record<string, string>> = {}) =>
		startAuthorization(party, { redirect_uri: REDIRECT, scope: "openid", ...parameters });

	it("has the type native: web and spa are refused, whichever comes first", async () => {
		const id = await app();
		for (const type of ["web", "spa"]) {
			const { status, body } = await put(id, { type });
			assert.equal(status, 400);
			assert.match(JSON.stringify(body), /must be native, because the application has the redirect URI com/);
		}
		assert.equal((await put(id, { type: "service" })).status, 201);
		const other = await app(["https://app.example.com/cb"]);
		assert.equal((await put(other, { type: "web" })).status, 201);
		const uris = { redirect_uris: ["https://app.example.com/cb", REDIRECT] };
		const refused = await patch(other, uris);
		assert.equal(refused.status, 400);
		assert.match(
			JSON.stringify(refused.body.errors),
			/"redirect_uris\.1".*only an OAuth client of type native/,
		);
		assert.equal((await put(other, { type: "native" })).status, 200);
		assert.equal((await patch(other, uris)).status, 200);
		assert.equal((await put(other, { type: "web" })).status, 400);
	});

	it("signs in after a press in this browser session, first-party and prompt=none included", async () => {
		for (const first_party of [false, true]) {
			const party = await nativeParty({ first_party });
			const { browser, token } = await signedInBrowser(service, ada);
			const silent = await browser.go((await asked(party, { prompt: "none" })).url.href);
			const refused = silent.headers.location ?? "";
			assert.match(refused, /^com\.example\.app:\/oauth2redirect\?/);
			assert.match(refused, /error=(?:consent|interaction)_required/);
			assert.doesNotMatch(refused, /[?&]code=/);

			const request = await asked(party);
			const { location } = (await browser.go(request.url.href)).headers;
			assert.match(location ?? "", /\/consent\?interaction=/);
			const { body } = await service.call("GET", `/api/v1/auth/interactions/${idOf(location)}`);
			assert.equal(body.data.redirect_scheme, "com.example.app");
			const next = await proceed(browser, idOf(location), token, "consent");
			const back = (await browser.go(next.body.data.redirect_to)).headers.location ?? "";
			assert.match(back, /^com\.example\.app:\/oauth2redirect\?code=/);
			const tokens = await client.authorizationCodeGrant(party, new URL(back), {
				expectedState: request.state,
				expectedNonce: request.nonce,
				pkceCodeVerifier: request.verifier,
			});
			assert.equal(tokens.claims()?.sub, ada.id);

			const { browser: elsewhere } = await signedInBrowser(service, ada);
			const again = await elsewhere.go((await asked(party)).url.href);
			assert.match(again.headers.location ?? "", /\/consent\?/, "another browser asks again");
		}
	});

	it("compares the URI byte for byte", async () => {
		const party = await nativeParty();
		const { browser } = await signedInBrowser(service, ada);
		for (const redirect_uri of [
			"com.example.app:/oauth2redirect/",
			"com.example.app://oauth2redirect",
			"com.example.app:/oauth2redirect?x=1",
			"COM.example.app:/oauth2redirect",
			"com.example.app.evil:/oauth2redirect",
		])
			assert.equal(
				(await browser.go((await asked(party, { redirect_uri })).url.href)).status,
				400,
				redirect_uri,
			);
	});

	it("is not called from sandboxed pages, whose origin is null", async () => {
		const id = await app();
		await putOAuthClient(service, { type: "native" }, id);
		const fields = { grant_type: "authorization_code", code: "x", client_id: id };
		const { headers } = await postForm(service, "/oauth/token", fields, { origin: "null" });
		assert.equal(headers["access-control-allow-origin"], undefined);
	});
});
