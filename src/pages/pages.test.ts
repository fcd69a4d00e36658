// The small pages in a real browser: nothing consumed by opening, nothing said to anybody else.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { after, before, describe, type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { loadGuides } from "./guides.ts";
import { loadPages, PAGE_FILES } from "./pages.ts";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
	existsSync,
);
const FLAGS = [
	"--headless",
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
];
const TOKEN = "t0ken_-AZ09";
const CLIENT = {
	id: "01980000-0000-7000-8000-000000000000",
	tenant_id: "01980000-0000-7000-8000-000000000001",
	app_id: "01980000-0000-7000-8000-000000000002",
	api_key: "ak_0123456789abcdefXY",
	secret: "sk_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ",
	ip_allowlist: ["203.0.113.0/24"],
	expires_at: null,
};
const CLAIM = "/api/v1/access-requests/claim";
const WITHDRAW = "/api/v1/access-requests/withdraw";
const OPEN_API = {
	openapi: "3.1.0",
	info: { title: "Latchkey", version: "9.9.9", description: "What it <b>does</b>." },
	components: {
		securitySchemes: { bearer: { type: "http", scheme: "bearer" }, signed: { type: "apiKey" } },
		schemas: {
			Node: {
				type: "object",
				properties: { children: { type: "array", items: { $ref: "#/components/schemas/Node" } } },
			},
		},
	},
	paths: {
		"/api/v1/things": {
			get: {
				operationId: "listThings",
				summary: "List things",
				tags: ["Things"],
				security: [{ bearer: [] }],
				parameters: [{ in: "query", name: "page", schema: { type: "integer", minimum: 1, default: 1 } }],
				responses: {
					200: {
						description: "A page.",
						content: { "application/json": { schema: { $ref: "#/components/schemas/Node" } } },
					},
				},
			},
			post: {
				operationId: "createThing",
				summary: "Create a thing",
				description: "Takes a <script>name</script>.\n\nAllowed: admin.",
				tags: ["Things"],
				security: [{ signed: [] }],
				requestBody: {
					content: {
						"application/json": {
							schema: {
								type: "object",
								required: ["name"],
								properties: {
									name: { type: "string", minLength: 1, maxLength: 100, description: "Shown to people." },
									kind: { type: "string", enum: ["big", "small"] },
									tags: { type: "array", maxItems: 5, items: { type: "string", pattern: "^[a-z]+$" } },
								},
							},
						},
					},
				},
				responses: {
					201: { description: "Created." },
					409: {
						description: "Conflict",
						content: {
							"application/problem+json": {
								schema: { properties: { code: { enum: ["thing.exists", "thing.twin"] } } },
							},
						},
					},
				},
			},
		},
		"/health": {
			get: {
				operationId: "health",
				summary: "Check the service",
				tags: ["Health"],
				security: [],
				responses: {},
			},
		},
	},
};

interface Answer {
	readonly status: number;
	readonly headers?: Record<string, string>;
	readonly body?: unknown;
}

const posts: { path: string; body: unknown }[] = [];
const referrers: string[] = [];
const answers = new Map<string, Answer | "cut">();
const pages = loadPages();
const guides = loadGuides();
let server: Server;
let origin = "";
let browser: Browser | undefined;

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const path = request.url ?? "";
	if (request.headers.referer !== undefined) referrers.push(request.headers.referer);
	const page = pages.get(path) ?? guides.get(path);
	if (request.method === "GET" && page !== undefined) {
		response.writeHead(200, page.headers).end(page.body);
		return;
	}
	let raw = "";
	for await (const chunk of request) raw += chunk;
	if (request.method === "POST") posts.push({ path, body: JSON.parse(raw) });
	const answer = path === "/api/v1/external/whoami" ? checkSignature(request) : answers.get(path);
	if (answer === "cut") return void request.socket.destroy();
	const { status, headers, body } = answer ?? { status: 404 };
	response.writeHead(status, { "content-type": "application/json", ...headers });
	response.end(body === undefined ? undefined : JSON.stringify(body));
}

function checkSignature(request: IncomingMessage): Answer {
	const header = (name: string) => String(request.headers[name]);
	const parts = ["x-tenant-id", "x-app-id", "x-api-key", "x-timestamp", "x-nonce"].map(header);
	const lines = ["V1-HMAC-SHA256", "GET", request.url, ...parts, createHash("sha256").digest("hex")];
	const signature = createHmac("sha256", CLIENT.secret).update(lines.join("\n")).digest("hex");
	return { status: header("x-signature") === signature ? 200 : 401, body: { asked: parts } };
}

