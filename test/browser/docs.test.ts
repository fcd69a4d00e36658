import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { GUIDES, titleOf } from "../../src/pages/guide-names.ts";
import { readDocument } from "../docs/document.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertNothingMoved, watchMoves } from "../harness/browser/layout-shift.ts";
import {
	assertAccessible,
	fitsEveryWidth,
	noAxeViolations,
	PAGES_URL,
	tabAndPress,
	tabTo,
} from "../harness/browser/pages.ts";
import { addPerson } from "../harness/people/people.ts";
import { ADMIN } from "../harness/service/service.ts";

describePages("/docs", (pages) => {
	const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });
	const hits = (page: Page) => page.locator("[data-hit]");
	const search = (page: Page) => page.getByRole("searchbox");

	test("shows each guide with code that can be copied, at every width", async () => {
		const { page, noTroubles } = await pages.open("/docs/signing", {
			permissions: ["clipboard-read", "clipboard-write"],
		});
		await tabAndPress(page, "Copy");
		await page.getByRole("button", { name: "Copied" }).waitFor();
		assert.equal(
			await page.evaluate("navigator.clipboard.readText()"),
			await page.locator("figure code").first().textContent(),
		);
		assert.equal(
			await page.getByRole("figure").count(),
			await page.getByRole("button", { name: /Cop/ }).count(),
		);
		await page.locator("figcaption").getByText("C#", { exact: true }).waitFor();
		for (const guide of GUIDES) {
			await page.goto(`${PAGES_URL}/docs/${guide}`);
			await page.getByRole("navigation", { name: "Guides" }).locator("[aria-current=page]").waitFor();
			// One style sheet colors every guide, and this one has code of each language.
			await noAxeViolations(page, guide === "signing" ? ["light", "dark"] : ["light"]);
			await fitsEveryWidth(page);
		}
		noTroubles();
	});

	test("marks the section in view of a guide, and switches between light and dark", async () => {
		const { page, noTroubles } = await pages.open("/docs/signing", {
			viewport: { width: 1440, height: 900 },
			colorScheme: "light",
		});
		const here = page.getByRole("navigation", { name: "On this page" });
		await here.locator("[aria-current=location]").getByText("Before you begin").waitFor();
		await here.getByRole("link", { name: "What is signed" }).click();
		await here.locator("[aria-current=location]").getByText("What is signed").waitFor();
		const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
		const light = await ground();
		await page.getByRole("button", { name: "Light or dark" }).click();
		assert.notEqual(await ground(), light);
		await page.getByRole("link", { name: "The API", exact: true }).last().click();
		await heading(page, "The API").waitFor();
		assert.notEqual(await ground(), light);
		noTroubles();
	});

	test("lists groups, guides, and signing, and links to an endpoint", async () => {
		const { page, noTroubles } = await pages.open("/docs");
		await heading(page, "API reference").waitFor();
		await page.getByRole("main").getByRole("link", { name: "Requests", exact: true }).click();
		await heading(page, "Requests").waitFor();
		await page.getByRole("main").getByRole("link", { name: "Approve a request" }).click();
		await heading(page, "Approve a request").waitFor();
		assert.equal(page.url(), `${PAGES_URL}/docs#approveRequest`);
		assert.equal(await page.evaluate("document.activeElement.tagName"), "H1");
		await page.goBack();
		await heading(page, "Requests").waitFor();
		await page.goto(`${PAGES_URL}/docs#signing`);
		await page.getByText("e3b0c442").waitFor();
		for (const [anchor, isChecked] of [
			["", true],
			["#group-users", false],
			["#createUser", true],
			["#checkAccess", false],
		] as const) {
			await page.goto(`${PAGES_URL}/docs${anchor}`);
			await page.locator(".docs-group-entry").first().waitFor();
			if (isChecked) await noAxeViolations(page);
			await fitsEveryWidth(page);
		}
		noTroubles();
	});

	test("lists the guides by title", async () => {
		const { page } = await pages.open("/docs#guides");
		const links = page.locator("#guides a[href^='/docs/']");
		await links.first().waitFor();
		const found = await links.evaluateAll((all) =>
			all.map((link) => [link.getAttribute("href"), link.textContent]),
		);
		const expected = GUIDES.map((name) => [`/docs/${name}`, titleOf(readDocument(`docs/${name}.md`))]);
		assert.deepEqual(found, expected);
	});

	test("shows the callers, limits, responses, and error codes of an endpoint", async () => {
		const { page, noTroubles } = await pages.open("/docs#createUser");
		await heading(page, "Create a user").waitFor();
		await page.getByText("A user of the tenant already has this username").first().waitFor();
		const text = (await page.getByRole("main").textContent()) ?? "";
		for (const part of ["Callers: admin; admin keys", "3–64 characters", "one of", "password.too_short"])
			assert.ok(text.includes(part), part);
		assert.doesNotMatch(await page.getByRole("main").innerHTML(), /\[object|undefined/);
		await page.getByRole("link", { name: "username.taken" }).click();
		await page.waitForURL(`${PAGES_URL}/docs/errors#username.taken`);
		await page.locator("[id='username.taken']").waitFor();
		noTroubles();
	});

	test("shows code in three languages, copies it, and keeps the chosen language", async () => {
		const { page } = await pages.open("/docs#getUser", {
			permissions: ["clipboard-read", "clipboard-write"],
		});
		const code = page.locator(".docs-operation-side .lk-code-block");
		await code.getByText("Authorization: Bearer $TOKEN").waitFor();
		await code.getByRole("combobox").selectOption({ label: "Python" });
		await code.getByRole("button", { name: "Copy" }).click();
		await page.getByText("Copied").first().waitFor();
		const copied = String(await page.evaluate("navigator.clipboard.readText()"));
		assert.match(copied, /^import json, os, urllib\.request\n/);
		assert.ok(copied.includes(`"${PAGES_URL}/api/v1/users/01980000-0000-7000-8000-000000000000"`), copied);
		await page.goto(`${PAGES_URL}/docs#listUsers`);
		await heading(page, "List users").waitFor();
		await page.locator(".docs-operation-side .lk-code-block").getByText("urllib.request.Request").waitFor();
	});

	test("searches endpoints, fields, error codes, and guides by keyboard", async () => {
		const { page, noTroubles } = await pages.open("/docs");
		await page.locator(".docs-group-entry").first().waitFor();
		await page.keyboard.press("/");
		for (const [text, first] of [
			["list users", /^List users$/],
			["POST requests approve", /^Approve a request$/],
			["nonce.reused", /^nonce\.reused$/],
			["ip_allowlist regenerate", /Secret/],
			["first call openssl", /Signed requests/],
		] as const) {
			await search(page).fill(text);
			await hits(page).filter({ hasText: first }).first().waitFor();
			assert.match((await hits(page).first().textContent()) ?? "", first);
		}
		await search(page).fill("nonce.reused");
		await page.keyboard.press("ArrowDown");
		assert.equal(await page.evaluate("document.activeElement.textContent"), "nonce.reused");
		await page.keyboard.press("Enter");
		await page.waitForURL(`${PAGES_URL}/docs/errors#nonce.reused`);
		await page.goBack();
		assert.equal(await search(page).inputValue(), "nonce.reused");
		await assertAccessible(page);
		for (const round of ["first", "again"]) {
			await search(page).fill("list users");
			await search(page).press("Enter");
			await heading(page, "List users").waitFor();
			assert.equal(page.url(), `${PAGES_URL}/docs#listUsers`, round);
		}
		await search(page).fill("<img src=x onerror=alert(1)> مرحبا");
		await page.getByText("No results").waitFor();
		assert.equal(await page.locator("main img").count(), 0);
		noTroubles();
	});

	test("opens the search by Ctrl+K, from a field and from a guide", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/docs#getUser");
		await page.locator("[name='path.id']").focus();
		await page.keyboard.press("Control+K");
		await page.locator("[type=search]:focus").waitFor();
		for (const key of ["Control+K", "/"]) {
			await page.goto(`${PAGES_URL}/docs/signing`);
			await page.keyboard.press(key);
			await page.waitForURL(`${PAGES_URL}/docs#search`);
			await page.locator("[type=search]:focus").waitFor();
		}
		await heading(page, "API reference").waitFor();
		await page.keyboard.type("list users");
		await hits(page)
			.filter({ hasText: /^List users$/ })
			.waitFor();
		noTroubles();
	});

	for (const viewport of [
		{ width: 1280, height: 800 },
		{ width: 390, height: 844 },
	])
		test(`moves nothing while it loads, ${viewport.width} px wide`, async () => {
			const { page } = await pages.open("/signed-out", { viewport });
			await watchMoves(page);
			// The description arrives after the first view.
			await page.route("**/openapi.json", async (route) => {
				await page.locator(".docs-main").waitFor();
				await route.continue();
			});
			for (const path of [
				"/docs",
				"/docs#createUser",
				"/docs#group-users",
				"/docs?q=nonce.reused",
				"/docs/signing",
			]) {
				// A change of the fragment alone would not load the page.
				await page.goto(`${PAGES_URL}/signed-out`);
				await page.goto(`${PAGES_URL}${path}`, { waitUntil: "networkidle" });
				await page.getByRole("heading", { level: 1 }).first().waitFor();
				await assertNothingMoved(page);
			}
		});

	test("sends a call with the session only when the button is pressed", async () => {
		const name = "<b>Ada</b> ابجد";
		const person = await addPerson(pages.service, "tried-out", { display_name: name });
		const { page, requests, noTroubles } = await pages.openAs(ADMIN, "/docs#getUser");
		const calls = () => requests.filter((request) => request.includes("/api/v1/users/"));
		await page.getByRole("button", { name: "Send GET" }).click();
		await page.getByText("A value is required.").waitFor();
		await page.locator("[aria-invalid=true]:focus").waitFor();
		await page.keyboard.type(person.id);
		assert.deepEqual(calls(), []);
		await page.keyboard.press("Enter");
		await page.locator(".docs-try-answer").getByText("200", { exact: true }).waitFor();
		const response = (await page.locator(".docs-try-answer pre").first().textContent()) ?? "";
		assert.equal(JSON.parse(response).data.display_name, name);
		assert.deepEqual(calls(), [`GET ${PAGES_URL}/api/v1/users/${person.id}`]);
		assert.equal(await page.locator("main b").count(), 0);
		await noAxeViolations(page);
		noTroubles();
	});

	test("marks calls that change data, confirms a deletion, and shows the response to an invalid call", async () => {
		const person = await addPerson(pages.service, "deleted-here");
		const { page } = await pages.openAs(ADMIN, "/docs#createUser");
		await page.getByText("This call changes real data.").waitFor();
		await page.getByLabel("Request body").fill("{ no JSON");
		await page.getByRole("button", { name: "Send POST" }).click();
		await page.getByText("This is not valid JSON.").waitFor();
		await page.getByLabel("Request body").fill(`{ "username": "x" }`);
		await page.keyboard.press("Tab");
		await page.keyboard.press("Enter");
		await page.locator(".docs-try-answer").getByText("400", { exact: true }).waitFor();
		await page.getByText('"request.invalid"').waitFor();
		await page.goto(`${PAGES_URL}/docs#deleteUser`);
		await page.locator("[name='path.id']").fill(person.id);
		await page.getByRole("button", { name: "Send DELETE" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByText(`DELETE /api/v1/users/${person.id}`).waitFor();
		assert.equal(await dialog.getByRole("button", { name: "Send DELETE" }).isDisabled(), true);
		await page.keyboard.type("deleteUser");
		await page.keyboard.press("Enter");
		await page.locator(".docs-try-answer").getByText("204", { exact: true }).waitFor();
		const token = await pages.service.adminToken();
		assert.equal((await pages.service.call("GET", `/api/v1/users/${person.id}`, { token })).status, 404);
	});

	test("offers only calls that the reader may make, and public ones to every reader", async () => {
		const person = await addPerson(pages.service, "no-role");
		const reader = await pages.openAs(person, "/docs#listUsers");
		await reader.page.getByText("Your account does not have a role for this call.").waitFor();
		assert.equal(await reader.page.getByRole("button", { name: "Send GET" }).count(), 0);
		const { page, noTroubles } = await pages.open("/docs#listUsers");
		const signIn = page.getByRole("main").getByRole("link", { name: "Sign in" });
		assert.equal(await signIn.getAttribute("href"), "/sign-in?return_to=%2Fdocs%23listUsers");
		await page.goto(`${PAGES_URL}/docs#checkAccess`);
		await page.getByText("A signed call needs a client's Secret").waitFor();
		await page.goto(`${PAGES_URL}/docs#getHealth`);
		await page.getByRole("button", { name: "Send GET" }).waitFor();
		await tabTo(page, "Send GET", 250);
		await page.keyboard.press("Enter");
		await page.locator(".docs-try-answer").getByText("200", { exact: true }).waitFor();
		noTroubles();
	});

	test("refreshes an expired access token once, and reports when the description cannot be loaded", async () => {
		const { page, requests } = await pages.openAs(ADMIN, "/docs#getMe");
		await page.getByRole("button", { name: "Send GET" }).waitFor();
		const refreshes = () => requests.filter((request) => request.endsWith("/auth/refresh")).length;
		const before = refreshes();
		let isRefused = false;
		await page.route("**/api/v1/users/me", (route) => {
			if (isRefused) return route.continue();
			isRefused = true;
			return route.fulfill({
				status: 401,
				contentType: "application/problem+json",
				body: JSON.stringify({ code: "token.invalid", detail: "the access token has expired" }),
			});
		});
		await page.getByRole("button", { name: "Send GET" }).click();
		await page.locator(".docs-try-answer").getByText("200", { exact: true }).waitFor();
		assert.equal(refreshes(), before + 1);
		await page.route("**/openapi.json", (route) => route.fulfill({ status: 503, body: "{}" }));
		await page.reload();
		await page.getByRole("button", { name: "Try again" }).waitFor();
		await page.unroute("**/openapi.json");
		await page.getByRole("button", { name: "Try again" }).click();
		await heading(page, "Get the current user").waitFor();
	});

	test("hides the contents behind a button on a phone, in Chinese", async () => {
		const { page, noTroubles } = await pages.open("/docs", {
			locale: "zh-CN",
			viewport: { width: 390, height: 844 },
		});
		await heading(page, "API 参考").waitFor();
		await page.getByText("接口的名称和说明只有英文版。").waitFor();
		const guides = page.locator("#guides");
		const english = guides.getByRole("link", { name: "软件包 仅英文" });
		assert.equal(await english.getAttribute("hreflang"), "en");
		assert.equal(
			await guides.getByRole("link", { name: "请求签名", exact: true }).getAttribute("href"),
			"/docs/zh-cn/signing",
		);
		assert.equal(await page.getByRole("navigation", { name: "目录" }).isVisible(), false);
		await page.getByRole("button", { name: "目录" }).click();
		await page.getByRole("navigation", { name: "目录" }).getByText("Users", { exact: true }).click();
		await page.getByRole("link", { name: /^List users/ }).click();
		await heading(page, "List users").waitFor();
		assert.equal(await page.getByRole("navigation", { name: "目录" }).isVisible(), false);
		await page.getByText("接口的名称和说明只有英文版。").waitFor();
		await page.getByText("可调用者").waitFor();
		noTroubles();
	});

	test("opens a guide in the reader's language, and keeps the chosen one", async () => {
		const { page } = await pages.open("/docs/signing#errors", { locale: "zh-CN" });
		await page.waitForURL(`${PAGES_URL}/docs/zh-cn/signing#errors`);
		await page.getByRole("link", { name: "English", exact: true }).click();
		await page.waitForURL(`${PAGES_URL}/docs/signing`);
		await page.reload();
		await page.getByRole("link", { name: "中文", exact: true }).waitFor();
		assert.equal(new URL(page.url()).pathname, "/docs/signing");
	});
});
