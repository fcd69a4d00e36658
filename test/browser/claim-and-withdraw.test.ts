import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import type { BrowserContextOptions, Page } from "playwright-core";
import { signRequest } from "../../pages/claim/sign-request.ts";
import {
	decide,
	mailedLinks,
	mailedToken,
	REQUESTS,
	submit,
	submitApproved,
} from "../harness/access-requests.ts";
import { BROWSER_SKIPPED } from "../harness/browser.ts";
import {
	fitsEveryWidth,
	noAxeViolations,
	noTroubles,
	openPages,
	PAGES_URL,
	type PagesUnderTest,
	tabTo,
} from "../harness/pages.ts";

const run = promisify(execFile);
const vectors = JSON.parse(readFileSync(new URL("../vectors/signing-vectors.json", import.meta.url), "utf8"));

describe("the signature of the claim page", () => {
	for (const { id, comment, ...vector } of vectors.vectors)
		test(`${id}: ${comment}`, async () => {
			const body = new Uint8Array(Buffer.from(vector.body_base64, "base64"));
			const { stringToSign, headers } = await signRequest(vectors.client, { ...vector, body });
			assert.equal(stringToSign, vector.string_to_sign);
			assert.equal(headers["X-Signature"], vector.signature);
		});
});

describe("the links in the mails", { skip: BROWSER_SKIPPED, timeout: 300_000 }, () => {
	let pages: PagesUnderTest;
	let folder: string;
	before(async () => {
		pages = await openPages();
		folder = mkdtempSync(join(tmpdir(), "latchkey-claim-"));
	});
	after(async () => {
		await pages?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true });
	});

	const requestStatus = async (id: string): Promise<string> =>
		(await pages.service.call("GET", `${REQUESTS}/${id}`, { token: await pages.service.adminToken() })).body
			.data.status;
	const linkOf = async (email: string, page: "claim" | "withdraw"): Promise<string> =>
		(await mailedLinks(pages.service, email, page))[0] as string;
	/** What the page shows below a label. */
	const shown = async (page: Page, label: string): Promise<string> =>
		(await page.locator(`.lk-copy:has(.lk-copy__label:text-is("${label}")) code`).textContent()) ?? "";
	/** The claim page of a new approved request, before or after the press of its button. */
	const openClaim = async (approval = {}, options: BrowserContextOptions = {}) => {
		const { email } = await submitApproved(pages.service, approval);
		const watched = await pages.open(undefined, options);
		await watched.page.goto(await linkOf(email, "claim"));
		return watched;
	};
	const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
	const isHoldingBack = (page: Page) =>
		page.evaluate<boolean>('!dispatchEvent(new Event("beforeunload", { cancelable: true }))');

	describe("/claim", () => {
		test("by keyboard alone; leaving is held back until the Secret is copied", async () => {
			const watched = await openClaim({}, { permissions: ["clipboard-read", "clipboard-write"] });
			const { page, context } = watched;
			await page.getByRole("button", { name: "Claim credentials" }).waitFor();
			await noAxeViolations(page);
			await fitsEveryWidth(page);
			assert.equal(await isHoldingBack(page), false);
			await tabTo(page, "Claim credentials");
			await page.keyboard.press("Enter");
			await page.getByRole("heading", { level: 1, name: "Your credentials" }).waitFor();
			assert.equal(await page.evaluate("document.activeElement.textContent"), "Your credentials");
			assert.equal(await isHoldingBack(page), true);
			await tabTo(page, "Copy API key");
			await page.keyboard.press("Enter");
			await page.getByText("Copied", { exact: true }).waitFor();
			assert.equal(await isHoldingBack(page), true);
			await tabTo(page, "Copy Secret");
			await page.keyboard.press("Enter");
			await page.getByText("You have copied or saved the Secret").waitFor();
			assert.equal(await page.evaluate("navigator.clipboard.readText()"), await shown(page, "Secret"));
			assert.equal(await isHoldingBack(page), false);
			await tabTo(page, "Make the call");
			await page.keyboard.press("Enter");
			await page.getByText("the signature was accepted").waitFor();
			await page.getByText("Signed text and response").click();
			await noAxeViolations(page);
			await fitsEveryWidth(page);
			noTroubles(watched);
			await context.close();
		});

		test("the saved file and the shown command make a signed call, and leaving is free", async () => {
			const watched = await openClaim();
			const { page, context } = watched;
			await press(page, "Claim credentials");
			const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Save as file")]);
			assert.equal(download.suggestedFilename(), "latchkey.env");
			await download.saveAs(join(folder, "latchkey.env"));
			assert.equal(await isHoldingBack(page), false);
			const code = (await page.locator("pre").last().textContent()) ?? "";
			const load = await shown(page, "Load the saved file in a shell, then paste the code");
			assert.match(
				readFileSync(join(folder, "latchkey.env"), "utf8"),
				/^LK_BASE_URL=https:\/\/id\.example\.com$/m,
			);
			const reachable = `LK_BASE_URL=https://localhost:${pages.service.httpsPort}`;
			const { stdout } = await run("sh", ["-ec", [load, reachable, code].join("\n")], {
				cwd: folder,
				env: { PATH: process.env.PATH, CURL_CA_BUNDLE: join(pages.service.dataDir, "tls-cert.pem") },
			});
			assert.equal(JSON.parse(stdout).data.client.api_key, await shown(page, "API key"));
			noTroubles(watched);
			await context.close();
		});

		test("a call from an address that is not on the allowlist is explained", async () => {
			const { page, context } = await openClaim({ ip_allowlist: ["203.0.113.0/24"] });
			await press(page, "Claim credentials");
			await page.getByText("203.0.113.0/24").waitFor();
			await press(page, "Make the call");
			const refusal = page.getByRole("alert");
			await refusal.waitFor();
			assert.match(
				(await refusal.textContent()) ?? "",
				/403: refused with ip\.not_allowed.*127\.0\.0\.1.*restricted to the addresses above/,
			);
			await noAxeViolations(page);
			await context.close();
		});

		test("a clock that is off is explained, and the call can be made again", async () => {
			const { page, context } = await openClaim();
			await press(page, "Claim credentials");
			await page.clock.install({ time: Date.now() - 3_600_000 });
			await press(page, "Make the call");
			await page.getByText("401: refused with signature.timestamp").waitFor();
			await page.getByText("This computer's clock").waitFor();
			await page.clock.setSystemTime(Date.now());
			await press(page, "Make another call");
			await page.getByText("the signature was accepted").waitFor();
			await context.close();
		});

		test("a used link says so, and shows nothing", async () => {
			const { email } = await submitApproved(pages.service);
			const link = await linkOf(email, "claim");
			const body = { token: link.split("#")[1] };
			assert.equal((await pages.service.call("POST", `${REQUESTS}/claim`, { body })).status, 201);
			const { page, context } = await pages.open();
			await page.goto(link);
			await press(page, "Claim credentials");
			await page.getByText("This link is no longer valid").waitFor();
			assert.equal(await page.locator(".lk-secret").count(), 0);
			assert.equal(await page.getByRole("button", { name: "Claim credentials" }).count(), 0);
			await context.close();
		});

		test("without an answer, and after 503, the button works again", async () => {
			const { page, context } = await openClaim();
			await page.route("**/claim", (route) =>
				route.request().method() === "POST" ? route.abort() : route.continue(),
			);
			await press(page, "Claim credentials");
			await page.getByText("No response arrived").waitFor();
			await page.unroute("**/claim");
			await page.route("**/api/v1/access-requests/claim", (route) =>
				route.fulfill({
					status: 503,
					headers: { "retry-after": "1", "content-type": "application/problem+json" },
					body: JSON.stringify({ code: "service.busy", detail: "the service is busy" }),
				}),
			);
			await press(page, "Claim credentials");
			await page.getByText("the service is busy").waitFor();
			await page.unroute("**/api/v1/access-requests/claim");
			await press(page, "Try again");
			await page.getByRole("heading", { level: 1, name: "Your credentials" }).waitFor();
			await context.close();
		});

		test("after a fresh link was sent only that one works, and the page speaks Chinese", async () => {
			const { id, email } = await submitApproved(pages.service);
			await pages.service.call("POST", `${REQUESTS}/${id}/resend`, {
				token: await pages.service.adminToken(),
			});
			await mailedToken(pages.service, email, "claim", 2);
			const [old, fresh] = (await mailedLinks(pages.service, email, "claim", 2)) as [string, string];
			const { page, troubles, context } = await pages.open(undefined, { locale: "zh-CN" });
			await page.goto(old);
			await press(page, "领取凭证");
			await page.getByText("该链接已失效").waitFor();
			// The part after "#" alone changes: the page takes the new token.
			await page.goto(fresh);
			await press(page, "领取凭证");
			await page.getByRole("heading", { level: 1, name: "您的凭证" }).waitFor();
			assert.equal(await page.title(), "您的凭证 · Latchkey");
			assert.match(await shown(page, "Secret"), /^sk_/);
			await press(page, "发起调用");
			await page.getByText("签名已通过").waitFor();
			// The 404 of the old link is the one thing the console may complain of.
			assert.ok(
				troubles.every((trouble) => trouble.includes("404")),
				troubles.join("\n"),
			);
			await context.close();
		});

		test("without its token the page offers nothing to press", async () => {
			const { page, context } = await pages.open("/claim");
			await page.getByText("The URL is incomplete").waitFor();
			assert.equal(await page.locator("main button").count(), 0);
			await context.close();
		});
	});

	describe("/withdraw", () => {
		test("opening changes nothing; the press of the button withdraws, by keyboard alone", async () => {
			const { id, email } = await submit(pages.service, {
				company: "<b>ACME</b>",
				project_name: "Stock list",
			});
			const link = await linkOf(email, "withdraw");
			const watched = await pages.open();
			const { page, requests, context } = watched;
			await page.goto(link);
			await page.getByRole("button", { name: "Withdraw request" }).waitFor();
			assert.equal(page.url(), `${PAGES_URL}/withdraw`);
			const summary = (await page.locator(".lk-descriptions").textContent()) ?? "";
			for (const text of ["Stock list", "<b>ACME</b>", "Waiting for review"])
				assert.ok(summary.includes(text));
			assert.equal(await requestStatus(id), "pending");
			await noAxeViolations(page);
			await fitsEveryWidth(page);
			await tabTo(page, "Withdraw request");
			await page.keyboard.press("Enter");
			await page.getByRole("heading", { name: "Your request was withdrawn" }).waitFor();
			assert.equal(await requestStatus(id), "withdrawn");
			assert.ok(requests.every((request) => !request.includes(link.split("#")[1] as string)));
			await noAxeViolations(page);
			noTroubles(watched);
			await context.close();
		});

		test("a request that was decided cannot be withdrawn any more, and the page says so", async () => {
			const { id, email } = await submit(pages.service);
			const link = await linkOf(email, "withdraw");
			await decide(pages.service, id, "reject");
			const { page, context } = await pages.open(undefined, { locale: "zh-CN" });
			await page.goto(link);
			await page.getByText("没有可以撤回的申请").waitFor();
			assert.equal(await page.locator("main button").count(), 0);
			assert.equal(await requestStatus(id), "rejected");
			await context.close();
		});

		test("a request that is decided while the page is open is not withdrawn, and the page says so", async () => {
			const { id, email } = await submit(pages.service);
			const { page, context } = await pages.open(undefined, { locale: "zh-CN" });
			await page.goto(await linkOf(email, "withdraw"));
			await page.getByText("等待审核").waitFor();
			await decide(pages.service, id, "reject");
			await press(page, "撤回申请");
			await page.getByText("没有可以撤回的申请").waitFor();
			assert.equal(await requestStatus(id), "rejected");
			await context.close();
		});

		test("while the request cannot be shown there is nothing to press but another try", async () => {
			const { email } = await submit(pages.service, { project_name: "Later" });
			const { page, context } = await pages.open();
			await page.route("**/withdraw/preview", (route) => route.abort());
			await page.goto(await linkOf(email, "withdraw"));
			await page.getByRole("button", { name: "Try again" }).waitFor();
			assert.equal(await page.getByRole("button", { name: "Withdraw request" }).count(), 0);
			await page.unroute("**/withdraw/preview");
			await press(page, "Try again");
			await page.getByText("Later", { exact: true }).waitFor();
			await context.close();
		});
	});
});
