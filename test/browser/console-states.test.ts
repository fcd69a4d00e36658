// What pages show while data load and after a call failed, and where the focus goes when its control disappears.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { decide, submit } from "../harness/access/access-requests.ts";
import { addApiClient, addApplication } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, PAGES_URL } from "../harness/browser/pages.ts";
import { until } from "../harness/databases/ledger.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { exchange, relyingParty, startAuthorization } from "../harness/openid/openid.ts";
import { addPerson, lockPassword } from "../harness/people/people.ts";
import { png } from "../harness/runs/png.ts";
import { ADMIN } from "../harness/service/service.ts";

const FAILED = {
	status: 500,
	contentType: "application/problem+json",
	body: '{"code":"x","detail":"broken"}',
};

describePages("pages that load, fail, and change", (pages) => {
	const failing = (page: Page) => page.getByText(/^broken/);
	/** Lets the renewal of what is shown set its timer, before the clock moves. */
	const forward = async (page: Page, ms: number) => {
		await page.clock.runFor(200);
		await page.clock.fastForward(ms);
	};
	const tryAgain = (page: Page) => page.getByRole("button", { name: "Try again" });

	for (const [name, path, count] of [
		["the overview", async () => "/console", 2],
		["an API client", async () => `/console/clients/${(await addApiClient(pages.service)).id}`, 1],
	] as const)
		test(`the charts of ${name} show no number while they load, and an error if loading fails`, async () => {
			const { page } = await pages.openAs(ADMIN);
			const held = Promise.withResolvers<void>();
			await page.route(/\/stats\?/, async (route) => {
				await held.promise;
				await route.fulfill(FAILED);
			});
			const asked = page.waitForRequest(/\/stats\?/);
			await page.goto(`${PAGES_URL}${await path()}`);
			await asked;
			await page.locator("main .lk-skeleton").first().waitFor();
			const digits = page
				.locator(".lk-stat, .lk-chart")
				.filter({ hasNotText: "Pending requests" })
				.filter({ hasText: /\d/ });
			assert.equal(await page.getByRole("figure").count(), 0);
			assert.equal(await digits.count(), 0);
			held.resolve();
			await failing(page).waitFor();
			assert.equal(await page.getByRole("figure").count(), 0);
			assert.equal(await digits.count(), 0);
			await assertAccessible(page);
			await page.unroute(/\/stats\?/);
			await tryAgain(page).click();
			await page
				.getByRole("figure")
				.nth(count - 1)
				.waitFor();
			await failing(page).waitFor({ state: "detached" });
		});

	test("waiting requests that cannot be loaded are not an all-clear, and show their age", async () => {
		const { page } = await pages.openAs(ADMIN);
		const clear = page.getByText("All clear.");
		const old = page.getByText(/^As of \d+:\d\d/);
		const pattern = /\/requests\?/;
		await page.route(pattern, (route) => route.fulfill(FAILED));
		await page.clock.install();
		await page.goto(`${PAGES_URL}/console`);
		await failing(page).waitFor();
		assert.deepEqual([await clear.count(), await old.count()], [0, 0]);
		await page.unroute(pattern);
		await tryAgain(page).click();
		await clear.waitFor();

		await page.route(pattern, (route) => route.fulfill(FAILED));
		await forward(page, 31_000);
		await failing(page).waitFor();
		assert.equal(await clear.count(), 0);
		await page.locator(".lk-stat").filter({ hasText: "Pending requests" }).filter({ has: old }).waitFor();
		await page.unroute(pattern);
		const { id } = await submit(pages.service);
		await tryAgain(page).click();
		await page.getByRole("link", { name: /^Review 1 request/ }).waitFor();
		await old.waitFor({ state: "detached" });

		await page.route(pattern, (route) => route.fulfill(FAILED));
		await forward(page, 31_000);
		await failing(page).waitFor();
		await page.getByRole("link", { name: /^Review 1 request/ }).waitFor();
		await page
			.locator(".lk-overview__as-of")
			.filter({ hasText: /^As of \d+:\d\d/ })
			.waitFor();
		await assertAccessible(page);
		await decide(pages.service, id, "reject");
		await until(
			"the mails are sent",
			async () => (await pages.service.asAdmin("GET", "/api/v1/overview")).waiting_mails === 0,
		);
	});

	test("what needs attention is no all-clear if it cannot be counted, and says how old it is", async () => {
		const { page } = await pages.openAs(ADMIN);
		const pattern = "**/api/v1/overview";
		const clear = page.getByText("All clear.");
		await page.route(pattern, (route) => route.fulfill(FAILED));
		await page.goto(`${PAGES_URL}/console`);
		await failing(page).waitFor();
		assert.equal(await clear.count(), 0);
		await page.unroute(pattern);
		await tryAgain(page).click();
		await clear.waitFor();
		const leave = async () => {
			await page.getByRole("link", { name: "People", exact: true }).click();
			await page.getByRole("heading", { level: 1, name: "People" }).waitFor();
			await page.getByRole("link", { name: "Overview" }).first().click();
		};
		await page.route(pattern, (route) => route.fulfill(FAILED));
		await leave();
		await failing(page).waitFor();
		assert.equal(await clear.count(), 0);
		await page.unroute(pattern);
		await lockPassword(pages.service, await addPerson(pages.service, "locked.out"));
		await tryAgain(page).click();
		const locked = page.getByRole("link", { name: "1 person is locked out" });
		await locked.waitFor();
		await page.route(pattern, (route) => route.fulfill(FAILED));
		await leave();
		await failing(page).waitFor();
		await locked.waitFor();
		await page
			.locator(".lk-overview__as-of")
			.filter({ hasText: /^As of \d+:\d\d/ })
			.waitFor();
		await assertAccessible(page);
	});

	test("a person whose reload failed shows the error above what was known", async () => {
		const person = await addPerson(pages.service, "stale.page");
		const { page } = await pages.openAs(ADMIN, `/console/people/${person.id}`);
		await page.getByRole("button", { name: "End all sessions" }).click();
		const pattern = `**/api/v1/users/${person.id}?*`;
		await page.route(pattern, (route) => route.fulfill(FAILED));
		await page.getByRole("dialog").getByRole("button", { name: "End all sessions" }).click();
		await failing(page).first().waitFor();
		await page.unroute(pattern);
		await tryAgain(page).first().click();
		await page.getByText("Not signed in anywhere.").waitFor();
	});

	test("waiting for the first sign-in reports a failed poll, and goes on", async () => {
		const { service } = pages;
		const back = `${PAGES_URL}/docs`;
		const { id } = await addApplication(service, { access_policy: "open", redirect_uris: [back] });
		const { client_secret: secret = "" } = await putOAuthClient(service, { first_party: true }, id);
		const { page } = await pages.openAs(ADMIN);
		await page.clock.install();
		await page.goto(`${PAGES_URL}/console/applications/${id}#connect`);
		const waiting = page.getByText("Waiting for the first sign-in…");
		await waiting.waitFor();
		const path = `**/api/v1/applications/${id}`;
		await page.route(path, (route) => route.fulfill(FAILED));
		await forward(page, 5_001);
		await failing(page).waitFor();
		assert.equal(await waiting.count(), 0);
		await page.unroute(path);
		await forward(page, 121_000);
		await waiting.waitFor();

		const party = await relyingParty(service, { id, secret }, undefined, {}, PAGES_URL);
		const request = await startAuthorization(party, { redirect_uri: back });
		const { page: elsewhere } = await pages.openAs(ADMIN, request.url.pathname + request.url.search);
		await elsewhere.waitForURL(`${back}?*`, { waitUntil: "commit" });
		await exchange(party, new URL(elsewhere.url()), request);
		await forward(page, 5_001);
		await page.getByRole("status").filter({ hasText: "Sign-in works" }).waitFor();
	});

	test("the focus stays in the OpenID card when its settings open, close, or are saved, and the secret changes", async () => {
		const { client_id: id } = await putOAuthClient(pages.service);
		const { page } = await pages.openAs(ADMIN, `/console/applications/${id}#connect`);
		const focused = (name: string) =>
			page
				.locator("button:focus")
				.and(page.getByRole("button", { name, exact: true }))
				.waitFor();
		const change = page.getByRole("button", { name: "Change settings…" });
		for (const leave of ["Close", "Save"]) {
			await change.press("Enter");
			await page.locator(":is(input, select, textarea):focus").waitFor();
			if (leave === "Save") await page.locator("[name=resource]").fill("https://ledger.example.com");
			await page.getByRole("button", { name: leave, exact: true }).press("Enter");
			await focused("Change settings…");
		}
		await page.getByRole("button", { name: "Rotate secret…" }).press("Enter");
		const dialog = page.getByRole("dialog");
		// Not the close button: the chosen option comes first.
		await dialog.locator("input[type=radio]:checked:focus").waitFor();
		await dialog.getByRole("button", { name: "Rotate secret", exact: true }).press("Enter");
		await dialog.getByRole("checkbox", { name: "I have saved it" }).check();
		await dialog.getByRole("button", { name: "Done" }).press("Enter");
		await focused("Rotate secret…");
	});

	test("removing a logo moves the focus to its file field", async () => {
		const { service } = pages;
		const { id } = await addApplication(service);
		const { status } = await service.call("PUT", `/api/v1/applications/${id}/logo`, {
			token: await service.adminToken(),
			body: png(48, 48, "#0b6b3a"),
			headers: { "content-type": "image/png" },
		});
		assert.equal(status, 200);
		const { page } = await pages.openAs(ADMIN, `/console/applications/${id}#settings`);
		await page.getByRole("button", { name: "Remove", exact: true }).press("Enter");
		await page.locator("input[type=file]:focus").waitFor();
	});

	test("pages without links have no empty footer, and those with links have one", async () => {
		const person = await addPerson(pages.service, "ines");
		const footers = async () => {
			const found: Record<string, number> = {};
			for (const path of ["/", "/portal", "/account"]) {
				const { page } = await pages.openAs(person, path);
				await page.getByRole("heading", { level: 1 }).waitFor();
				found[path] = await page.locator("footer:not(main footer)").count();
			}
			return found;
		};
		assert.deepEqual(await footers(), { "/": 0, "/portal": 0, "/account": 0 });
		const { status } = await pages.service.call("PUT", "/api/v1/branding", {
			token: await pages.service.adminToken(),
			body: { footer_links: [{ label: "Privacy", url: "https://looms.example/privacy" }] },
		});
		assert.equal(status, 200);
		assert.deepEqual(await footers(), { "/": 1, "/portal": 1, "/account": 1 });
	});
});
