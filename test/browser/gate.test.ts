// A person signs in at an application on another host, behind the delivered proxies, and out of both hosts.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import { BEHIND_PROXY, type KeyedGate } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { BROWSER_SKIPPED, launchChromium, openPage } from "../harness/browser/browser.ts";
import { enterPassword } from "../harness/browser/pages.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { enrollTotp, nextCode } from "../harness/people/second-factors.ts";
import { GATE_PROXIES, type GateProxy } from "../harness/proxies/gate-proxies.ts";
import { startTestService, type TestService } from "../harness/service/service.ts";

const SERVICE = "https://auth.example";
const SHOP = "https://shop.example";
const EVIL = "https://evil.example/";
const RULES = [
	{ methods: ["GET"], path: "/orders/*", needs: "orders:read" },
	{ methods: ["POST"], path: "/orders/*", needs: "orders:read" },
	{ path: "/vault", needs: "orders:read", mfa: true },
];
const TIMEOUT_MS = 300_000;

for (const { name, skip, start } of GATE_PROXIES)
	describe(`two hosts, in Chromium, behind ${name}`, {
		skip: BROWSER_SKIPPED || skip,
		timeout: TIMEOUT_MS,
	}, () => {
		let service: TestService;
		let shop: Shop;
		let proxy: GateProxy;
		let browser: Browser;
		let shopId: string;
		let ada: Person;
		before(async () => {
			service = await startTestService({ env: { ...BEHIND_PROXY, LATCHKEY_PUBLIC_URL: SERVICE } });
			shop = await startShop();
			const { id } = await addApplication(service);
			shopId = id;
			await addRole(service, id, "reader", ["orders:read"]);
			ada = await addPerson(service, "ada");
			await putGrant(service, id, ada.id, ["reader"]);
			const gate = (await addGate(service, { rules: RULES, browser_origin: SHOP }, id)) as KeyedGate;
			proxy = await start({ gate, gatePort: service.httpPort, appPort: shop.port });
			const hosts = { "auth.example": service.httpsPort, "shop.example": proxy.httpsPort };
			const rules = Object.entries(hosts).map(([host, port]) => `MAP ${host} 127.0.0.1:${port}, `);
			browser = await launchChromium(rules.join(""));
		});
		after(async () => {
			await browser?.close();
			await proxy?.remove();
			await shop?.close();
			await service?.stop();
		});

		const signIn = async (page: Page, person = ada): Promise<void> => {
			await page.waitForURL(`${SERVICE}/sign-in?**`);
			await enterPassword(page, person);
		};
		const isAtShop = async (page: Page): Promise<void> => {
			await page.waitForURL(`${SHOP}/orders/1?a=%20b`);
			assert.equal(await page.locator("h1").textContent(), `GET person:${ada.id}`);
		};

		test("signs in once, reads, writes, and signs out of both", async () => {
			const { page, context } = await openPage(browser);
			await page.goto(`${SHOP}/orders/1?a=%20b`);
			await signIn(page);
			await isAtShop(page);
			const cookies = await context.cookies(SHOP);
			const session = cookies.find(({ name: cookie }) => cookie === "__Host-latchkey-gate");
			assert.deepEqual([session?.httpOnly, session?.secure, session?.sameSite], [true, true, "Lax"]);
			assert.equal(
				cookies.some(({ name: cookie }) => cookie === "__Host-latchkey"),
				false,
			);

			await page.getByRole("button", { name: "Order" }).click();
			await page.getByText(`POST person:${ada.id}`).waitFor();
			assert.doesNotMatch(shop.cookies(), /latchkey/);
			assert.match(shop.cookies(), /theme=dark/);

			// One sign-in is enough for both hosts.
			await page.goto(`${SERVICE}/account`);
			await page.getByRole("heading", { level: 1 }).waitFor();
			assert.equal(new URL(page.url()).pathname, "/account");

			await page.goto(`${SHOP}/orders/1?a=%20b`);
			await isAtShop(page);
			await page.getByRole("button", { name: "Sign out" }).click();
			await page.waitForURL(`${SERVICE}/signed-out`);
			await page.goto(`${SERVICE}/account`);
			await page.waitForURL(`${SERVICE}/sign-in?**`);
			await page.goto(`${SHOP}/orders/1?a=%20b`);
			await signIn(page);
			await isAtShop(page);
			await context.close();
		});

		test("asks for the second factor that a page needs, and returns to it", async () => {
			const bea = await addPerson(service, "bea");
			await putGrant(service, shopId, bea.id, ["reader"]);
			const { page, context } = await openPage(browser);
			await page.goto(`${SHOP}/orders/1`);
			await signIn(page, bea);
			await page.getByText(`GET person:${bea.id}`).waitFor();
			// The session is older than the authenticator app.
			const { secret } = await enrollTotp(service, bea);
			await page.goto(`${SHOP}/vault?a=1`);
			await page.waitForURL(`${SERVICE}/sign-in?**`);
			await page.getByLabel("Code", { exact: true }).fill(nextCode(service, secret));
			await page.keyboard.press("Enter");
			await page.waitForURL(`${SHOP}/vault?a=1`);
			await page.getByText(`GET person:${bea.id}`).waitFor();
			await page.goto(`${SHOP}/orders/1`);
			await page.getByText(`GET person:${bea.id}`).waitFor();
			await context.close();

			// A person without an authenticator app sets one up on the way.
			const carl = await addPerson(service, "carl");
			await putGrant(service, shopId, carl.id, ["reader"]);
			const other = await openPage(browser);
			await other.page.goto(`${SHOP}/vault`);
			await signIn(other.page, carl);
			await other.page.getByRole("button", { name: /^Authenticator app/ }).click();
			await other.page.getByRole("img", { name: /^QR code/ }).waitFor();
			const shown = (await other.page.locator(".lk-copy__value").textContent())?.replaceAll(" ", "") ?? "";
			await other.page.getByLabel("Code from the app").fill(nextCode(service, shown));
			await other.page.getByRole("button", { name: "I have saved them" }).click();
			await other.page.waitForURL(`${SHOP}/vault`);
			await other.page.getByText(`GET person:${carl.id}`).waitFor();
			await other.context.close();
		});

		test("ends the session at the shop when the person signs out of the service", async () => {
			const { page, context } = await openPage(browser);
			await page.goto(`${SHOP}/orders/1?a=%20b`);
			await signIn(page);
			await isAtShop(page);
			await page.goto(`${SERVICE}/docs/errors`);
			const status = await page.evaluate(async () => {
				const headers = { "x-session": "cookie" };
				return (await fetch("/api/v1/auth/logout", { method: "POST", headers })).status;
			});
			assert.ok(status < 300, String(status));
			await page.goto(`${SHOP}/orders/1?a=%20b`);
			await page.waitForURL(`${SERVICE}/sign-in?**`);
			await context.close();
		});

		test("refuses forms of other sites", async () => {
			const { page, context } = await openPage(browser);
			await page.goto(`${SHOP}/orders/1?a=%20b`);
			await signIn(page);
			await isAtShop(page);
			const before = shop.requests();
			for (const path of ["/orders/1", "/.latchkey/sign-out"]) {
				const body = `<form method="post" action="${SHOP}${path}"><button>Go</button></form>`;
				await page.route(EVIL, (route) => route.fulfill({ contentType: "text/html", body }));
				await page.goto(EVIL);
				const [response] = await Promise.all([
					page.waitForResponse(`${SHOP}${path}`),
					page.getByRole("button", { name: "Go" }).click(),
				]);
				assert.ok([401, 403].includes(response.status()), `${path} ${response.status()}`);
			}
			assert.equal(shop.requests(), before);
			await page.goto(`${SHOP}/orders/1?a=%20b`);
			await isAtShop(page);
			await context.close();
		});
	});

interface Shop {
	readonly port: number;
	requests(): number;
	/** Of the latest request. */
	cookies(): string;
	close(): Promise<void>;
}

/** An application that knows nothing about the service except `Latchkey-Caller`. */
async function startShop(): Promise<Shop> {
	let requests = 0;
	let cookies = "";
	const server = http.createServer(({ method, headers }, response) => {
		requests++;
		cookies = headers.cookie ?? "";
		response.setHeader("content-type", "text/html");
		response.setHeader("set-cookie", "theme=dark; Secure; Path=/");
		response.end(`<!doctype html><title>Shop</title><h1>${method} ${headers["latchkey-caller"]}</h1>
<form method="post" action="/orders/1"><button>Order</button></form>
<form method="post" action="/.latchkey/sign-out"><button>Sign out</button></form>`);
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	return {
		port: (server.address() as AddressInfo).port,
		requests: () => requests,
		cookies: () => cookies,
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}
