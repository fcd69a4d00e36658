// The journey of a person to an application: sign-in, consent, and back, with an OpenID client.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { addApplication } from "../harness/access/applications.ts";
import { BROWSER_SKIPPED } from "../harness/browser/browser.ts";
import {
	fitsEveryWidth,
	noAxeViolations,
	noTroubles,
	openPages,
	PAGES_URL,
	tabTo,
} from "../harness/browser/pages.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { exchange, relyingParty, startAuthorization } from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import { fixture } from "../harness/runs/fixture.ts";

/** A URL of this origin, so that the browser can open it: its page stands in for the application. */
const BACK = `${PAGES_URL}/docs`;
const API = "https://orders.example.com/api";
const NAME = '<img src=x onerror="alert(1)"> \u05d0\u05d1 Orders';

describe("a person at an application", { skip: BROWSER_SKIPPED, timeout: 300_000 }, () => {
	const pages = fixture(() => openPages());
	const ada = fixture(() => addPerson(pages.service, "ada"));
	after(() => pages?.[Symbol.asyncDispose]());

	/** An open application that requires consent. */
	const connect = async (application: object, settings: Readonly<Record<string, unknown>>) => {
		const fields = { redirect_uris: [BACK], access_policy: "open", ...application };
		const { id } = await addApplication(pages.service, fields);
		const { client_secret: secret = "" } = await putOAuthClient(pages.service, settings, id);
		return await relyingParty(pages.service, { id, secret }, undefined, {}, PAGES_URL);
	};
	const asked = (
		party: Awaited<ReturnType<typeof connect>>,
		parameters: Readonly<Record<string, string>> = {},
	) => startAuthorization(party, { redirect_uri: BACK, ...parameters });
	const arrival = async (page: Page): Promise<URL> => {
		await page.waitForURL(`${BACK}?*`, { waitUntil: "commit" });
		return new URL(page.url());
	};

	test("signs in, consents, arrives at the application, and is not asked again", async () => {
		await connect({ name: `API ${NAME}` }, { type: "service", resource: API });
		const party = await connect(
			{ name: NAME, homepage_url: "https://shop.example.com/about" },
			{ allowed_resources: [API] },
		);
		const first = await asked(party, {
			scope: "openid profile email roles offline_access",
			prompt: "consent",
			login_hint: "ada",
			resource: API,
		});
		const watched = await pages.open();
		const { page, context } = watched;
		await page.goto(first.url.href);
		await page.getByText("to continue to").waitFor();
		assert.equal(await page.locator("[name=username]").inputValue(), "ada");
		assert.equal(await page.locator("img").count(), 0);
		await noAxeViolations(page);
		await fitsEveryWidth(page);
		await page.locator("[name=password]").fill(ada.password);
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { name: "Allow access?" }).waitFor();
		await page.getByText("Orders").first().waitFor();
		await page.getByText(/^The application runs at .*shop.example.com/).waitFor();
		await page.getByText(/^You're signed in as .*ada/).waitFor();
		const listed = await page
			.getByRole("list", { name: "It will receive" })
			.getByRole("listitem")
			.allTextContents();
		assert.deepEqual(
			listed.map((text) => text.split(/[:,]/)[0]),
			[
				"A permanent ID for your account",
				"Your username",
				"Your email address",
				"Your roles",
				"Keep access when you're not using it",
				`Permission to act on your behalf in \u2068API ${NAME}\u2069 (https`,
			],
		);
		assert.equal(await page.locator("img").count(), 0);
		await noAxeViolations(page);
		await fitsEveryWidth(page);
		await tabTo(page, "Allow");
		await page.keyboard.press("Enter");
		const tokens = await exchange(party, await arrival(page), first);
		assert.equal(tokens.claims()?.sub, ada.id);
		noTroubles(watched);

		const second = await asked(party);
		await page.goto(second.url.href, { waitUntil: "commit" });
		assert.equal((await exchange(party, await arrival(page), second)).claims()?.sub, ada.id);
		await context.close();
	});
});
