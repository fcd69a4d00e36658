import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { BROWSER_SKIPPED } from "../harness/browser/browser.ts";
import { openGallery } from "../harness/browser/gallery.ts";
import { assertAccessible, noAxeViolations, tabAndPress, tabTo } from "../harness/browser/pages.ts";
import { fixture } from "../harness/runs/fixture.ts";

/** Runs in the page: the controls, except the product name, that a message covers. */
const COVERED_CONTROLS = `(() => {
	const { top, right, bottom, left } = document.querySelector(".lk-status").getBoundingClientRect();
	return [...document.querySelectorAll("a:not(.lk-brand), button, input, select, textarea")]
		.filter((control) => {
			const box = control.getBoundingClientRect();
			return box.width > 0 && box.left < right && box.right > left && box.top < bottom && box.bottom > top;
		})
		.map((control) => control.textContent);
})()`;

/** Runs in the page: moves the focused button under the message. @returns its center */
const COVER_FOCUSED = `(() => {
	const { x, y, width, height } = document.querySelector(".lk-status").getBoundingClientRect();
	Object.assign(document.activeElement.style, { position: "fixed", left: x + "px", top: y + "px" });
	return { x: x + width / 2, y: y + height / 2 };
})()`;

describe("the components of the pages", { skip: BROWSER_SKIPPED, timeout: 300_000 }, () => {
	const gallery = fixture(() => openGallery(), Symbol.asyncDispose);

	const focused = (page: Page) =>
		page.evaluate<string>(
			`document.activeElement.getAttribute("aria-label") ?? (document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()`,
		);

	test("violate no WCAG rule, never scroll sideways, and load nothing that the content security policy refuses", async () => {
		const { page, troubles } = await gallery.open();
		await assertAccessible(page);
		assert.equal(await page.locator("img").count(), 0);
		assert.deepEqual(troubles, []);
	});

	test("stay readable with any brand color, and fit right-to-left text", async () => {
		for (const accent of ["ffcc00", "000000"]) {
			const { page, troubles } = await gallery.open(`accent=${accent}&dir=rtl`);
			await assertAccessible(page);
			assert.deepEqual(troubles, []);
		}
	});

	test("a form shows each API error at its field, focuses the first, and clears it on edit", async () => {
		const { page, troubles } = await gallery.open();
		await page.getByRole("button", { name: "Save changes" }).click();
		const name = page.getByLabel("Username");
		await page.locator("input:focus[aria-invalid=true]").waitFor();
		assert.equal(await focused(page), "Username");
		assert.equal(await name.getAttribute("aria-invalid"), "true");
		const described = (await name.getAttribute("aria-describedby"))?.split(" ") ?? [];
		assert.deepEqual(await Promise.all(described.map((id) => page.locator(`[id="${id}"]`).textContent())), [
			"must be at least 3 characters",
			"3 to 64 characters.",
		]);
		const summary = page.locator("form").getByRole("alert");
		assert.match(
			(await summary.textContent()) ?? "",
			/Allowed addresses, row 3: must be an IP.*tenant: is unknown/,
		);
		await noAxeViolations(page);
		await summary.getByRole("link", { name: "Allowed addresses, row 3" }).click();
		assert.equal(await focused(page), "Allowed addresses, row 3");
		await name.fill("ada");
		assert.equal(await name.getAttribute("aria-invalid"), null);
		const rows = page.getByLabel(/^Allowed addresses, row/);
		assert.equal(await rows.nth(2).getAttribute("aria-invalid"), "true");
		assert.equal(await rows.nth(1).getAttribute("aria-invalid"), null);
		assert.deepEqual(troubles, []);
	});

	test("a list adds a row by Enter, removes an empty one by Backspace, and submits from an empty one", async () => {
		const { page, troubles } = await gallery.open();
		const rows = page.getByLabel(/^Allowed addresses, row/);
		await rows.nth(1).press("Enter");
		assert.equal(await focused(page), "Allowed addresses, row 3");
		assert.equal(await rows.count(), 4);
		await page.keyboard.press("Backspace");
		assert.equal(await rows.count(), 3);
		assert.equal(await focused(page), "Allowed addresses, row 2");
		for (const row of [3, 2, 1]) await page.getByRole("button", { name: `Remove row ${row}` }).click();
		assert.equal(await rows.count(), 1);
		assert.equal(await page.getByRole("button", { name: /^Remove row/ }).count(), 0);
		assert.equal(await focused(page), "Allowed addresses, row 1");
		await page.keyboard.press("Enter");
		await page.getByText("Check these fields").waitFor();
		// The error is about an entry that the list no longer has.
		assert.equal(await rows.first().getAttribute("aria-invalid"), "true");
		assert.deepEqual(troubles, []);
	});

	test("a form waits after a 429 and keeps the input", async () => {
		const { page } = await gallery.open();
		await page.clock.install();
		await page.getByLabel("Username").fill("ada");
		await page.getByRole("button", { name: "Return 429" }).click();
		const again = page.getByRole("button", { name: /^Try again/ });
		assert.equal(await again.textContent(), "Try again in 12 s");
		assert.ok(await again.isDisabled());
		await page.clock.runFor(12_000);
		await page.getByRole("button", { name: "Try again", exact: true }).waitFor();
		await again.click();
		assert.equal(await page.getByLabel("Username").inputValue(), "ada");
		await page.getByText("Check these fields").waitFor();
	});

	test("a dialog traps the focus, asks for the name, and returns the focus", async () => {
		const { page } = await gallery.open();
		await tabAndPress(page, "Delete Orders");
		await page.getByRole("dialog").waitFor();
		assert.equal(await focused(page), "Type “Orders” to confirm");
		const confirm = page.getByRole("button", { name: "Delete application" });
		assert.ok(await confirm.isDisabled());
		await noAxeViolations(page);
		await page.keyboard.press("Escape");
		assert.equal(await focused(page), "Delete Orders");
		await page.keyboard.press("Enter");
		await page.getByRole("dialog").waitFor();
		await page.keyboard.type("Orders");
		await page.keyboard.press("Enter");
		await page.getByText("Orders was deleted").waitFor();
		assert.equal(await page.getByRole("dialog").count(), 0);
		assert.equal(await focused(page), "Delete Orders");
	});

	test("a message appears above its dialog, and stays when the dialog closes", async () => {
		const { page } = await gallery.open("", { permissions: ["clipboard-write"] });
		await page.getByRole("button", { name: "Open dialog" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByRole("button", { name: "Copy" }).click();
		await dialog.getByText("Copied").waitFor();
		assert.equal(await page.getByText("Copied").count(), 1);
		await page.keyboard.press("Escape");
		await page.locator("#app section", { hasText: "Copied" }).waitFor();
	});

	test("a message covers no controls, and passes clicks through", async () => {
		const { page } = await gallery.open();
		await page.getByRole("button", { name: "Announce success" }).click();
		await page.getByText("Saved").waitFor();
		for (const width of [390, 1280]) {
			await page.setViewportSize({ width, height: 800 });
			assert.deepEqual(await page.evaluate(COVERED_CONTROLS), [], `at ${width} px`);
		}
		await page.getByRole("button", { name: "Announce error" }).focus();
		const { x, y } = await page.evaluate<{ x: number; y: number }>(COVER_FOCUSED);
		await page.mouse.click(x, y);
		const error = page.locator(".lk-status--danger");
		await error.waitFor();
		await error.getByRole("button", { name: "Dismiss" }).click();
		await error.waitFor({ state: "detached" });
	});

	test("a menu responds to arrow keys and letters, and Escape returns to its button", async () => {
		const { page } = await gallery.open();
		await tabAndPress(page, "Actions for Orders");
		await page.locator(":focus", { hasText: "Copy id" }).waitFor();
		await page.keyboard.press("ArrowDown");
		assert.equal(await focused(page), "Delete");
		await page.keyboard.press("c");
		assert.equal(await focused(page), "Copy id");
		await noAxeViolations(page);
		await page.keyboard.press("Escape");
		assert.equal(await focused(page), "Actions for Orders");
		await page.keyboard.press("Enter");
		await page.locator(":focus", { hasText: "Copy id" }).waitFor();
		await page.keyboard.press("Enter");
		await page.getByText("Copied").waitFor();
	});

	test("tabs, the drawer on a phone, and the skip link work by keyboard", async () => {
		const { page } = await gallery.open();
		await page.keyboard.press("Tab");
		await page.keyboard.press("Enter");
		assert.equal(await page.evaluate("document.activeElement.id"), "content");
		await tabTo(page, "Overview");
		await page.keyboard.press("ArrowRight");
		assert.equal(await page.getByRole("tab", { selected: true }).textContent(), "Sessions");
		await page.setViewportSize({ width: 390, height: 844 });
		const open = page.getByRole("button", { name: "Open navigation" });
		await open.focus();
		await page.keyboard.press("Enter");
		const drawer = page.getByRole("dialog", { name: "Navigation" });
		await drawer.getByRole("link", { name: "People" }).waitFor();
		await noAxeViolations(page);
		await page.keyboard.press("Escape");
		await drawer.waitFor({ state: "detached" });
		assert.equal(await focused(page), "Open navigation");
	});

	test("a table is sorted and filtered by keyboard", async () => {
		const { page } = await gallery.open();
		const header = page.getByRole("table", { name: "People" }).getByRole("columnheader", { name: "Name" });
		assert.equal(await header.getAttribute("aria-sort"), "ascending");
		await tabAndPress(page, "Name");
		assert.equal(await header.getAttribute("aria-sort"), "descending");
		await page.getByLabel("Search people").fill("wolf");
		assert.equal(await page.getByRole("table", { name: "People" }).getByRole("row").count(), 2);
		await page.getByRole("button", { name: "Reset filters" }).click();
		assert.equal(await page.getByRole("table", { name: "People" }).getByRole("row").count(), 6);
	});
});