before(async () => {
	server = createServer((request, response) => void serve(request, response));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	assert.ok(address !== null && typeof address === "object");
	origin = `http://127.0.0.1:${address.port}`;
	if (CHROMIUM !== undefined) browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
});

after(async () => {
	await browser?.close();
	server.closeAllConnections();
	server.close();
});

/** Opens a page in a fresh profile and holds it to what every page promises. */
async function visit(
	t: TestContext,
	path: string,
	use: (page: Page) => Promise<void>,
	options: BrowserContextOptions = {},
): Promise<void> {
	if (browser === undefined) {
		assert.equal(process.env.CI, undefined, "the pages are not tried: Chromium is missing");
		return t.skip("Chromium is not installed");
	}
	posts.length = 0;
	referrers.length = 0;
	const complaints: string[] = [];
	const context = await browser.newContext({ locale: "en-US", ...options });
	try {
		await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
		const page = await context.newPage();
		page.on("pageerror", (error) => complaints.push(error.message));
		page.on("console", (message) => {
			// The browser itself reports the refusals that tests ask for.
			if (!message.text().startsWith("Failed to load resource")) complaints.push(message.text());
		});
		page.on("request", (request) => {
			const url = request.url();
			if (!url.startsWith(origin) && !url.startsWith("data:")) complaints.push(`asked elsewhere: ${url}`);
			if (url.includes(TOKEN) && !request.isNavigationRequest()) complaints.push(`token in ${url}`);
		});
		await page.goto(origin + path);
		await use(page);
	} finally {
		await context.close();
	}
	assert.deepEqual(complaints, []);
	assert.deepEqual(referrers, []);
}

const problem = (page: Page) => page.locator("#problem:not([hidden])");
const button = (page: Page) => page.locator("#press");

