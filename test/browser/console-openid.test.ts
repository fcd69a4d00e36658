// Connects an application with OpenID Connect in the console, and signs in with the credentials shown.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { fillIn } from "../../pages/console/openid/fill-in.ts";
import { FRAMEWORKS, type Framework } from "../../pages/console/openid/frameworks.ts";
import { filesIn } from "../../scripts/pages/guide-code.ts";
import { readDocument } from "../docs/document.ts";
import { APPLICATIONS, addApplication } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import {
	assertAccessible,
	noAxeViolations,
	PAGES_URL,
	tabAndPress,
	tabTo,
} from "../harness/browser/pages.ts";
import { liveSecrets, putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { exchange, relyingParty, startAuthorization } from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import { ADMIN } from "../harness/service/service.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const GUIDE_FILES = filesIn(readDocument("docs/protect-your-application.md"));
const BACK = `${PAGES_URL}/docs`;

describePages("connecting an application with OpenID Connect", (pages) => {
	const clientOf = async (id: string) =>
		pages.service.call("GET", `${APPLICATIONS}/${id}/oauth-client`, {
			token: await pages.service.adminToken(),
		});
	const open = (id: string, user = ADMIN, locale = "en") =>
		pages.openAs(user, `/console/applications/${id}#connect`, { locale });
	const choose = (page: Page, way: RegExp) => page.getByRole("button", { name: way }).click();
	const dialog = (page: Page) => page.getByRole("dialog");

	test("shows the secret once, saves it as a file, and accepts it from a client", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { name: "Shop", access_policy: "open" });
		const { page, troubles } = await open(id);
		await page.getByRole("heading", { name: "How is your application built?" }).waitFor();
		await assertAccessible(page);
		await tabAndPress(page, /^Another server/);
		await page.getByRole("button", { name: "Connect", exact: true }).click();
		await page.getByText("Enter the URI that people return to.").waitFor();
		await page.locator(`[name="redirect_uris.0"]`).fill("http://shop.example.com/");
		await page.getByRole("button", { name: "Connect", exact: true }).click();
		await page.getByText("Use https:// (http:// only for").waitFor();
		await page.locator("[name^=redirect_uris][aria-invalid=true]").waitFor();
		assert.equal((await clientOf(id)).status, 404);
		await page.locator(`[name="redirect_uris.0"]`).fill(BACK);
		await page.getByText("More settings").click();
		await page.getByRole("checkbox", { name: "Our own application" }).check();
		await assertAccessible(page);
		await tabAndPress(page, "Connect");

		await dialog(page).getByText("The secret is shown only once").waitFor();
		await assertAccessible(page);
		assert.equal(await page.getByRole("button", { name: "Done" }).isDisabled(), true);
		const download = page.waitForEvent("download");
		await dialog(page).getByRole("button", { name: "Save" }).click();
		const variables = Object.fromEntries(
			readFileSync(await (await download).path(), "utf8")
				.trim()
				.split("\n")
				.map((line) => line.split("=") as [string, string]),
		);
		const secret = variables.OIDC_CLIENT_SECRET ?? "";
		assert.deepEqual([variables.OIDC_ISSUER, variables.OIDC_CLIENT_ID], [PAGES_URL, id]);
		assert.deepEqual(await liveSecrets(service, id, [secret]), [true]);
		await dialog(page).getByRole("checkbox", { name: "I have saved it" }).check();
		await dialog(page).getByRole("button", { name: "Done" }).click();
		await page.getByText(`${PAGES_URL}/.well-known/openid-configuration`).waitFor();
		await page.getByText(secret.slice(-4)).waitFor();
		assert.equal(await page.getByText(secret).count(), 0);
		await assertAccessible(page);

		const party = await relyingParty(service, { id, secret }, undefined, {}, PAGES_URL);
		const request = await startAuthorization(party, { redirect_uri: BACK });
		await page.goto(request.url.href, { waitUntil: "commit" });
		await page.waitForURL(`${BACK}?*`, { waitUntil: "commit" });
		assert.ok((await exchange(party, new URL(page.url()), request)).id_token);
		// The refused URIs.
		assert.deepEqual(
			troubles.filter((trouble) => !/ 400 /.test(trouble)),
			[],
		);
	});

	test("asks for the framework first, and turns green at the first sign-in", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { name: "Desk", access_policy: "open" });
		const { page } = await open(id);
		await choose(page, /^Next\.js/);
		const addresses = page.locator(`[name="redirect_uris.0"]`);
		assert.equal(await addresses.inputValue(), "http://localhost:3000/api/auth/callback/latchkey");
		await addresses.fill(BACK);
		assert.equal(await page.locator("form :is(input, select, textarea):visible").count(), 1);
		await page.getByText("More settings").click();
		await page.getByRole("checkbox", { name: "Our own application" }).check();
		await page.getByRole("button", { name: "Connect", exact: true }).click();
		const secret = (await dialog(page).getByText(/^ocs_/).textContent()) ?? "";
		await dialog(page).getByRole("checkbox", { name: "I have saved it" }).check();
		await dialog(page).getByRole("button", { name: "Done" }).click();
		assert.equal(await page.getByLabel("Framework", { exact: true }).inputValue(), "next");
		await page.getByText("Waiting for the first sign-in…").waitFor();
		await assertAccessible(page);

		const party = await relyingParty(service, { id, secret }, undefined, {}, PAGES_URL);
		const request = await startAuthorization(party, { redirect_uri: BACK });
		const { page: elsewhere } = await pages.openAs(ADMIN, request.url.pathname + request.url.search);
		await elsewhere.waitForURL(`${BACK}?*`, { waitUntil: "commit" });
		await exchange(party, new URL(elsewhere.url()), request);
		await page.getByRole("status").filter({ hasText: "Sign-in works" }).waitFor();
		await assertAccessible(page);
		await page.reload();
		await page.getByText(/Last sign-in:/).waitFor();
	});

	test("says while no one has access, shows who was refused, and gives access", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { redirect_uris: [BACK] });
		const { client_secret: secret = "" } = await putOAuthClient(service, { first_party: true }, id);
		const { page } = await open(id);
		await page.getByText("No one can sign in yet").waitFor();
		await assertAccessible(page);
		const party = await relyingParty(service, { id, secret }, undefined, {}, PAGES_URL);
		const request = await startAuthorization(party, { redirect_uri: BACK });
		const { page: elsewhere } = await pages.openAs(ADMIN, request.url.pathname + request.url.search);
		await elsewhere.getByRole("link", { name: "Get access" }).waitFor();
		await assertAccessible(elsewhere);
		const link = elsewhere.getByRole("link", { name: "Get access" });
		assert.equal(await link.getAttribute("href"), `/console/applications/${id}#connect`);
		// Within seconds, without a reload.
		await page.getByText("admin was refused: no access").waitFor();

		const ada = await addPerson(service, "ada");
		const hers = await startAuthorization(party, { redirect_uri: BACK });
		const { page: adas } = await pages.openAs(ada, hers.url.pathname + hers.url.search);
		await adas.getByText(/^You don't have access to .+\. Ask the person who runs it\.$/).waitFor();
		assert.equal(await adas.getByRole("link", { name: "Get access" }).count(), 0);
		await page.getByRole("button", { name: "Give yourself access" }).click();
		await page.getByRole("button", { name: "Give ada access" }).click();
		await page.getByText("Run your application and sign in.").waitFor();
		await adas.goto(hers.url.href);
		await adas.waitForURL(`${BACK}?*`, { waitUntil: "commit" });
		await exchange(party, new URL(adas.url()), hers);
		await page.getByRole("status").filter({ hasText: "Sign-in works" }).waitFor();
	});

	test("opens an application to everyone from the notice", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { redirect_uris: [BACK] });
		await putOAuthClient(service, {}, id);
		const { page } = await open(id);
		await page.getByRole("button", { name: "Open to everyone" }).click();
		await page.getByText("Run your application and sign in.").waitFor();
		assert.equal((await service.asAdmin("GET", `/api/v1/applications/${id}`)).access_policy, "open");
	});

	test("connects a client that authenticates with a key, reports invalid keys, and changes to a secret", async () => {
		const { service } = pages;
		const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
		const { id } = await addApplication(service, { name: "Ledger", redirect_uris: [BACK] });
		const { page } = await open(id);
		const connectIt = page.getByRole("button", { name: "Connect", exact: true });
		await choose(page, /^Another server/);
		await page.getByText("More settings").click();
		await page.getByLabel("Client authentication").selectOption("private_key_jwt");
		await connectIt.click();
		await page.getByText("Enter the URL of the keys.").waitFor();
		await page.getByRole("radio", { name: "Enter them here" }).check();
		await page.locator("[name=jwks]").fill("{");
		await connectIt.click();
		await page.getByText("Enter a JSON Web Key Set").waitFor();
		await page.locator("[name=jwks]").fill(JSON.stringify(privateKey.export({ format: "jwk" })));
		await connectIt.click();
		await page.locator("[name=jwks][aria-invalid=true]").waitFor();
		assert.equal((await clientOf(id)).status, 404);
		await page.locator("[name=jwks]").fill(JSON.stringify(publicKey.export({ format: "jwk" })));
		await assertAccessible(page);
		await connectIt.click();
		await dialog(page).getByRole("button", { name: "Done" }).click();
		await page.getByText("none: authenticates with a key").waitFor();
		assert.equal((await clientOf(id)).body.data.jwks?.keys.length, 1);

		await page.getByRole("button", { name: "Change settings…" }).click();
		await page.getByLabel("Client authentication").selectOption("client_secret_post");
		await page.getByText("Changing the authentication method revokes all tokens").waitFor();
		await noAxeViolations(page);
		await page.getByRole("button", { name: "Save" }).click();
		const secret = (await dialog(page).getByText(/^ocs_/).textContent()) ?? "";
		await dialog(page).getByRole("checkbox", { name: "I have saved it" }).check();
		await dialog(page).getByRole("button", { name: "Done" }).click();
		await page.getByText(secret.slice(-4)).waitFor();
		const { auth_method, jwks } = (await clientOf(id)).body.data;
		assert.deepEqual([auth_method, jwks], ["client_secret_post", null]);
		assert.deepEqual(await liveSecrets(service, id, [secret]), [true]);
	});

	test("changes the settings of a client, and keeps the others", async () => {
		const { service } = pages;
		const resource = "https://ledger.example.com/api";
		const { client_id: id } = await putOAuthClient(service, { resource });
		const before = (await clientOf(id)).body.data;
		const { page } = await open(id);
		const change = async () => page.getByRole("button", { name: "Change settings…" }).click();
		await change();
		await page.locator("[name=backchannel_logout_uri]").fill("https://127.0.0.1/ended");
		await page.getByRole("button", { name: "Save" }).click();
		await page.locator("[name=backchannel_logout_uri][aria-invalid=true]").waitFor();
		await page.locator("[name=backchannel_logout_uri]").fill("https://ledger.example.com/ended");
		await page.getByLabel("Post-logout redirect URIs, row 1").fill("https://ledger.example.com/bye");
		await page.getByLabel("APIs it can request tokens for, row 1").fill(resource);
		await page.getByLabel("ID token signature").selectOption("ES256");
		await page.getByLabel("PKCE").selectOption("optional");
		await page.getByRole("checkbox", { name: "Our own application" }).check();
		await assertAccessible(page);
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("https://ledger.example.com/ended").waitFor();
		const { updated_at: _, ...after } = (await clientOf(id)).body.data;
		const { updated_at: _before, ...expected } = {
			...before,
			backchannel_logout_uri: "https://ledger.example.com/ended",
			post_logout_redirect_uris: ["https://ledger.example.com/bye"],
			allowed_resources: [resource],
			id_token_alg: "ES256",
			pkce: "optional",
			first_party: true,
		};
		assert.deepEqual(after, expected);
		await change();
		// Another administrator changes a setting that this one does not.
		await service.asAdmin("PUT", `${APPLICATIONS}/${id}/oauth-client`, {
			type: "web",
			first_party: false,
			resource,
		});
		await page.getByLabel("PKCE").selectOption("required");
		await page.getByRole("button", { name: "Save" }).click();
		await change();
		const { pkce, first_party } = (await clientOf(id)).body.data;
		assert.deepEqual([pkce, first_party], ["required", false]);
		await page.locator("[name=resource]").fill("https://other.example.com");
		await page.getByRole("button", { name: "Discard" }).click();
		await page.getByRole("button", { name: "Disconnect…" }).waitFor();
		assert.equal((await clientOf(id)).body.data.resource, resource);
	});

	test("regenerates the secret with an overlap or immediately", async () => {
		const { service } = pages;
		const { client_id: id, client_secret: first = "" } = await putOAuthClient(service);
		const { page } = await open(id);
		const regenerate = async (overlap?: string): Promise<string> => {
			await page.getByRole("button", { name: "Rotate secret…" }).click();
			if (overlap !== undefined) await page.getByRole("radio", { name: overlap }).check();
			await dialog(page).getByRole("button", { name: "Rotate secret", exact: true }).click();
			const value = dialog(page).getByText(/^ocs_/);
			const secret = (await value.textContent()) ?? "";
			await dialog(page).getByRole("checkbox", { name: "I have saved it" }).check();
			await dialog(page).getByRole("button", { name: "Done" }).click();
			await page.getByText(secret.slice(-4)).waitFor();
			return secret;
		};
		const second = await regenerate();
		await page.getByText("The previous secret is valid until").waitFor();
		assert.deepEqual(await liveSecrets(service, id, [first, second]), [true, true]);
		const third = await regenerate("stops working immediately");
		assert.deepEqual(await liveSecrets(service, id, [first, second, third]), [false, false, true]);
	});

	test("connects a service without redirect URIs, and a browser application without a secret", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { name: "Nightly job" });
		const { page } = await open(id);
		await choose(page, /^Machine to machine/);
		await page.getByRole("button", { name: "Connect", exact: true }).waitFor();
		assert.equal(await page.getByLabel(/^Redirect URIs/).count(), 0);
		await page.getByRole("button", { name: "Connect", exact: true }).click();
		await dialog(page).getByText(/^ocs_/).waitFor();
		assert.equal((await clientOf(id)).body.data.type, "service");
		await dialog(page).getByRole("checkbox", { name: "I have saved it" }).check();
		await dialog(page).getByRole("button", { name: "Done" }).click();
		await page.getByRole("button", { name: "Disconnect…" }).waitFor();
		assert.equal(await page.getByText("Code for your framework").count(), 0);

		const spa = await addApplication(service, { name: "Board", redirect_uris: [BACK] });
		const other = await open(spa.id);
		await choose(other.page, /^Single-page app/);
		await other.page.getByRole("button", { name: "Connect", exact: true }).click();
		await dialog(other.page).getByRole("button", { name: "Done" }).click();
		await other.page.getByRole("button", { name: "Disconnect…" }).waitFor();
		assert.equal(await other.page.getByRole("button", { name: "Rotate secret…" }).count(), 0);
	});

	test("sets PKCE and the signature for a library, and the device flow only on request", async () => {
		const { service } = pages;
		const wiki = await addApplication(service, { name: "Wiki", redirect_uris: [BACK] });
		const { page } = await open(wiki.id);
		await choose(page, /^Another server/);
		await page.getByLabel("Framework or library").selectOption("OmniAuth");
		await page.getByRole("button", { name: "Connect", exact: true }).click();
		await dialog(page).getByText(/^ocs_/).waitFor();
		const { pkce, id_token_alg } = (await clientOf(wiki.id)).body.data;
		assert.deepEqual([pkce, id_token_alg], ["optional", "RS256"]);

		const tv = await addApplication(service, { name: "TV" });
		const { page: other } = await open(tv.id);
		await choose(other, /^Mobile or desktop app/);
		await other.getByRole("button", { name: "Connect", exact: true }).waitFor();
		assert.equal(await other.getByLabel("Framework or library").count(), 0);
		await other.getByRole("checkbox", { name: "Sign-in with a device code" }).check();
		await assertAccessible(other);
		await other.getByRole("button", { name: "Connect", exact: true }).click();
		await dialog(other).getByRole("button", { name: "Done" }).click();
		await other.getByRole("button", { name: "Change settings…" }).click();
		assert.equal((await clientOf(tv.id)).body.data.device_flow, true);
		await other.getByRole("checkbox", { name: "Sign-in with a device code" }).uncheck();
		await other.getByRole("button", { name: "Save" }).click();
		await other.getByRole("button", { name: "Disconnect…" }).waitFor();
		assert.equal((await clientOf(tv.id)).body.data.device_flow, false);
	});

	test("changes the response modes", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { name: "Forms", redirect_uris: [BACK] });
		await putOAuthClient(service, {}, id);
		const { page } = await open(id);
		await page.getByRole("button", { name: "Change settings…" }).click();
		const modes = page.getByRole("group", { name: "Response modes" });
		assert.equal(await modes.getByRole("checkbox", { name: "Query (query)" }).isChecked(), true);
		await modes.getByRole("checkbox", { name: "Query (query)" }).uncheck();
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByRole("button", { name: "Disconnect…" }).waitFor();
		assert.deepEqual((await clientOf(id)).body.data.response_modes, ["form_post"]);

		await page.getByRole("button", { name: "Change settings…" }).click();
		await modes.getByRole("checkbox", { name: "Form (form_post)" }).uncheck();
		await page.getByRole("button", { name: "Save" }).click();
		await modes.getByText("must not be empty").waitFor();
		assert.deepEqual((await clientOf(id)).body.data.response_modes, ["form_post"]);
	});

	test("disconnects after the name is typed, and can connect again", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { name: "Old shop", redirect_uris: [BACK] });
		await putOAuthClient(service, {}, id);
		const { page } = await open(id);
		await page.getByRole("button", { name: "Disconnect…" }).click();
		const confirm = dialog(page).getByRole("button", { name: "Disconnect", exact: true });
		assert.equal(await confirm.isDisabled(), true);
		await page.getByLabel(/to confirm/).fill("Old shop");
		await confirm.click();
		await page.getByText("The application was disconnected.").waitFor();
		await choose(page, /^Express/);
		await page.getByRole("button", { name: "Connect", exact: true }).waitFor();
		assert.equal((await clientOf(id)).status, 404);
	});

	test("shows code for each framework with the values of the client, and loads it on demand", async () => {
		const { service } = pages;
		const callback = "https://shop.example.com/signed-in";
		const { id } = await addApplication(service, {
			name: "Shop",
			redirect_uris: [callback, "http://localhost:4321/back"],
		});
		await putOAuthClient(service, {}, id);
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}#settings`);
		await page.getByRole("button", { name: "Delete application…" }).waitFor();
		// What the page loads for later.
		await page.waitForLoadState("networkidle");
		const scripts: string[] = [];
		page.on("request", (request) => {
			if (request.resourceType() === "script") scripts.push(request.url());
		});
		await page.getByRole("tab", { name: "Connect" }).click();
		const card = page.getByRole("region", { name: "Code for your framework" });
		const framework = card.getByLabel("Framework");
		await framework.waitFor();
		assert.ok(scripts.length > 0 && scripts.length <= 2, scripts.join("\n"));

		const connection = { issuer: PAGES_URL, clientId: id, redirectUri: callback };
		for (const { key, label, files, anchor, callback: served } of FRAMEWORKS as readonly Framework[]) {
			await tabTo(page, "Framework");
			await framework.selectOption(key);
			await card.getByText(files[0] ?? "", { exact: true }).waitFor();
			const redirectUri = served.isFixed ? `http://localhost:3000${served.path}` : callback;
			assert.deepEqual(
				await card.locator("pre").allTextContents(),
				files.map((file) => fillIn(GUIDE_FILES[file] ?? "missing", { ...connection, redirectUri })),
			);
			assert.equal(await card.getByText("Register this redirect URI first").count(), served.isFixed ? 1 : 0);
			const link = card.getByRole("link", { name: `the guide for ${label}` });
			assert.equal(await link.getAttribute("href"), `/docs/protect-your-application#${anchor}`);
		}
		await framework.selectOption("express");
		await card.getByLabel("Redirect URI").selectOption("http://localhost:4321/back");
		const shown = (await card.locator("pre").textContent()) ?? "";
		assert.ok(shown.includes('APP_URL = "http://localhost:4321", PORT = "4321"'), shown);
		await card.getByText("set -a; . ./openid.env; set +a; node express.mjs").waitFor();
		await assertAccessible(page);
		noTroubles();

		await card.getByRole("link", { name: "the guide for Express" }).click();
		await page.waitForURL(/\/docs\/protect-your-application#express$/);
		await page.locator("#express").waitFor();
	});

	test("links to the settings to register the redirect URI of a framework", async () => {
		const { service } = pages;
		const { client_id: id } = await putOAuthClient(service, {});
		const { page } = await open(id);
		const card = page.getByRole("region", { name: "Code for your framework" });
		await card.getByLabel("Framework").selectOption("spring");
		await card.getByText("http://localhost:3000/login/oauth2/code/latchkey").waitFor();
		await card.getByRole("button", { name: "Open the settings" }).click();
		await page.locator(`[name="redirect_uris.0"]`).waitFor();
	});

	test("shows no code with a secret for a client that authenticates with a key", async () => {
		const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
		const jwks = { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "a", alg: "ES256", use: "sig" }] };
		const { client_id: id } = await putOAuthClient(pages.service, { auth_method: "private_key_jwt", jwks });
		const { page } = await open(id);
		await page.getByText("none: authenticates with a key").waitFor();
		assert.equal(await page.getByText("Code for your framework").count(), 0);
	});

	test("shows auditors the connection without actions, in English and Chinese", async () => {
		const { service } = pages;
		const auditor = await addPerson(service, "auditor", { roles: ["auditor"] });
		const { client_id: id } = await putOAuthClient(service);
		const { page } = await open(id, auditor);
		await page.getByText("Web application with a server").waitFor();
		await page.getByLabel("Framework", { exact: true }).selectOption("spring");
		await page.getByText("Register this redirect URI first").waitFor();
		for (const name of ["Rotate secret…", "Disconnect…", "Connect", "Open the settings"])
			assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
		const { id: unconnected } = await addApplication(service, { name: "Neu" });
		const chinese = await open(unconnected, auditor, "zh-CN");
		await chinese.page.getByText("此应用尚未接入。").waitFor();
	});

	test("lists refused sign-ins with their causes", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { name: "Refused", redirect_uris: [BACK] });
		await putOAuthClient(service, {}, id);
		const { page, noTroubles } = await open(id);
		await page.getByText("No request was refused in the last 30 days.").waitFor();
		const query = new URLSearchParams({
			client_id: id,
			response_type: "code",
			scope: "openid",
			redirect_uri: `${BACK}/other`,
		});
		await service.call("GET", `/oauth/authorize?${query}`, { https: true });
		const path = `/api/v1/refusals?application_id=${id}` as const;
		const token = await service.adminToken();
		await eventually(
			() => service.call("GET", path, { token }),
			({ body }) => body.total === 1 && body.data.length === 1,
		);
		await page.getByRole("button", { name: "Reload" }).click();
		await page.getByText("invalid_redirect_uri").waitFor();
		await page.getByText(`${BACK}/other`).waitFor();
		await assertAccessible(page);
		noTroubles();
	});
});
