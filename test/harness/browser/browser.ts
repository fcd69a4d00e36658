// A real browser for tests of the pages; it reaches the service under the host name that mails use.

import { existsSync } from "node:fs";
import {
	type Browser,
	type BrowserContext,
	type BrowserContextOptions,
	chromium,
	type Page,
} from "playwright-core";

/** Headless Chromium opens a page in a third of the CPU time of the full browser. */
const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";
const EXECUTABLE =
	process.env.CHROMIUM_PATH ?? (existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : "/usr/bin/chromium");

/** `false`, or the reason to skip browser tests. With `CI` set, a missing browser is a failure. */
export const BROWSER_SKIPPED: false | string =
	process.env.CI === undefined && !existsSync(EXECUTABLE)
		? `no Chromium at ${EXECUTABLE} (CHROMIUM_PATH names another)`
		: false;

/** Maps `publicUrl` to this local port; all other hosts except those of this machine are unreachable. */
export function launchBrowser(publicUrl: string, httpsPort: number): Promise<Browser> {
	const { host } = new URL(publicUrl);
	return launchChromium(`MAP ${host} 127.0.0.1:${httpsPort}, `);
}

/**
 * Reaches only this machine, unless `rules` or a proxy say otherwise. Accepts every certificate: passkeys and the
 * browser cache require one without an error, and the options of a context do not affect that.
 */
export function launchChromium(rules = ""): Promise<Browser> {
	return chromium.launch({
		executablePath: EXECUTABLE,
		args: [
			"--no-sandbox",
			"--disable-gpu",
			"--disable-quic",
			"--no-first-run",
			"--disable-background-networking",
			"--disable-component-update",
			"--disable-sync",
			"--ignore-certificate-errors",
			`--host-resolver-rules=${rules}MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost`,
		],
	});
}

export interface WatchedPage {
	readonly page: Page;
	/** `METHOD url` of every request so far. */
	readonly requests: readonly string[];
	/** Console errors and uncaught exceptions, CSP violations among them. */
	readonly troubles: readonly string[];
	readonly context: BrowserContext;
}

/** Opens a page with its own profile and reduced motion that records requests and errors. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
	const context = await browser.newContext({
		ignoreHTTPSErrors: true,
		locale: "en-GB",
		reducedMotion: "reduce",
		...options,
	});
	const page = await context.newPage();
	const requests: string[] = [];
	const troubles: string[] = [];
	page.on("request", (request) => requests.push(`${request.method()} ${request.url()}`));
	page.on("pageerror", (error) => troubles.push(String(error)));
	page.on("console", (message) => {
		if (message.type() === "error") troubles.push(message.text());
	});
	return { page, requests, troubles, context };
}
