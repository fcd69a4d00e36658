// The pages that sign a user out for an application.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { addApplication } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, noAxeViolations, PAGES_URL, tabAndPress } from "../harness/browser/pages.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { exchange, relyingParty, startAuthorization } from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";

/** A URL of this origin, because the browser reaches no other. */
const BACK = `${PAGES_URL}/docs`;
const BYE = `${PAGES_URL}/portal`;
const NAME = '<img src=x onerror="alert(1)"> \u05d0\u05d1 Orders';

describePages("the pages of a sign-out", (pages) => {
	let ada: Person;
	let clientId: string;
	let secret: string;
	before(async () => {
		ada = await addPerson(pages.service, "ada");
		const fields = { name: NAME, redirect_uris: [BACK], access_policy: "open" };
		clientId = (await addApplication(pages.service, fields)).id;
		const settings = { first_party: true, post_logout_redirect_uris: [BYE] };
		({ client_secret: secret = "" } = await putOAuthClient(pages.service, settings, clientId));
	});

	const endSession = (parameters: Readonly<Record<string, string>>) =>
		`${PAGES_URL}/oauth/end-session?${new URLSearchParams(parameters)}`;
	const asked = () => endSession({ client_id: clientId, post_logout_redirect_uri: BYE, state: "s" });
	const question = (page: Page) => page.getByRole("heading", { name: "Sign out?" }).waitFor();
	const isSignedOut = async (page: Page): Promise<void> => {
		await page.goto(`${PAGES_URL}/account`);
		await page.locator("[name=username]").waitFor();
	};

	test("ask first, then sign out and go back to the application", async () => {
		const { page, noTroubles } = await pages.openAs(ada);
		await page.goto(asked());
		await question(page);
		await page.getByText(/is asking to sign you out/).waitFor();
		await page.getByText(/^You're signed in as .*ada/).waitFor();
		assert.equal(await page.locator("img").count(), 0);
		await assertAccessible(page);
		await tabAndPress(page, "Sign out");
		await page.waitForURL(`${BYE}?state=s`);
		noTroubles();
		await isSignedOut(page);
		// Without a session, the service asks nothing and redirects immediately.
		await page.goto(asked(), { waitUntil: "commit" });
		await page.waitForURL(`${BYE}?state=s`);
		await page.goto(endSession({}));
		await page.getByRole("heading", { name: "You are signed out" }).waitFor();
	});

	test("keep the session until the user confirms", async () => {
		const { page } = await pages.openAs(ada);
		await page.goto(asked());
		await question(page);
		await page.reload();
		await question(page);
		await page.getByRole("button", { name: "Stay signed in" }).click();
		await page.getByRole("heading", { name: "You are still signed in" }).waitFor();
		await noAxeViolations(page);
		await page.getByRole("link", { name: "Your account" }).click();
		await page.waitForURL(`${PAGES_URL}/account`);
	});

	test("do not appear if the ID token identifies the session", async () => {
		const party = await relyingParty(pages.service, { id: clientId, secret }, undefined, {}, PAGES_URL);
		const { page } = await pages.openAs(ada);
		const request = await startAuthorization(party, { redirect_uri: BACK });
		await page.goto(request.url.href, { waitUntil: "commit" });
		await page.waitForURL(`${BACK}?*`, { waitUntil: "commit" });
		const { id_token = "" } = await exchange(party, new URL(page.url()), request);
		await page.goto(endSession({ id_token_hint: id_token }));
		await page.getByRole("heading", { name: "You are signed out" }).waitFor();
		assert.equal(page.url(), `${PAGES_URL}/signed-out`);
		await assertAccessible(page);
		await isSignedOut(page);
	});

	test("warn if another account is meant, and use the language that the application requests", async () => {
		const { page } = await pages.openAs(ada);
		await page.goto(endSession({ client_id: clientId, logout_hint: "ADA" }));
		await question(page);
		const warning = page.getByText("wants to sign out a different account");
		assert.equal(await warning.count(), 0);
		await page.goto(endSession({ client_id: clientId, logout_hint: "<b>grace</b>", ui_locales: "fr zh-CN" }));
		await page.getByRole("heading", { name: "退出登录？" }).waitFor();
		await page.getByText("该应用想要退出的是另一个账户").waitFor();
		await assertAccessible(page);
		await page.getByRole("button", { name: "退出登录" }).click();
		await page.getByRole("heading", { name: "您已退出登录" }).waitFor();
		assert.equal(new URL(page.url()).pathname, "/signed-out");
		await noAxeViolations(page);
	});

	test("keep the question if the service does not respond, and report the failure", async () => {
		const { page } = await pages.openAs(ada);
		await page.goto(asked());
		await question(page);
		await page.route("**/api/v1/auth/logout", (route) => route.abort());
		await page.getByRole("button", { name: "Sign out" }).click();
		await page.locator(".lk-notice").waitFor();
		await question(page);
		await page.unroute("**/api/v1/auth/logout");
		await page.getByRole("button", { name: "Sign out" }).click();
		await page.waitForURL(`${BYE}?state=s`);
	});

	test("report an expired request, in Chinese too", async () => {
		const address = `/sign-out?request=${"A".repeat(43)}`;
		const { page } = await pages.openAs(ada, address);
		await page.getByText("This request has expired").waitFor();
		const chinese = await pages.openAs(ada, address, { locale: "zh-CN" });
		await chinese.page.getByText("本次询问已结束").waitFor();
		await noAxeViolations(chinese.page);
	});
});
