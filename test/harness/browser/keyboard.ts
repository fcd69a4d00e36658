// Operates pages by keyboard: Tab and arrow keys reach the elements to press or fill.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { tabTo } from "./pages.ts";

interface Focused {
	readonly type: string;
	readonly name: string;
	readonly isEmpty: boolean;
	readonly isEditable: boolean;
	/** Whether it is a radio button of a group without a choice. */
	readonly isUndecided: boolean;
	readonly isInside: boolean;
	readonly isSubmit: boolean;
	readonly label: string;
}

/** Runs in the page: describes the focused element within the form of the button `submit`. */
const focusedIn = (submit: string) => `(() => {
	const element = document.activeElement;
	const text = (element.innerText ?? "").trim();
	const isField = /^(?:INPUT|TEXTAREA)$/.test(element.tagName);
	const group = element.type === "radio" && element.form !== null ? [...element.form.elements] : [];
	return {
		type: element.type ?? "",
		name: element.name ?? "",
		isInside: formUnderTest.contains(element),
		isEmpty: (element.value ?? "") === "",
		isEditable: isField && !element.readOnly && !/^(?:checkbox|radio|submit|button|file)$/.test(element.type),
		isUndecided: group.length > 0 && !group.some(({ name, checked }) => name === element.name && checked),
		isSubmit: element.type === "submit" && element.form === formUnderTest && text === ${JSON.stringify(submit)},
		label: element.labels?.[0]?.textContent ?? text.slice(0, 40),
	};
})()`;

/** Runs in the page: finds the form of the button. */
const findForm = (submit: string) => `(() => {
	const buttons = [...document.querySelectorAll("button[type=submit]")];
	const isIt = (one) => one.innerText.trim() === ${JSON.stringify(submit)} && one.form !== null && one.checkVisibility();
	globalThis.formUnderTest = buttons.findLast(isIt)?.form;
	return formUnderTest !== undefined;
})()`;

/** Runs in the page: whether the form still exists, and its values. */
const CONTENT = `JSON.stringify([
	formUnderTest.isConnected,
	...[...formUnderTest.elements]
		.filter(({ tagName }) => tagName !== "BUTTON" && tagName !== "FIELDSET")
		.map((field) => [field.name, /^(?:checkbox|radio)$/.test(field.type) ? field.checked : field.value]),
])`;

/** Runs in the page: whether the focused element opens a menu. */
const OPENS_MENU = `document.activeElement.getAttribute("aria-haspopup") === "menu"`;

/** Moves to a menu entry by arrow keys, to any other element by Tab, and presses Enter. */
export async function press(page: Page, name: string | RegExp): Promise<void> {
	const entry = page.getByRole("menuitem", { name, ...(typeof name === "string" && { exact: true }) });
	const control = page
		.getByRole("button", { name })
		.or(page.getByRole("tab", { name }))
		.or(page.getByRole("link", { name }));
	await entry.or(control).first().waitFor();
	if (await entry.isVisible()) {
		for (let step = 0; !(await isFocused(page, name)); step++) {
			assert.ok(step < 20, `the arrow keys do not reach ${name}`);
			await page.keyboard.press("ArrowDown");
		}
	} else await tabTo(page, name, 120);
	const opensMenu = await page.evaluate<boolean>(OPENS_MENU);
	await page.keyboard.press("Enter");
	// The menu takes the focus a frame after it opens; arrow keys before that scroll the page.
	if (opensMenu) await page.locator("[role=menu] [role=menuitem]:focus").waitFor();
}

async function isFocused(page: Page, name: string | RegExp): Promise<boolean> {
	const text = await page.evaluate<string>("document.activeElement.textContent.trim()");
	return typeof name === "string" ? text === name : name.test(text);
}

/**
 * Moves through the form from its first field to the button `submit`, and leaves the focus there.
 * Fields in `values` get their text, or their key if they are selects, checkboxes, or radio buttons. Other empty text
 * fields get `text`, and other radio groups without a choice get their first one.
 */
export async function fillByKeyboard(
	page: Page,
	submit: string,
	{ text, values }: { readonly text: string; readonly values: Readonly<Record<string, string>> },
): Promise<void> {
	await page.getByRole("button", { name: submit, exact: true }).last().waitFor();
	assert.ok(await page.evaluate(findForm(submit)), `no form has the button ${submit}`);
	const stops: string[] = [];
	for (let stop = 0; stop < 100; stop++) {
		const focused = await page.evaluate<Focused>(focusedIn(submit));
		stops.push(focused.label);
		if (focused.isSubmit) return;
		if (focused.isInside)
			await fill(
				page,
				focused,
				values[focused.name] ?? (focused.isEmpty && focused.isEditable ? text : undefined),
			);
		await page.keyboard.press("Tab");
	}
	assert.fail(`Tab does not reach ${submit}: ${stops.join(" · ")}`);
}

/** The values of the form that was filled last, and whether it still exists. */
export function contentOfForm(page: Page): Promise<string> {
	return page.evaluate<string>(CONTENT);
}

async function fill(page: Page, focused: Focused, value: string | undefined): Promise<void> {
	if (focused.isUndecided) return page.keyboard.press("Space");
	if (value === undefined) return;
	if (/^(?:select-one|checkbox|radio)$/.test(focused.type)) return page.keyboard.press(value);
	if (!focused.isEditable) return;
	await page.keyboard.press("ControlOrMeta+A");
	await page.keyboard.insertText(value);
}
