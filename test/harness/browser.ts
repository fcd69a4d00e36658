// A real browser for tests of the pages, with the service reachable under the name its mails use.

import { existsSync } from "node:fs";
import {
	type Browser,
	type BrowserContext,
	type BrowserContextOptions,
	chromium,
	type Page,
} from "playwright-core";

/** Chromium without a window: it opens a page for a third of the processor time of the complete browser. */
const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";
const EXECUTABLE =
	process.env.CHROMIUM_PATH ?? (existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : "/usr/bin/chromium");

/** `false`, or why browser tests are skipped. Where `CI` is set they are not: a missing browser fails there. */
export const BROWSER_SKIPPED: false | string =
	process.env.CI === undefined && !existsSync(EXECUTABLE)
		? `no Chromium at ${EXECUTABLE} (CHROMIUM_PATH names another)`
		: false;

/** Connections to `publicUrl` go to this port of this machine; of others, only addresses of this machine are found. */
export function launchBrowser(publicUrl: string, httpsPort: number): Promise<Browser> {
	const { host } = new URL(publicUrl);
	return launchChromium(`MAP ${host} 127.0.0.1:${httpsPort}, `);
}

/**
 * Finds only addresses of this machine, unless `rules` or a proxy lead elsewhere. Accepts every certificate: passkeys
 * and the cache of the browser need one without an error, which the options of a context do not change.
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

/** A page in its own profile, without motion, that records its requests and errors. */
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
