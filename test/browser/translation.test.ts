// Translation by the browser must not rewrite keys, secrets, code, and scopes.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { submit } from "../harness/access/access-requests.ts";
import { addApiClient, addApplication, addRole } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { PAGES_URL } from "../harness/browser/pages.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addPerson } from "../harness/people/people.ts";
import { ADMIN } from "../harness/service/service.ts";
import { addWebhook } from "../harness/webhooks/webhooks.ts";

/**
 * Runs in the page: code, and texts with the prefix of a credential, or of the form of a permission, that the
 * browser may translate.
 */
const TRANSLATED = `(() => {
	const CREDENTIAL = /\\b(?:ak|sk|ocs|lk|lkg|gk|whsec|test)_[A-Za-z0-9_-]{6,}|\\b[a-z-]+:(?:read|write|[*])(?![\\w/])/;
	const texts = [];
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) {
		const { data, parentElement } = walker.currentNode;
		if (parentElement.closest("script, style") || parentElement.translate === false) continue;
		if (parentElement.closest("code, pre") || CREDENTIAL.test(data)) texts.push(parentElement.tagName + ": " + data.slice(0, 80));
	}
	return texts;
})()`;

describePages("translation by the browser", (pages) => {
	const paths: string[] = [];
	before(async () => {
		const { service } = pages;
		const application = await addApplication(service);
		await addRole(service, application.id, "reader", ["books:read"]);
		await putOAuthClient(service, {}, application.id);
		const client = await addApiClient(service, { scopes: ["users:read"] });
		const person = await addPerson(service, "pia");
		const request = await submit(service);
		const { id: webhook } = await addWebhook(service);
		const ofApplication = ["#roles", "#settings", "#connect", "#gate"].map(
			(tab) => `/console/applications/${application.id}${tab}`,
		);
		const lists = [
			"requests",
			"people",
			"groups",
			"applications",
			"clients",
			"programs",
			"audit",
			"refusals",
			"mail",
		];
		paths.push(
			...ofApplication,
			`/console/clients/${client.id}`,
			`/console/people/${person.id}`,
			`/console/requests/${request.id}`,
			`/console/webhooks/${webhook}`,
			...[...lists, "webhooks", "providers", "keys", "branding", "tenants"].map((list) => `/console/${list}`),
			"/account",
			"/account/security",
			"/account/access",
			"/docs",
			"/docs#createApiClient",
			"/docs/signing",
		);
	});

	test("leaves keys, secrets, code, and scopes of every screen alone", async () => {
		const { page } = await pages.openAs(ADMIN);
		const found: Record<string, unknown> = {};
		for (const path of paths) {
			await page.goto("about:blank");
			await page.goto(PAGES_URL + path);
			await page.locator("h1").first().waitFor();
			await page.waitForLoadState("networkidle");
			const texts = await page.evaluate<string[]>(TRANSLATED);
			if (texts.length > 0) found[path] = texts;
		}
		assert.deepEqual(found, {});
	});
});
