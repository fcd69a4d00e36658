// The account pages: profile, email address, sessions, access, and deletion.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { MINUTE_MS } from "../../src/kernel/clock.ts";
import { addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import { addGroup, putGroupGrant } from "../harness/access/groups.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, noAxeViolations, PAGES_URL } from "../harness/browser/pages.ts";
import { addPerson, isAlive, signInAgain } from "../harness/people/people.ts";
import { mailedCode } from "../harness/people/registration.ts";

const HOSTILE = "<img src=x onerror=alert(1)>";
const RIGHT_TO_LEFT = "ليلى حداد";

describePages("/account", (pages) => {
	const message = (page: Page, text: string | RegExp) =>
		page.locator(".lk-status-line").getByText(text).waitFor();

	test("changes the email address with the password and a mailed code, and keeps the input after an error", async () => {
		const bea = await addPerson(pages.service, "bea");
		const { page } = await pages.openAs(bea, "/account");
		await page.getByRole("button", { name: "Change" }).click();
		const dialog = page.getByRole("dialog", { name: "Change your email address" });
		await dialog.getByLabel("New email address").fill("bea@new.example");
		await dialog.getByLabel("Your password", { exact: true }).fill("not this one");
		await page.keyboard.press("Enter");
		await dialog.getByText(/is incorrect/i).waitFor();
		assert.equal(await dialog.getByLabel("New email address").inputValue(), "bea@new.example");
		await noAxeViolations(page);
		await dialog.getByLabel("Your password", { exact: true }).fill(bea.password);
		await page.keyboard.press("Enter");
		await dialog.getByText("bea@new.example").waitFor();
		await page.keyboard.type(await mailedCode(pages.service, "bea@new.example"));
		await dialog.waitFor({ state: "detached" });
		await message(page, "Your email address was changed.");
		await page.getByText("bea@new.example").first().waitFor();
		await page.getByText("Verified", { exact: true }).waitFor();
	});

	test("lists sessions, marks the current one, and ends one or all others", async () => {
		const carl = await addPerson(pages.service, "carl");
		const agents = ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", HOSTILE];
		const tokens: string[] = [];
		for (const agent of agents) tokens.push(await signInAgain(pages.service, carl, { "user-agent": agent }));
		const { page, noTroubles } = await pages.openAs(carl, "/account/sessions");
		const list = page.getByRole("list", { name: "Sessions" });
		await list.getByText("This session").waitFor();
		assert.equal(await list.getByRole("listitem").count(), 4);
		await assertAccessible(page);
		await page.getByRole("button", { name: "End Firefox on Linux" }).click();
		await message(page, "The session on Firefox on Linux ended.");
		await page.getByRole("button", { name: "End Firefox on Linux" }).waitFor({ state: "detached" });
		assert.equal(await isAlive(pages.service, tokens[0] as string), false);
		await page.getByRole("button", { name: "End all others" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "End all others" }).click();
		await message(page, "2 other sessions ended.");
		await page.getByRole("button", { name: "End all others" }).waitFor({ state: "detached" });
		assert.equal(await list.getByRole("listitem").count(), 1);
		assert.equal(await isAlive(pages.service, tokens[1] as string), false);
		noTroubles();
	});

	test("shows applications with their roles and the groups that grant them", async () => {
		const { service } = pages;
		const dora = await addPerson(service, "dora", { display_name: RIGHT_TO_LEFT });
		const empty = await pages.openAs(dora, "/account/access");
		await empty.page.getByText("No application yet").waitFor();
		const desk = await addApplication(service, { name: `Desk ${HOSTILE}` });
		await addRole(service, desk.id, "reader");
		await putGrant(service, desk.id, dora.id, ["reader"]);
		const sales = await addGroup(service, [dora.id], { name: `${RIGHT_TO_LEFT} ${HOSTILE}` });
		await putGroupGrant(service, desk.id, sales.id);
		const { page, noTroubles } = await pages.openAs(dora, "/account/access");
		const rows = page.getByRole("row").filter({ hasText: "Desk" });
		await rows.first().waitFor();
		assert.equal(await rows.count(), 2);
		await rows.filter({ hasText: "reader" }).getByText("Given to you").waitFor();
		await rows.filter({ hasText: RIGHT_TO_LEFT }).getByText("No role").waitFor();
		await assertAccessible(page);
		noTroubles();
	});

	test("saves the stored data as a file, and asks to sign in again first if the sign-in is old", async () => {
		const { service } = pages;
		const gil = await addPerson(service, "gil");
		const { page, noTroubles } = await pages.openAs(gil, "/account");
		const save = async (proceed: () => Promise<void>) => {
			const saved = page.waitForEvent("download");
			await page.getByRole("button", { name: "Download your data" }).click();
			await proceed();
			const file = await saved;
			return [file.suggestedFilename(), JSON.parse(readFileSync(await file.path(), "utf8")).data.user.id];
		};
		assert.deepEqual(await save(async () => undefined), ["personal-data.json", gil.id]);
		noTroubles();
		service.clock.advance(6 * MINUTE_MS);
		const saved = await save(async () => {
			const dialog = page.getByRole("dialog");
			await dialog.getByLabel("Password", { exact: true }).fill(gil.password);
			await page.keyboard.press("Enter");
		});
		assert.deepEqual(saved, ["personal-data.json", gil.id]);
	});

	test("deletes the account after the username and password are entered", async () => {
		const eve = await addPerson(pages.service, "eve");
		const { page, context, noTroubles } = await pages.openAs(eve, "/account");
		await assertAccessible(page);
		await page.getByRole("button", { name: "Delete account" }).click();
		const dialog = page.getByRole("dialog", { name: "Delete your account" });
		const confirm = dialog.getByRole("button", { name: "Delete account" });
		assert.equal(await confirm.isDisabled(), true);
		await page.keyboard.type("eve");
		await dialog.getByLabel("Your password", { exact: true }).fill(eve.password);
		await assertAccessible(page);
		await confirm.click();
		await page.waitForURL(`${PAGES_URL}/`);
		assert.equal(await isAlive(pages.service, eve.token), false);
		assert.deepEqual(
			(await context.cookies()).filter(({ name }) => name === "__Host-latchkey"),
			[],
		);
		noTroubles();
	});

	test("redirects to the sign-in page without a session, and back after the sign-in", async () => {
		const { page } = await pages.open("/account/security");
		await page.waitForURL(`${PAGES_URL}/sign-in?return_to=%2Faccount%2Fsecurity`);
	});
});
