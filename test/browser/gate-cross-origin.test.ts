// Pages of other origins call an application behind a gate with fetch, in a browser that enforces CORS.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { APPLICATIONS, addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import { BEHIND_PROXY, type KeyedGate, serviceToken } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { BROWSER_SKIPPED, launchChromium, openPage } from "../harness/browser/browser.ts";
import { enterPassword } from "../harness/browser/pages.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { GATE_PROXIES } from "../harness/proxies/gate-proxies.ts";
import { startTestService, type TestService } from "../harness/service/service.ts";

const SERVICE = "https://auth.example";
const SHOP = "https://shop.example";
/** A page of the same site, to which the browser sends the cookie of the shop, and one of another site. */
const SUBDOMAIN = "https://app.shop.example";
const PARTNER = "https://partner.example";
const EVIL = "https://evil.example";
const RESOURCE = "https://shop.example/api";
const RULES = [
	{ path: "/page", needs: "public" },
	{ methods: ["GET", "PUT"], path: "/orders/*", needs: "orders:read" },
];
const TIMEOUT_MS = 300_000;

const [nginx] = GATE_PROXIES;
const skip = BROWSER_SKIPPED || (nginx?.skip ?? true);
describe("pages of other origins, in Chromium, behind nginx", { skip, timeout: TIMEOUT_MS }, () => {
	const closing = new AsyncDisposableStack();
	let service: TestService;
	let browser: Browser;
	let ada: Person;
	let token: string;
	before(async () => {
		service = await startTestService({ env: { ...BEHIND_PROXY, LATCHKEY_PUBLIC_URL: SERVICE } });
		closing.defer(() => service.stop());
		const { id } = await addApplication(service);
		await addRole(service, id, "reader", ["orders:read"]);
		await putOAuthClient(service, { type: "service", resource: RESOURCE }, id);
		ada = await addPerson(service, "ada");
		await putGrant(service, id, ada.id, ["reader"]);
		token = await tokenOfProgram(service, id);
		const settings = { rules: RULES, browser_origin: SHOP, cors_origins: [SUBDOMAIN, PARTNER] };
		const gate = (await addGate(service, settings, id)) as KeyedGate;
		const app = await startApp();
		closing.defer(app.close);
		assert.ok(nginx !== undefined);
		const proxy = await nginx.start({ gate, gatePort: service.httpPort, appPort: app.port });
		closing.defer(() => proxy.remove());
		const hosts = [SHOP, SUBDOMAIN, PARTNER, EVIL].map((origin) => [new URL(origin).host, proxy.httpsPort]);
		const rules = [["auth.example", service.httpsPort], ...hosts].map(
			([host, port]) => `MAP ${host} 127.0.0.1:${port}, `,
		);
		browser = await launchChromium(rules.join(""));
		closing.defer(() => browser.close());
	});
	after(() => closing.disposeAsync());

	test("a subdomain reads with the cookie of the shop, and cannot write with it", async () => {
		const { page, context } = await openPage(browser);
		await page.goto(`${SHOP}/orders/1`);
		await enterPassword(page, ada);
		await page.waitForURL(`${SHOP}/orders/1`);
		const init = { credentials: "include" } as const;
		assert.deepEqual(await fetchFrom(page, SUBDOMAIN, init), [200, null, `GET person:${ada.id}`]);
		const [status, refusal] = await fetchFrom(page, SUBDOMAIN, { ...init, method: "PUT" });
		assert.deepEqual([status, refusal], [403, "gate.origin"]);
		// The browser sends no cookie to another site, and shows no response to a page that is not listed.
		assert.deepEqual((await fetchFrom(page, PARTNER, init)).slice(0, 2), [401, "token.missing"]);
		assert.deepEqual(await fetchFrom(page, EVIL, init), ["TypeError"]);
		await context.close();
	});

	test("a page of another site calls with a token after a preflight, and reads a refusal", async () => {
		const { page, context } = await openPage(browser);
		const withToken = (text: string) => ({ headers: { authorization: `Bearer ${text}` } });
		const [status, , text] = await fetchFrom(page, PARTNER, { method: "PUT", ...withToken(token) });
		assert.deepEqual([status, String(text).startsWith("PUT program:")], [200, true]);
		assert.deepEqual((await fetchFrom(page, PARTNER, withToken("wrong"))).slice(0, 2), [
			401,
			"token.invalid",
		]);
		assert.deepEqual(await fetchFrom(page, PARTNER, { method: "DELETE" }), ["TypeError"]);
		assert.deepEqual(await fetchFrom(page, EVIL, withToken(token)), ["TypeError"]);
		await context.close();
	});
});

interface FetchOptions {
	readonly method?: string;
	readonly headers?: Record<string, string>;
	readonly credentials?: "include";
}

/** What a script of the origin sees: status, code, and text, or the name of the error. */
async function fetchFrom(page: Page, origin: string, init: FetchOptions): Promise<readonly unknown[]> {
	await page.goto(`${origin}/page`);
	return await page.evaluate(
		async ({ url, options }) => {
			try {
				const response = await fetch(url, options);
				return [response.status, response.headers.get("latchkey-refusal"), await response.text()];
			} catch (error) {
				return [error instanceof Error ? error.name : ""];
			}
		},
		{ url: `${SHOP}/orders/1`, options: init },
	);
}

async function tokenOfProgram(service: TestService, appId: string): Promise<string> {
	const { id } = await addApplication(service);
	const settings = { type: "service", allowed_resources: [RESOURCE] };
	const { client_secret: secret = "" } = await putOAuthClient(service, settings, id);
	await service.asAdmin("PUT", `${APPLICATIONS}/${appId}/grants/programs/${id}`, { roles: ["reader"] });
	return await serviceToken(service, { id, secret }, RESOURCE);
}

async function startApp() {
	const server = http.createServer(({ method, headers }, response) => {
		response.setHeader("content-type", "text/plain");
		response.end(`${method} ${headers["latchkey-caller"]}`);
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	return {
		port: (server.address() as AddressInfo).port,
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}