describe("files", () => {
	test("every page is served with headers that confine it", () => {
		assert.deepEqual([...pages.keys()], Object.keys(PAGE_FILES));
		for (const [path, { headers, body }] of pages) {
			assert.ok(body.length > 100, path);
			assert.match(headers.etag, /^"[0-9a-f]+-[0-9a-f]+"$/);
			const policy = headers["content-security-policy"] ?? "";
			assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
			assert.match(policy, /form-action 'none'; base-uri 'none'; frame-ancestors 'none'/);
			assert.doesNotMatch(policy, /unsafe|\*/);
			assert.equal(headers["referrer-policy"], "no-referrer");
			assert.equal(headers["x-content-type-options"], "nosniff");
			assert.equal(headers["cache-control"], "no-cache");
		}
		assert.equal(pages.get("/claim")?.headers["content-type"], "text/html; charset=utf-8");
		assert.equal(pages.get("/pages/page.css")?.headers["content-type"], "text/css; charset=utf-8");
	});

	test("no page holds inline script or style, or an address elsewhere", () => {
		for (const [path, { body }] of pages) {
			const text = body.toString().replaceAll("http://www.w3.org/2000/svg", "");
			assert.doesNotMatch(
				text,
				/<script(?![^>]* src="\/pages\/)|<style|\sstyle=|\son[a-z]+=|https?:\/\/(?!example\.com)/,
				path,
			);
		}
	});
});

describe("/claim", () => {
	test("opening consumes nothing, pressing shows the credentials once", (t) =>
		visit(t, `/claim#${TOKEN}`, async (page) => {
			answers.set(CLAIM, { status: 201, body: { data: CLIENT } });
			await page.waitForURL(`${origin}/claim`);
			assert.deepEqual(posts, []);
			await button(page).click();
			await page.locator("#result").waitFor();
			assert.deepEqual(posts, [{ path: CLAIM, body: { token: TOKEN } }]);
			const shown = await page.locator("#credentials code").allTextContents();
			assert.deepEqual(shown, [CLIENT.tenant_id, CLIENT.app_id, CLIENT.api_key, CLIENT.secret]);
			assert.match((await page.locator("#limits").textContent()) ?? "", /only from 203\.0\.113\.0\/24/);
			assert.equal(await button(page).isVisible(), false);
			assert.equal(await page.locator(":focus").textContent(), "Your credentials");
		}));

	test("the Secret can be copied; leaving before that asks for confirmation", (t) =>
		visit(t, `/claim#${TOKEN}`, async (page) => {
			answers.set(CLAIM, { status: 201, body: { data: CLIENT } });
			await button(page).click();
			const holdsBack = () =>
				page.evaluate('!dispatchEvent(new Event("beforeunload", { cancelable: true }))');
			await page.locator("#result").waitFor();
			assert.equal(await holdsBack(), true);
			await page.getByRole("button", { name: "Copy: Secret" }).click();
			await page.getByText("Secret: Copied").waitFor();
			assert.equal(await page.evaluate("navigator.clipboard.readText()"), CLIENT.secret);
			assert.equal(await holdsBack(), false);
		}));

	test("by keyboard alone", (t) =>
		visit(t, `/claim#${TOKEN}`, async (page) => {
			answers.set(CLAIM, { status: 201, body: { data: CLIENT } });
			await page.locator("#press:enabled").waitFor();
			await page.keyboard.press("Tab");
			assert.equal(await page.locator(":focus").getAttribute("id"), "press");
			await page.keyboard.press("Enter");
			await page.locator("#result").waitFor();
			for (let i = 0; i < 4; i++) await page.keyboard.press("Tab");
			assert.equal(await page.locator(":focus").getAttribute("aria-label"), "Copy: Secret");
			await page.keyboard.press("Space");
			await page.getByText("Secret: Copied").waitFor();
		}));

	test("the pasted environment and the curl call make a right signature", async (t) => {
		const sh = promisify(execFile);
		await visit(t, `/claim#${TOKEN}`, async (page) => {
			answers.set(CLAIM, { status: 201, body: { data: CLIENT } });
			await button(page).click();
			await page.locator("#result").waitFor();
			// Shown at once, before anything that needs more than what every system has.
			assert.ok(await page.locator("#curl").isVisible());
			const script = await page.locator("#environment, #curl").allTextContents();
			const tools = await sh("sh", ["-c", "command -v curl && command -v openssl"]).catch(() => undefined);
			if (tools === undefined)
				return t.diagnostic("curl or openssl is not installed: the call was not tried");
			const { stdout } = await sh("sh", ["-ec", `${script.join("\n")} --silent --show-error --fail`]);
			assert.deepEqual(JSON.parse(stdout).asked.slice(0, 3), [
				CLIENT.tenant_id,
				CLIENT.app_id,
				CLIENT.api_key,
			]);
		});
	});

	for (const [what, answer, text, mayTryAgain] of [
		["a link that was used", { status: 404, body: { error: "x" } }, /no longer valid/, false],
		["a token that is none", { status: 400, body: { error: "x" } }, /no longer valid/, false],
		["too many requests", { status: 429, headers: { "Retry-After": "17" } }, /Try again in 17 seconds/, true],
		["a service in trouble", { status: 503 }, /cannot answer right now/, true],
		["a cut line", "cut", /No answer arrived/, true],
		["an answer that is none", { status: 201, body: { data: {} } }, /does not understand/, false],
	] as const) {
		test(`${what} is explained`, (t) =>
			visit(t, `/claim#${TOKEN}`, async (page) => {
				answers.set(CLAIM, answer);
				await button(page).click();
				await problem(page).waitFor();
				assert.match((await problem(page).textContent()) ?? "", text);
				assert.equal(await problem(page).getAttribute("role"), "alert");
				assert.equal(await button(page).isVisible(), mayTryAgain);
				if (!mayTryAgain) return;
				answers.set(CLAIM, { status: 201, body: { data: CLIENT } });
				await button(page).click();
				await page.locator("#result").waitFor();
			}));
	}

	test("without a token it says so and offers nothing; a whole link in the same tab then works", (t) =>
		visit(t, "/claim", async (page) => {
			await problem(page).waitFor();
			assert.match((await problem(page).textContent()) ?? "", /address of this page is incomplete/);
			assert.equal(await button(page).isVisible(), false);
			await page.goto(`${origin}/claim#${TOKEN}`);
			await page.locator("#press:enabled").waitFor();
			assert.equal(page.url(), `${origin}/claim`);
			assert.deepEqual(posts, []);
		}));

	test("what the service answers is text, never markup", (t) =>
		visit(t, `/claim#${TOKEN}`, async (page) => {
			const client = { ...CLIENT, api_key: "<img src=x onerror=alert(1)>", tenant_id: "'; touch x; '" };
			answers.set(CLAIM, { status: 201, body: { data: client } });
			await button(page).click();
			await page.locator("#result").waitFor();
			assert.equal(await page.locator("img").count(), 0);
			const environment = (await page.locator("#environment").textContent()) ?? "";
			assert.ok(environment.includes("LK_TENANT_ID=''\\''; touch x; '\\'''"), environment);
		}));

	test("in Chinese, all of it", (t) =>
		visit(
			t,
			`/claim#${TOKEN}`,
			async (page) => {
				answers.set(CLAIM, { status: 201, body: { data: CLIENT } });
				await page.getByRole("button", { name: "领取凭证" }).click();
				await page.locator("#result").waitFor();
				assert.equal(await page.locator("html").getAttribute("lang"), "zh-CN");
				assert.equal(await page.title(), "领取 API 凭证 · Latchkey");
				for (const text of await page.locator("[data-text]").allTextContents())
					assert.match(text, /\p{Script=Han}/u);
			},
			{ locale: "zh-CN" },
		));
});

describe("/withdraw", () => {
	test("opening changes nothing, pressing withdraws", (t) =>
		visit(t, `/withdraw#${TOKEN}`, async (page) => {
			answers.set(WITHDRAW, { status: 204 });
			await page.waitForURL(`${origin}/withdraw`);
			assert.deepEqual(posts, []);
			await button(page).click();
			await page.getByRole("heading", { name: "Your request was withdrawn" }).waitFor();
			assert.deepEqual(posts, [{ path: WITHDRAW, body: { token: TOKEN } }]);
		}));

	test("a link that is over is explained", (t) =>
		visit(t, `/withdraw#${TOKEN}`, async (page) => {
			answers.set(WITHDRAW, { status: 404, body: { error: "x" } });
			await button(page).click();
			await problem(page).waitFor();
			assert.match((await problem(page).textContent()) ?? "", /nothing to withdraw/);
		}));

	test("in Chinese, all of it", (t) =>
		visit(
			t,
			`/withdraw#${TOKEN}`,
			async (page) => {
				answers.set(WITHDRAW, { status: 409 });
				for (const text of await page.locator("[data-text]").allTextContents())
					assert.match(text, /\p{Script=Han}/u);
				await page.getByRole("button", { name: "撤回申请" }).click();
				await page.getByText("没有可以撤回的申请").waitFor();
			},
			{ locale: "zh-CN" },
		));
});

describe("/docs", () => {
	before(() => answers.set("/openapi.json", { status: 200, body: OPEN_API }));

	test("shows every operation with who may call it, limits, answers and error codes", (t) =>
		visit(t, "/docs", async (page) => {
			await page.getByText("3 endpoints").waitFor();
			assert.deepEqual(await page.locator("#groups h2").allTextContents(), ["Things", "Health"]);
			assert.deepEqual(await page.locator(".pill").allTextContents(), [
				"Bearer token",
				"Signed request",
				"Public",
			]);
			await page.locator("#createThing > summary").click();
			const detail = page.locator("#createThing .detail");
			assert.ok(await detail.isVisible());
			const text = (await detail.textContent()) ?? "";
			for (const part of [
				"Takes a <script>name</script>.",
				"Allowed: admin.",
				"1–100 characters",
				"≤ 5 items",
				"Shown to people.",
				"^[a-z]+$",
				"thing.exists",
				"thing.twin",
			]) {
				assert.ok(text.includes(part), part);
			}
			assert.deepEqual(await detail.locator(".required").allTextContents(), ["required"]);
			assert.doesNotMatch(await page.locator("body").innerHTML(), /\[object|undefined/);
		}));

	test("a link to an operation opens it, and so does the index", (t) =>
		visit(t, "/docs#listThings", async (page) => {
			await page.locator("#listThings[open]").waitFor();
			await page.getByRole("navigation").getByText("Check the service").click();
			await page.locator("#health[open]").waitFor();
			assert.equal(page.url(), `${origin}/docs#health`);
		}));

	test("the filter is reached by /, narrows by every word, and gives way to a link", (t) =>
		visit(t, "/docs", async (page) => {
			await page.getByText("3 endpoints").waitFor();
			await page.keyboard.press("/");
			await page.keyboard.type("POST things");
			await page.getByText("1 of 3 endpoints").waitFor();
			assert.deepEqual(
				await page.locator(".operation:visible").evaluateAll((all) => all.map((one) => one.id)),
				["createThing"],
			);
			await page.goto(`${origin}/docs#health`);
			await page.locator("#health[open]").waitFor();
			assert.ok(await page.locator("#health").isVisible());
		}));

	for (const viewport of [
		{ width: 360, height: 740 },
		{ width: 1280, height: 800 },
	])
		test(`what is searched for is in sight at once, ${viewport.width} px wide`, (t) =>
			visit(
				t,
				"/docs",
				async (page) => {
					await page.getByText("3 endpoints").waitFor();
					const hits = page.locator("#hits a");
					const search = async (text: string, first: RegExp): Promise<void> => {
						await page.locator("#filter").fill(text);
						await hits.filter({ hasText: first }).first().waitFor();
						assert.match((await hits.first().textContent()) ?? "", first);
						const box = await hits.first().boundingBox();
						assert.ok(box !== null && box.y > 0 && box.y + box.height < viewport.height, text);
						assert.ok(box.x >= 0 && box.x + box.width <= viewport.width, text);
					};
					await page.locator("#health").scrollIntoViewIfNeeded();
					await search("list things", /GET \/api\/v1\/things List things/);
					await search("kind", /POST \/api\/v1\/things/);
					await search("thing.twin", /POST \/api\/v1\/things/);
					await search("nonce.reused", /^nonce\.reused$/);
					await search("run ntp", /Signed requests/);
					if (process.env.SCREENSHOTS !== undefined)
						await page.screenshot({ path: `${process.env.SCREENSHOTS}/search-${viewport.width}.png` });
					const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
					assert.ok(Number(overflow) <= 0, `${overflow} px too wide`);
					await page.locator("#filter").fill("no such words anywhere");
					await page.getByText("0 of 3 endpoints").waitFor();
					assert.equal(await hits.count(), 0);
				},
				{ viewport },
			));

	test("Enter opens the first hit: an endpoint here, also twice, or a guide", (t) =>
		visit(t, "/docs", async (page) => {
			const filter = page.locator("#filter");
			await page.locator("#filter:enabled").waitFor();
			for (const path of ["", "again"]) {
				await filter.fill("check the service");
				await filter.press("Enter");
				await page.locator("#health[open]").waitFor();
				assert.equal(page.url(), `${origin}/docs#health`, path);
				await page.locator("#health > summary").click();
			}
			await filter.fill("scope.missing");
			await page
				.locator("#hits a")
				.filter({ hasText: /^scope\.missing$/ })
				.waitFor();
			await filter.press("Enter");
			await page.waitForURL(`${origin}/docs/errors#scope.missing`);
			assert.ok(await page.locator("[id='scope.missing']").isVisible());
		}));

	for (const width of [360, 1280])
		test(`guides are listed, link to each other and fit ${width} px`, (t) =>
			visit(
				t,
				"/docs",
				async (page) => {
					const listed = page.locator("#guides a[href^='/']");
					const addresses = await listed.evaluateAll((all) => all.map((one) => one.getAttribute("href")));
					const served = [...guides.keys()].filter((path) => path.startsWith("/docs/"));
					assert.deepEqual(addresses, [...served, "/openapi.json"]);
					for (const path of served) {
						await page.goto(origin + path);
						if (process.env.SCREENSHOTS !== undefined)
							await page.screenshot({
								path: `${process.env.SCREENSHOTS}/${path.replaceAll("/", "-")}-${width}.png`,
							});
						const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
						assert.ok(Number(overflow) <= 0, `${path} is ${overflow} px too wide`);
					}
					await page.goto(`${origin}/docs/signing`);
					await page.locator("main a[href='/docs/api#rate-limit']").click();
					await page.waitForURL(`${origin}/docs/api#rate-limit`);
					assert.ok(await page.locator("#rate-limit").isVisible());
				},
				{ viewport: { width, height: 800 } },
			));

	test("in Chinese; and a description that cannot be loaded is said", async (t) => {
		const zh = { locale: "zh-CN" };
		await visit(t, "/docs", (page) => page.getByText("共 3 个接口").waitFor(), zh);
		answers.set("/openapi.json", { status: 503 });
		await visit(
			t,
			"/docs",
			async (page) => {
				await page.getByText("无法加载 API 描述").waitFor();
				for (const text of await page.locator("[data-text]").allTextContents())
					assert.match(text, /\p{Script=Han}/u);
			},
			zh,
		);
	});
});
