import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { BROWSER_SKIPPED } from "../harness/browser/browser.ts";
import { openBrowser } from "../harness/browser/shared-browser.ts";
import { addPerson } from "../harness/people/people.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";

const PUBLIC_URL = "https://id.example.com";
/** A page of the service in which tests run scripts. */
const OWN_PAGE = `${PUBLIC_URL}/docs/errors`;
const TIMEOUT_MS = 300_000;

interface Fetched {
	readonly status: number;
	readonly body: string;
}

/** Calls the API from a script in the page. */
function post(page: Page, path: string, body?: object): Promise<Fetched> {
	return page.evaluate(
		async ([url, json]) => {
			const headers = {
				"x-session": "cookie",
				...(json === null ? {} : { "content-type": "application/json" }),
			};
			const response = await fetch(url, { method: "POST", headers, body: json });
			return { status: response.status, body: await response.text() };
		},
		[`${PUBLIC_URL}/api/v1${path}`, body === undefined ? null : JSON.stringify(body)] as const,
	);
}

describe("the session of a browser, in Chromium", { skip: BROWSER_SKIPPED, timeout: TIMEOUT_MS }, () => {
	const service = testService({ env: { LATCHKEY_PUBLIC_URL: PUBLIC_URL } });
	const browser = fixture(() => openBrowser(PUBLIC_URL, service.httpsPort), Symbol.asyncDispose);
	const ada = fixture(() => addPerson(service, "ada"));

	const signIn = async () => {
		const opened = await browser.open();
		await opened.page.goto(OWN_PAGE);
		const { username, password } = ada;
		const answer = await post(opened.page, "/auth/login", { username, password });
		assert.equal(answer.status, 200, answer.body);
		assert.equal(answer.body.includes("refresh_token"), false);
		return opened;
	};
	const cookiesOf = async (context: BrowserContext) =>
		(await context.cookies(PUBLIC_URL)).filter(({ name }) => name === "__Host-latchkey");

	test("is hidden from scripts, shared by tabs, and gone after sign-out", async () => {
		const { page, context, troubles } = await signIn();
		const [cookie, ...others] = await cookiesOf(context);
		assert.deepEqual(others, []);
		const { httpOnly, secure, sameSite, path, domain, expires } = cookie ?? {};
		assert.deepEqual(
			{ httpOnly, secure, sameSite, path, domain },
			{ httpOnly: true, secure: true, sameSite: "Lax", path: "/", domain: "id.example.com" },
		);
		assert.ok(Math.abs((expires ?? 0) - Date.now() / 1000 - 604_800) < 60);
		assert.equal(await page.evaluate("document.cookie"), "");
		const tab = await context.newPage();
		await tab.goto(OWN_PAGE);
		const both = await Promise.all([post(page, "/auth/refresh"), post(tab, "/auth/refresh")]);
		assert.deepEqual(
			both.map(({ status }) => status),
			[200, 200],
		);
		assert.equal((await post(tab, "/auth/logout")).status, 204);
		assert.deepEqual(await cookiesOf(context), []);
		assert.deepEqual(await post(page, "/auth/refresh"), { status: 204, body: "" });
		assert.deepEqual(troubles, []);
	});

	test("cannot be used by other origins, even of the same site", async () => {
		const { page, context } = await signIn();
		// A page of another site sends no cookie; one of the same site sends the cookie with its own origin.
		const form = (path: string) =>
			`<!doctype html><form method="post" action="${PUBLIC_URL}/api/v1${path}"><button>Win</button></form>`;
		// One page for all cases: closing a page while it commits a response can keep Chromium from opening another.
		const other = await context.newPage();
		for (const [elsewhere, path, status] of [
			["https://evil.test/", "/auth/logout", 401],
			["https://evil.test/", "/auth/refresh", 400],
			["https://app.example.com/", "/auth/logout", 403],
			["https://app.example.com/", "/auth/refresh", 403],
		] as const) {
			const url = `${elsewhere}?${path}`;
			await other.route(url, (route) => route.fulfill({ contentType: "text/html", body: form(path) }));
			await other.goto(url);
			const [answer] = await Promise.all([
				other.waitForResponse((response) => response.url().startsWith(PUBLIC_URL)),
				other.getByRole("button").click(),
			]);
			assert.equal(answer.status(), status, `${elsewhere} ${path}`);
			await other.waitForLoadState();
		}
		assert.equal((await cookiesOf(context)).length, 1);
		assert.equal((await post(page, "/auth/refresh")).status, 200);
	});
});
