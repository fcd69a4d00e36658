// Keyboard shortcuts of the console, and the help that "?" opens on every screen.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { CONSOLE_PATHS } from "../../pages/console/paths.ts";
import { addApiClient, addApplication } from "../harness/access/applications.ts";
import { addGroup } from "../harness/access/groups.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { press } from "../harness/browser/keyboard.ts";
import { assertAccessible, PAGES_URL, tabAndPress } from "../harness/browser/pages.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addPerson } from "../harness/people/people.ts";
import { ADMIN } from "../harness/service/service.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const PATHS = CONSOLE_PATHS.filter((path) => !path.includes("{"));

describePages("keyboard shortcuts of the console", (pages) => {
	const help = (page: Page, name = "Keyboard shortcuts") => page.getByRole("dialog", { name });
	const keys = (page: Page) => page.getByRole("dialog").locator("dl:first-of-type kbd").allTextContents();
	const focusedType = (page: Page) => page.evaluate<string>("document.activeElement.type ?? ''");
	/** Leaves a field that has the focus initially. */
	const leaveField = (page: Page) => page.evaluate("document.activeElement.blur()");

	test("are listed by ? on every screen, until Escape closes the help", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN);
		assert.ok(PATHS.length > 10);
		for (const path of PATHS) {
			await page.goto(`${PAGES_URL}${path}`);
			await page.getByRole("heading", { level: 1 }).waitFor();
			await leaveField(page);
			await page.keyboard.press("?");
			await help(page).waitFor();
			assert.equal((await keys(page)).at(-1), "?", path);
			await page.keyboard.press("Escape");
			await help(page).waitFor({ state: "detached" });
		}
		noTroubles();
	});

	test("have an accessible help that opens from the menu by keyboard and returns the focus", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/groups");
		await page.getByRole("searchbox").waitFor();
		await press(page, /^Your account/);
		await press(page, "Keyboard shortcuts");
		await help(page).waitFor();
		assert.deepEqual(await keys(page), ["/", "Ctrl+K", "?"]);
		await assertAccessible(page);
		await page.keyboard.press("Escape");
		await help(page).waitFor({ state: "detached" });
		assert.match(await page.evaluate<string>("document.activeElement.textContent"), /admin/);
		noTroubles();
	});

	test("work on the list of people as soon as it is shown", async () => {
		const { page } = await pages.openAs(ADMIN, "/console/people");
		const search = page.getByRole("searchbox");
		await search.waitFor();
		await page.keyboard.press("/");
		await page.keyboard.type("adm");
		assert.equal(await search.inputValue(), "adm");
	});

	test("focus the search of a list with /, and type characters in fields", async () => {
		const { page } = await pages.openAs(ADMIN, "/console/groups");
		const search = page.getByRole("searchbox");
		await search.waitFor();
		await page.keyboard.press("/");
		assert.equal(await focusedType(page), "search");
		await page.keyboard.type("a/b?");
		assert.equal(await search.inputValue(), "a/b?");
		assert.equal(await help(page).count(), 0);
		await page.goto(`${PAGES_URL}/console/installation`);
		await page.getByRole("heading", { level: 1 }).waitFor();
		await page.keyboard.press("?");
		await help(page).waitFor();
		assert.deepEqual(await keys(page), ["Ctrl+K", "?"], "no list, no search");
	});

	test("open every screen of the navigation with g and its key, which the help lists", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/groups");
		await page.getByRole("searchbox").waitFor();
		await leaveField(page);
		await page.keyboard.press("?");
		const listed = await help(page).locator("dl").nth(1).locator("div").allTextContents();
		assert.equal(new Set(listed.map((text) => text[1])).size, listed.length);
		await page.keyboard.press("Escape");
		await help(page).waitFor({ state: "detached" });
		const links = page.getByRole("navigation", { name: "Navigation" }).getByRole("link");
		assert.equal(await links.count(), listed.length);
		for (const link of await links.all()) {
			const name = await link.locator(".lk-nav__label").textContent();
			const key = listed.find((text) => text.slice(2) === name)?.[1] ?? "";
			await page.keyboard.press("g");
			await page.keyboard.press(key);
			await page.waitForURL(`${PAGES_URL}${await link.getAttribute("href")}`);
			await page.getByRole("heading", { level: 1 }).waitFor();
			await leaveField(page);
		}
		await page.keyboard.press("g");
		await page.keyboard.press("?");
		await help(page).waitFor();
		noTroubles();
	});

	test("can be turned off, except ?, and on again", async () => {
		const { page } = await pages.openAs(ADMIN, "/console/groups");
		await page.getByRole("searchbox").waitFor();
		await page.keyboard.press("?");
		await tabAndPress(page, "Enable keyboard shortcuts", "Space");
		await page.keyboard.press("Escape");
		await help(page).waitFor({ state: "detached" });
		await page.keyboard.press("/");
		assert.notEqual(await focusedType(page), "search");
		await page.keyboard.press("?");
		await help(page).getByRole("checkbox", { name: "Enable keyboard shortcuts" }).check();
		await page.keyboard.press("Escape");
		await help(page).waitFor({ state: "detached" });
		await page.keyboard.press("/");
		assert.equal(await focusedType(page), "search");
	});

	test("open a palette that finds screens and records by name or ID, by keyboard", async () => {
		const { service } = pages;
		const { id } = await addPerson(service, "palle", { display_name: "Pål <b>Ek</b>" });
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/groups");
		await page.getByRole("searchbox").waitFor();
		await page.keyboard.press("Control+K");
		const field = page.getByRole("combobox", { name: "Find anything" });
		await field.waitFor();
		await page.keyboard.type("audit");
		await page.getByRole("option", { name: "Audit trail Screen", selected: true }).waitFor();
		await page.keyboard.press("Control+A");
		await page.keyboard.type("palle");
		await page.getByRole("option", { name: /Pål <b>Ek<\/b>.*People/, selected: true }).waitFor();
		await assertAccessible(page);
		await page.keyboard.press("Enter");
		await page.waitForURL(`${PAGES_URL}/console/people/${id}`);
		await page.getByRole("heading", { level: 1, name: /Pål/ }).waitFor();
		await page.getByRole("button", { name: "Find… Ctrl+K" }).click();
		await field.fill(id);
		await page.getByRole("option", { name: /Audit trail/ }).waitFor();
		await page.keyboard.press("ArrowUp");
		await page.getByRole("option", { name: /Audit trail/, selected: true }).waitFor();
		await page.keyboard.press("Enter");
		await page.waitForURL(`${PAGES_URL}/console/audit?request_id=${id}`);
		await page.keyboard.press("Control+K");
		await field.fill("nothing has this name");
		await page.getByText("Nothing found.").waitFor();
		await page.keyboard.press("Escape");
		await field.waitFor({ state: "detached" });
		noTroubles(/ 404 /);
	});

	test("open a palette that checks access, verifies the trail, copies a request ID, and finds mails", async () => {
		const { service } = pages;
		const { id, email } = await addPerson(service, "chekhov", { display_name: "Anton Chekhov" });
		const client = await addApiClient(service, { name: "Refused" });
		const wrong = { ...client, secret: `${client.secret}x` };
		const refused = await service.signed(wrong, "GET", "/api/v1/external/whoami");
		const requestId = String(refused.headers["x-request-id"]);
		await eventually(
			() => service.asAdmin("GET", `/api/v1/refusals?request_id=${requestId}`),
			(found) => found.length > 0,
		);
		await service.asAdmin("POST", `/api/v1/users/${id}/send-reset`);
		const { page, context, noTroubles } = await pages.openAs(ADMIN, `/console/clients/${client.id}`);
		await context.grantPermissions(["clipboard-read", "clipboard-write"]);
		await page.getByText(requestId).waitFor();
		const field = page.getByRole("combobox", { name: "Find anything" });
		const choose = async (typed: string, option: string) => {
			await page.keyboard.press("Control+K");
			await field.fill(typed);
			await page.getByRole("option", { name: option, selected: true }).waitFor();
			await page.keyboard.press("Enter");
		};
		await choose("copy", `Copy request ID ${requestId} On this page`);
		await page.getByText("The request ID was copied.").first().waitFor();
		assert.equal(await page.evaluate("navigator.clipboard.readText()"), requestId);
		await page.goto(`${PAGES_URL}/console/people/${client.id}`);
		await page.getByRole("alert").waitFor();
		await page.keyboard.press("Control+K");
		await field.fill("copy request");
		const ofError = await page.getByRole("option", { name: /^Copy request ID / }).textContent();
		assert.doesNotMatch(ofError ?? "", new RegExp(requestId));
		await page.keyboard.press("Escape");
		await choose("verify", "Verify audit trail Action");
		await page
			.getByText(/^The newest \d+ events of the audit trail are unchanged\.$/)
			.first()
			.waitFor();

		await choose("check", "Check access… Action");
		assert.equal(await field.getAttribute("placeholder"), "Whose access?");
		assert.equal(await page.getByRole("listbox").getByRole("option").count(), 0);
		await assertAccessible(page);
		await field.fill("chekhov");
		await page.getByRole("option", { name: /^Anton Chekhov .* People$/, selected: true }).waitFor();
		await page.keyboard.press("Enter");
		await page.waitForURL(`${PAGES_URL}/console/people/${id}#check`);
		await page.getByRole("region", { name: "Check access" }).getByRole("combobox").first().waitFor();

		await page.keyboard.press("Control+K");
		await field.fill(email);
		await page.getByRole("option", { name: `${email} Mail` }).click();
		await page.waitForURL(`${PAGES_URL}/console/mail?to=${encodeURIComponent(email)}`);
		noTroubles(/ 404 /);
	});

	test("open a palette that ranks exact names first, offers actions, and does those of the screen", async () => {
		const { service } = pages;
		for (const name of ["Kiosk", "Kiosk of the hall", "Self-service kiosk", "Other kiosk", "Kiosks"])
			await addApplication(service, { name });
		const group = await addGroup(service);
		const webhook = { url: "https://hooks.example/kiosk", description: "", event_types: ["user.created"] };
		await service.asAdmin("POST", "/api/v1/webhooks", webhook);
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/groups/${group.id}`);
		const field = page.getByRole("combobox", { name: "Find anything" });
		const options = page.getByRole("listbox", { name: "Find anything" }).getByRole("option");
		const find = async (text: string) => {
			await page.keyboard.press("Control+K");
			await field.fill(text);
		};
		await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
		await find("kiosk");
		await options.filter({ hasText: "hooks.example" }).waitFor();
		assert.deepEqual(await options.allTextContents(), [
			"KioskApplications",
			"KiosksApplications",
			"Kiosk of the hallApplications",
			"Other kioskApplications",
			"Self-service kioskApplications",
			"https://hooks.example/kioskWebhooks",
		]);
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: "Kiosk" }).waitFor();

		await find("add a group");
		await page.getByRole("option", { name: "Add a group Action", selected: true }).waitFor();
		await page.keyboard.press("Enter");
		await page.getByRole("dialog", { name: "Add a group" }).waitFor();
		assert.equal(new URL(page.url()).hash, "");
		await page.keyboard.press("Escape");

		// What was opened last is there before anything is typed, after the actions of the screen.
		await find("");
		await page.getByRole("option", { name: "Add group On this page", selected: true }).waitFor();
		assert.equal(await options.nth(1).textContent(), "KioskApplications");
		await field.fill("add group");
		await page.getByRole("option", { name: "Add group On this page", selected: true }).waitFor();
		await page.keyboard.press("Enter");
		await page.getByRole("dialog", { name: "Add a group" }).waitFor();
		await page.getByLabel("Name", { exact: true }).fill("Typed at once");
		await page.keyboard.press("Escape");
		await find("dark");
		await page.getByRole("option", { name: "Use the dark theme Action", selected: true }).click();
		await page.locator("html[data-theme=dark]").waitFor();
		await find("a");
		await assertAccessible(page);
		noTroubles();
	});

	test("open a palette that rotates secrets and gives access by the name of the record, after its dialog", async () => {
		const { service } = pages;
		const application = await addApplication(service, { name: "Turnstile" });
		const client = await addApiClient(service, { name: "Turnstile sync", app_id: application.id });
		await addApplication(service, { name: "Turnstile without secret" });
		await putOAuthClient(service, { type: "web" }, application.id);
		const person = await addPerson(service, "turnstile.guard");
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/groups");
		await page.getByRole("searchbox").waitFor();
		const field = page.getByRole("combobox", { name: "Find anything" });
		const options = page.getByRole("listbox", { name: "Find anything" }).getByRole("option");
		const find = async (text: string, first: string | RegExp) => {
			await page.keyboard.press("Control+K");
			await field.fill(text);
			await page.getByRole("option", { name: first, selected: true }).waitFor();
		};
		await find("rotate turnstile", `Rotate secret of Turnstile sync ${client.api_key} API clients`);
		assert.deepEqual(await options.allTextContents(), [
			`Rotate secret of Turnstile sync${client.api_key}API clients`,
			"Rotate secret of TurnstileApplications",
		]);
		await assertAccessible(page);
		await page.keyboard.press("Enter");
		const dialog = (name: string) => page.getByRole("dialog", { name });
		await dialog("Rotate Secret").waitFor();
		assert.equal(page.url(), `${PAGES_URL}/console/clients/${client.id}`);
		await page.keyboard.press("Escape");
		await dialog("Rotate Secret").waitFor({ state: "detached" });

		// With the record that is open as well: its dialog opens again, and its tab.
		await find(
			"rotate secret of turnstile s",
			`Rotate secret of Turnstile sync ${client.api_key} API clients`,
		);
		await page.keyboard.press("Enter");
		await dialog("Rotate Secret").waitFor();
		await page.keyboard.press("Escape");
		await find("Rotate turnstile", `Rotate secret of Turnstile sync ${client.api_key} API clients`);
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		await dialog("Rotate the client secret?").waitFor();
		assert.equal(page.url(), `${PAGES_URL}/console/applications/${application.id}#connect`);
		await page.keyboard.press("Escape");

		await find("give access to turnstile", "Give access to Turnstile Applications");
		await options.filter({ hasText: `Give access to turnstile.guard${person.email}People` }).waitFor();
		await page.keyboard.press("Enter");
		await dialog("Give access to Turnstile").waitFor();
		assert.equal(page.url(), `${PAGES_URL}/console/applications/${application.id}#access`);
		await page.keyboard.press("Escape");

		// The palette asks for the name, and an opened dialog is not a recent record.
		await find("give access", "Give access On this page");
		await page.getByRole("option", { name: "Give access to… Action" }).click();
		assert.equal(await field.getAttribute("placeholder"), "To which person, or to which application?");
		await field.fill("guard");
		await page.getByRole("option", { name: /^turnstile\.guard .* People$/, selected: true }).waitFor();
		await page.keyboard.press("Enter");
		await dialog("Give access to an application").waitFor();
		assert.equal(page.url(), `${PAGES_URL}/console/people/${person.id}`);
		await page.keyboard.press("Escape");
		await find("", /On this page/);
		assert.ok(!(await options.allTextContents()).some((text) => /turnstile/i.test(text)));
		noTroubles();
	});

	test("open a palette without actions for auditors, and by the words of Chinese", async () => {
		const { service } = pages;
		const client = await addApiClient(service, { name: "闸机" });
		const open = async (who: Parameters<typeof pages.openAs>[0]) => {
			const { page } = await pages.openAs(who, "/console/groups", { locale: "zh-CN" });
			await page.getByRole("searchbox").waitFor();
			await page.keyboard.press("Control+K");
			await page.getByRole("combobox", { name: "查找任何内容" }).fill("更换密钥闸机");
			return page;
		};
		const page = await open(ADMIN);
		await page
			.getByRole("option", { name: `更换 闸机 的密钥 ${client.api_key} API 客户端`, selected: true })
			.waitFor();
		const auditor = await addPerson(service, "reads.rotations", { roles: ["auditor"] });
		await (await open(auditor)).getByText("没有结果。").waitFor();
	});

	test("list those of the review queue first, without decisions for auditors", async () => {
		const { service } = pages;
		for (const [role, own] of [
			["reviewer", ["j", "k", "a", "r"]],
			["auditor", ["j", "k"]],
		] as const) {
			const person = await addPerson(service, role, { roles: [role] });
			const { page } = await pages.openAs(person, "/console/requests", { locale: "zh-CN" });
			await page.getByRole("searchbox").waitFor();
			await page.keyboard.press("?");
			await help(page, "键盘快捷键").getByText("显示快捷键").waitFor();
			assert.deepEqual(await keys(page), [...own, "/", "Ctrl+K", "?"]);
		}
	});
});
