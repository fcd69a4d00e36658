// The main journeys in Firefox and WebKit, each in one session of the browser.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { totpCode } from "../../src/crypto/totp.ts";
import { decide, mailedLinks, QUEUE, submit } from "../harness/access/access-requests.ts";
import { addApplication } from "../harness/access/applications.ts";
import { ENGINE_SKIPPED, ENGINES } from "../harness/browser/engine-driver.ts";
import type { EnginePage } from "../harness/browser/engine-page.ts";
import { startEngineService } from "../harness/browser/engine-service.ts";
import { PAGES_URL } from "../harness/browser/pages.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { relyingParty, startAuthorization } from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { mailedCode } from "../harness/people/registration.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { ADMIN } from "../harness/service/service.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

/** Stands in for the application. */
const BACK = `${PAGES_URL}/docs`;
const PASSWORD = "a long password of a new person";
const LONG = Array.from({ length: 40 }, (_, line) => `Line ${line + 1} of the purpose.`).join("\n");

/** Elements whose text is cut off without a scroll bar. */
const CUT = `return [...document.querySelectorAll("*")]
	.filter((element) => getComputedStyle(element).overflowY === "clip" && element.scrollHeight > element.clientHeight + 2)
	.map((element) => element.className + ": " + element.clientHeight + " of " + element.scrollHeight)`;

for (const name of ENGINES)
	describe(name, { skip: ENGINE_SKIPPED[name], timeout: 300_000 }, () => {
		const engine = fixture(() => startEngineService());
		after(() => engine?.[Symbol.asyncDispose]());
		const notCut = async (page: EnginePage) => assert.deepEqual(await page.read(CUT), []);
		const arrive = (page: EnginePage, path: string) =>
			page.until<string>("return location.pathname", (found) => found === path);
		const signIn = async (
			page: EnginePage,
			{ username, password }: Pick<Person, "username" | "password">,
			path: string,
		) => {
			await page.open(`${PAGES_URL}/sign-in?return_to=${encodeURIComponent(path)}`);
			await page.type("Username or email", username);
			await page.type("Password", password);
			await page.keys("Enter");
		};

		it("signs a person up, adds an authenticator app, asks for its code, and signs in to an application", async () => {
			const { service } = engine;
			await using page = await engine.open(name);
			const email = "new@people.example";
			await page.open(`${PAGES_URL}/sign-up?return_to=%2Faccount`);
			await page.type("Email address", email);
			await page.keys("Enter");
			await page.sees(`We sent a code to ${email}.`);
			await page.keys(...(await mailedCode(service, email)));
			await page.type("Password", PASSWORD);
			await page.keys("Enter");
			await arrive(page, "/account");
			await notCut(page);

			await page.press("Security");
			await page.press("Set up");
			await page.type("Your password", PASSWORD);
			await page.keys("Enter");
			const shownKey = await page.until<string>(
				"return document.querySelector('dialog[open] .lk-copy code')?.textContent ?? ''",
				(text) => text !== "",
			);
			const key = shownKey.replaceAll(/\s/g, "");
			await page.keys(...totpCode(key, service.clock.now()));
			await page.press("I have saved them");
			await notCut(page);

			const { id } = await addApplication(service, { redirect_uris: [BACK], access_policy: "open" });
			const { client_secret: secret = "" } = await putOAuthClient(service, {}, id);
			const party = await relyingParty(service, { id, secret }, undefined, {}, PAGES_URL);
			const asked = await startAuthorization(party, { redirect_uri: BACK, scope: "openid email" });
			await page.open(asked.url.href);
			await page.sees("Enter the six digits your authenticator app shows now.");
			// Each code is accepted once.
			service.clock.advance(30_000);
			await page.keys(...totpCode(key, service.clock.now()));
			await page.press("Allow");
			await page.until<string>("return location.search", (query) => query.includes("code="));
		});

		it("adds a passkey and signs in with it", {
			skip: name === "WebKit" && "WebKitGTK has no passkeys",
		}, async () => {
			const { service } = engine;
			const ada = await addPerson(service, "ada");
			await using page = await engine.open(name);
			await page.addAuthenticator();
			await signIn(page, ada, "/account");
			await page.press("Not now");
			await page.press("Security");
			await page.press("Add a passkey");
			await page.type("Your password", ada.password);
			await page.keys("Enter");
			await page.press("I have saved them");
			await page.press("Your account");
			await page.press("Sign out");
			await arrive(page, "/");
			await page.open(`${PAGES_URL}/sign-in?return_to=%2Faccount`);
			await page.press("Sign in with a passkey");
			await arrive(page, "/account");
			await page.sees("ada");
		});

		it("keeps line heights in proportion, as numbers where lengths would be zoomed twice", async () => {
			await using page = await engine.open(name);
			await page.open(`${PAGES_URL}/sign-in`);
			await page.sees("Username or email");
			const heights = await page.read<string[]>(`const font = document.querySelector("input").style;
				return ["14px", "28px"].map((size) => {
					font.fontSize = size;
					return getComputedStyle(document.querySelector("input")).lineHeight;
				})`);
			assert.deepEqual(heights, ["20px", "40px"]);
		});

		it("shows a whole access request, decides it by keyboard, and claims a Secret and a key, each with a signed call", async () => {
			const { service } = engine;
			const { id } = await submit(service, { email: "a@partner.example", purpose: LONG });
			const { id: other } = await submit(service, { email: "b@partner.example", purpose: LONG });
			await using page = await engine.open(name);
			await signIn(page, ADMIN, `/console/requests/${id}`);
			await page.sees("Line 40 of the purpose.");
			await notCut(page);
			assert.ok(
				await page.read<boolean>(
					"const read = document.querySelector('.lk-request__read'); return read.scrollHeight > read.clientHeight",
				),
				"the request scrolls",
			);
			await page.keys("a");
			await page.sees("Approve and send email");
			await notCut(page);
			await page.keys("Control+Enter");
			const token = await service.adminToken();
			await eventually(
				async () => (await service.call("GET", `${QUEUE}/${id}`, { token })).body.data.status,
				(status) => status === "approved",
			);

			const [link = ""] = await mailedLinks(service, "a@partner.example", "claim");
			await page.open(link);
			await page.press("Claim credentials");
			await page.press("Make the call");
			await page.sees("the signature was accepted");
			await notCut(page);

			await decide(service, other, "approve");
			await page.open((await mailedLinks(service, "b@partner.example", "claim"))[0] ?? "");
			await page.press("Key pair made in this browser");
			await page.press("Save the private key");
			await page.press("I have saved the private key");
			await page.press("Claim credentials");
			await page.press("Make the call");
			await page.sees("the signature was accepted");
			await notCut(page);

			await page.open(`${PAGES_URL}/account`);
			await page.press("Your account");
			await page.press("Sign out");
			await arrive(page, "/");
		});
	});
