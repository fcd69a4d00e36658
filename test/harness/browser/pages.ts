// Opens pages of the service in a browser, and checks what every screen must satisfy.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { isOutputStale } from "../../../src/pages/page-sources.ts";
import { startTestService, type TestService } from "../service/service.ts";
import type { WatchedPage } from "./browser.ts";
import { openBrowser } from "./shared-browser.ts";

/** The URL at which the browser reaches the service. */
export const PAGES_URL = "https://id.example.com";

const BUILDER = join(import.meta.dirname, "../../../scripts/build-pages.ts");
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export interface OpenedPage extends WatchedPage {
	/** Asserts no console errors except `expected`, no CSP violations, exceptions, or requests to other origins. */
	noTroubles(expected?: RegExp): void;
}

export interface PagesUnderTest extends AsyncDisposable {
	readonly service: TestService;
	/** Opens a signed-out page in its own profile, at `path` if it is set. */
	open(path?: string, options?: BrowserContextOptions): Promise<OpenedPage>;
	/** Like `open`, but with the session cookie of the user; skips the sign-in page. */
	openAs(
		user: { readonly username: string; readonly password: string },
		path?: string,
		options?: BrowserContextOptions,
	): Promise<OpenedPage>;
}

export type PagesOptions = NonNullable<Parameters<typeof startTestService>[0]>;

let arePagesBuilt = false;

/** Builds the pages if the sources changed, once per process. Call it before the service starts. */
export function ensurePages(): void {
	if (!arePagesBuilt && isOutputStale())
		execFileSync(process.execPath, [BUILDER, "--if-stale"], { stdio: ["ignore", "ignore", "inherit"] });
	arePagesBuilt = true;
}

/** Starts a service, with pages in the shared browser of the process. */
export async function openPages(options: PagesOptions = {}): Promise<PagesUnderTest> {
	ensurePages();
	const env = { LATCHKEY_PUBLIC_URL: PAGES_URL, ...options.env };
	const service = await startTestService({ ...options, env });
	const browser = await openBrowser(PAGES_URL, service.httpsPort).catch(async (error: unknown) => {
		await service.stop();
		throw error;
	});
	const open = async (path?: string, contextOptions?: BrowserContextOptions): Promise<OpenedPage> => {
		const watched = await browser.open(contextOptions);
		if (path !== undefined) await watched.page.goto(`${PAGES_URL}${path}`);
		return { ...watched, noTroubles: (expected) => noTroubles(watched, expected) };
	};
	return {
		service,
		open,
		async openAs({ username, password }, path, contextOptions) {
			const watched = await open(undefined, contextOptions);
			const { status, headers } = await service.call("POST", "/api/v1/auth/login", {
				https: true,
				body: { username, password },
				headers: { origin: PAGES_URL, "x-session": "cookie" },
			});
			assert.equal(status, 200);
			const [, value = ""] = /__Host-latchkey=([^;]+)/.exec(String(headers["set-cookie"])) ?? [];
			assert.notEqual(value, "", "the sign-in set no cookie");
			await watched.context.addCookies([
				{ name: "__Host-latchkey", value, url: PAGES_URL, secure: true, httpOnly: true, sameSite: "Lax" },
			]);
			if (path !== undefined) await watched.page.goto(`${PAGES_URL}${path}`);
			return watched;
		},
		async [Symbol.asyncDispose]() {
			await browser[Symbol.asyncDispose]();
			await service.stop();
		},
	};
}

/** Fills the sign-in page in any language, and sends it. */
export async function enterPassword(
	page: Page,
	{ username, password }: { readonly username: string; readonly password: string },
): Promise<void> {
	await page.locator("[name=username]").fill(username);
	await page.locator("[name=password]").fill(password);
	await page.locator("form:has([name=password]) [type=submit]").click();
}

/** See `OpenedPage`. */
export function noTroubles({ troubles, requests }: WatchedPage, expected?: RegExp): void {
	assert.deepEqual(
		troubles.filter((trouble) => expected?.test(trouble) !== true),
		[],
	);
	assert.deepEqual(
		requests.filter((request) => !/^\w+ (?:data|blob):/.test(request) && !request.includes(` ${PAGES_URL}/`)),
		[],
	);
}

interface Violation {
	readonly id: string;
	readonly help: string;
	readonly nodes: readonly { readonly target?: readonly unknown[]; readonly failureSummary: string }[];
}

/** Rules that depend on the color scheme. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];
const ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Runs in the page: resolves when all finite animations have ended. */
const ANIMATIONS_END = `Promise.allSettled(
	document
		.getAnimations()
		.filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
		.map(({ finished }) => finished),
).then(() => undefined)`;

