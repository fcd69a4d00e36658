// `response_mode=form_post` between a browser and an Express application with openid-client.

import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import express from "express";
import * as client from "openid-client";
import { addApplication } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { enterPassword, PAGES_URL } from "../harness/browser/pages.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { type AuthorizationRequest, relyingParty, startAuthorization } from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import type { TestService } from "../harness/service/service.ts";

interface Shop extends AsyncDisposable {
	readonly url: string;
	/** The `Origin` of the posted forms. */
	readonly origins: readonly (string | undefined)[];
}

/** Its cookie is `SameSite=None`, because the form comes from another site. */
async function startShop(service: TestService, parameters: Readonly<Record<string, string>>): Promise<Shop> {
	const app = express();
	const server = app.listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	const url = `http://localhost:${port}`;
	const redirect_uri = `${url}/callback`;
	const { id } = await addApplication(service, { access_policy: "open", redirect_uris: [redirect_uri] });
	const { client_secret: secret = "" } = await putOAuthClient(service, { first_party: true }, id);
	const party = await relyingParty(service, { id, secret }, undefined, {}, PAGES_URL);
	const begun = new Map<string, AuthorizationRequest>();
	const origins: (string | undefined)[] = [];

	app.get("/", async (_request, response) => {
		const asked = await startAuthorization(party, {
			redirect_uri,
			response_mode: "form_post",
			...parameters,
		});
		begun.set(asked.state, asked);
		response.cookie("sign-in", asked.state, { httpOnly: true, sameSite: "none", secure: true });
		response.redirect(302, asked.url.href);
	});
	app.post("/callback", express.text({ type: "*/*" }), async (request, response) => {
		origins.push(request.headers.origin);
		const [, state = ""] = /sign-in=([^;]*)/.exec(request.headers.cookie ?? "") ?? [];
		const asked = begun.get(state);
		if (asked === undefined) return response.status(400).send("the sign-in began in another browser");
		const received = new Request(redirect_uri, {
			method: "POST",
			headers: { "content-type": request.headers["content-type"] ?? "" },
			body: String(request.body),
		});
		const outcome = await client
			.authorizationCodeGrant(party, received, {
				pkceCodeVerifier: asked.verifier,
				expectedState: asked.state,
				expectedNonce: asked.nonce,
				idTokenExpected: true,
			})
			.then(
				(tokens) => `Orders of ${tokens.claims()?.preferred_username}`,
				({ error }: { error: string }) => `Refused: ${error}`,
			);
		// Another origin, as where the callback belongs to a server of its own.
		response.redirect(303, `http://127.0.0.1:${port}/orders?${new URLSearchParams({ outcome })}`);
	});
	// Chromium reports the missing icon of a site as an error.
	app.get("/favicon.ico", (_request, response) => response.status(204).end());
	app.get("/orders", (request, response) => response.type("text").send(String(request.query.outcome)));
	return {
		url,
		origins,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}

describePages("form_post", (pages) => {
	test("returns the code in a form after the sign-in page", async () => {
		const ada = await addPerson(pages.service, "ada");
		await using shop = await startShop(pages.service, {});
		const { page, troubles } = await pages.open();
		await page.goto(shop.url);
		await enterPassword(page, ada);
		await page.getByText("Orders of ada").waitFor();
		assert.deepEqual(shop.origins, [PAGES_URL]);
		assert.deepEqual(troubles, []);
	});

	test("returns at once with a session, and returns errors the same way", async () => {
		const bob = await addPerson(pages.service, "bob");
		await using shop = await startShop(pages.service, { prompt: "none" });
		const { page } = await pages.openAs(bob);
		await page.goto(shop.url);
		await page.getByText("Orders of bob").waitFor();
		const { page: other } = await pages.open();
		await other.goto(shop.url);
		await other.getByText("Refused: login_required").waitFor();
	});

	test("offers a button to browsers without scripts", async () => {
		const eve = await addPerson(pages.service, "eve");
		await using shop = await startShop(pages.service, { prompt: "none" });
		const { context } = await pages.openAs(eve);
		const cookies = await context.cookies();
		const { page, context: plain } = await pages.open(undefined, { javaScriptEnabled: false });
		await plain.addCookies(cookies);
		await page.goto(shop.url);
		await page.getByRole("button", { name: "Continue to the application" }).click();
		await page.getByText("Orders of eve").waitFor();
	});
});