/** Lists and charts that dim while they reload, except those behind a modal dialog. */
const LOADING =
	':is(html:not(:has(dialog:modal)), dialog:modal) :is(div, ul)[aria-busy="true"]:not(:has(.lk-table__skeleton))';

/** Resolves when nothing loads or moves: dimmed content has too little contrast. */
export async function untilStill(page: Page): Promise<void> {
	await page.locator(LOADING).filter({ visible: true }).first().waitFor({ state: "detached" });
	await page.evaluate(ANIMATIONS_END);
}

/** Asserts no violation of WCAG 2.2 A and AA in the light and dark schemes. Resets the scheme afterwards. */
export async function noAxeViolations(
	page: Page,
	schemes: readonly ("light" | "dark")[] = ["light", "dark"],
): Promise<void> {
	await untilStill(page);
	// A debugger expression is not subject to the page's CSP.
	if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axeSource);
	for (const [index, colorScheme] of schemes.entries()) {
		await page.emulateMedia({ colorScheme });
		await page.evaluate(ANIMATIONS_END);
		const runOnly = index === 0 ? ALL_RULES : { type: "rule", values: COLOR_RULES };
		const violations = async (selectors: boolean) => {
			const options = JSON.stringify({ runOnly, resultTypes: ["violations"], selectors });
			return await page.evaluate<Violation[]>(`axe.run(${options}).then(({ violations }) => violations)`);
		};
		const found = await violations(false);
		// The selectors of all elements take a third of the time, so only a failure has them.
		if (found.length > 0) found.push(...(await violations(true)));
		const shown = found.flatMap(({ id, help, nodes }) =>
			nodes.map(
				({ target, failureSummary }) =>
					`${colorScheme} ${id}: ${help} ${target?.join(" ") ?? ""} ${failureSummary}`,
			),
		);
		assert.deepEqual(shown, []);
	}
	await page.emulateMedia({ colorScheme: null });
}

/** Runs in the page: the first elements that extend past its right edge, if it scrolls sideways. */
const WIDER_ELEMENTS = `(() => {
	const root = document.documentElement;
	if (root.scrollWidth <= root.clientWidth) return [];
	return [...document.querySelectorAll("body *")]
		.filter((element) => element.getBoundingClientRect().right > root.clientWidth + 1)
		.map((element) => element.tagName.toLowerCase() + "." + element.className)
		.slice(0, 5);
})()`;

/** Runs in the page: the name of the focused element. */
const FOCUSED_NAME = `(() => {
	const element = document.activeElement;
	if (element === null || element === document.body) return "";
	const labels = [...(element.labels ?? [])].map((label) => label.textContent);
	return element.getAttribute("aria-label") ?? (labels.join(" ") || element.textContent);
})()`;

/** Asserts that the page does not scroll sideways at a width of `width` CSS pixels. */
export async function fitsWidth(page: Page, width: number): Promise<void> {
	const before = page.viewportSize();
	await page.setViewportSize({ width, height: 780 });
	const found = await page.evaluate(WIDER_ELEMENTS);
	assert.deepEqual(found, [], `wider than ${width} px`);
	if (before !== null) await page.setViewportSize(before);
}

/** 640 CSS pixels are the width of a 1280 pixel window at 200 % zoom; 360 is the narrowest phone. */
export async function fitsEveryWidth(page: Page): Promise<void> {
	for (const width of [360, 640]) await fitsWidth(page, width);
}

/** Asserts that the page meets WCAG 2.2 A and AA, which includes every width. */
export async function assertAccessible(page: Page): Promise<void> {
	await noAxeViolations(page);
	await fitsEveryWidth(page);
}

/** Moves to the element with Tab and presses the key. */
export async function tabAndPress(page: Page, name: RegExp | string, key = "Enter"): Promise<void> {
	await tabTo(page, name);
	await page.keyboard.press(key);
}

/** Presses Tab until the element is focused; fails after `most` stops. */
export async function tabTo(page: Page, name: RegExp | string, most = 60): Promise<void> {
	const stops: string[] = [];
	for (let stop = 0; stop < most; stop++) {
		await page.keyboard.press("Tab");
		const focused = await page.evaluate<string>(FOCUSED_NAME);
		const text = focused.trim();
		if (typeof name === "string" ? text === name : name.test(text)) return;
		stops.push(text);
	}
	assert.fail(`Tab does not reach ${name}: ${stops.join(" · ")}`);
}
