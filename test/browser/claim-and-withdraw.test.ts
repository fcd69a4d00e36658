import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { promisify } from "node:util";
import type { BrowserContextOptions, Page } from "playwright-core";
import { findLineDifference } from "../../pages/claim/compare-string.ts";
import { sha256, signRequest } from "../../pages/claim/sign-request.ts";
import {
	allowTestClients,
	decide,
	mailedLinks,
	mailedToken,
	QUEUE,
	REQUESTS,
	submit,
	submitApproved,
} from "../harness/access/access-requests.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, noAxeViolations, PAGES_URL, tabAndPress } from "../harness/browser/pages.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const run = promisify(execFile);
const vectors = JSON.parse(readFileSync(new URL("../../docs/signing-vectors.json", import.meta.url), "utf8"));

describe("the signature of the claim page", () => {
	for (const { id, comment, ...vector } of vectors.vectors)
		test(`${id}: ${comment}`, async () => {
			const body = new Uint8Array(Buffer.from(vector.body_base64, "base64"));
			const { stringToSign, headers } = await signRequest(vectors.client, { ...vector, body });
			assert.equal(stringToSign, vector.string_to_sign);
			assert.equal(headers["X-Signature"], vector.signature);
			const digest = await sha256(body);
			assert.equal(findLineDifference(stringToSign, vectors.client, digest), undefined);
			const lines = stringToSign.split("\n");
			for (const [index, line] of lines.entries()) {
				const spoiled = lines.with(index, `${line}\r`).join("\n");
				assert.equal(findLineDifference(spoiled, vectors.client, digest)?.line, index + 1);
			}
			assert.equal(findLineDifference(`${stringToSign}\n`, vectors.client, digest)?.line, 10);
			assert.deepEqual(findLineDifference(lines.slice(0, 8).join("\n"), vectors.client, digest), {
				line: 9,
				expected: digest,
				given: null,
			});
		});
});

describePages("the links in the mails", (pages) => {
	const folder = temporaryFolder();
	after(() => folder[Symbol.dispose]());

	const requestStatus = async (id: string): Promise<string> =>
		(await pages.service.call("GET", `${QUEUE}/${id}`, { token: await pages.service.adminToken() })).body.data
			.status;
	const linkOf = async (email: string, page: "claim" | "withdraw" | "test-client"): Promise<string> =>
		(await mailedLinks(pages.service, email, page))[0] as string;
	/** The text below a label. */
	const shown = async (page: Page, label: string): Promise<string> =>
		(await page.locator(`.lk-copy:has(.lk-copy__label:text-is("${label}")) code`).textContent()) ?? "";
	/** Opens the claim page of a new approved request. */
	const openClaim = async (approval = {}, options: BrowserContextOptions = {}) => {
		const { email } = await submitApproved(pages.service, approval);
		const watched = await pages.open(undefined, options);
		await watched.page.goto(await linkOf(email, "claim"));
		return watched;
	};
	const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
	const stopsWarning = (page: Page) =>
		eventually(
			() => warnsBeforeLeaving(page),
			(warns) => !warns,
		);
	const warnsBeforeLeaving = (page: Page) =>
		page.evaluate<boolean>('!dispatchEvent(new Event("beforeunload", { cancelable: true }))');

	test("/test-client creates a test client once, shows the made-up people, and makes a signed call", async () => {
		await allowTestClients(pages.service);
		const { email } = await submit(pages.service);
		const link = await linkOf(email, "test-client");
		const { page, requests, noTroubles } = await pages.open();
		await page.goto(link);
		await page.getByRole("heading", { level: 1, name: "Create a test client" }).waitFor();
		await assertAccessible(page);
		assert.ok(
			!requests.some((request) => request.includes("/test-client ")),
			"opening the page creates nothing",
		);
		await tabAndPress(page, "Create test client");
		await page.getByRole("heading", { level: 1, name: "Your test client" }).waitFor();
		assert.match(await shown(page, "API key"), /^ak_test_/);
		assert.match(await shown(page, "test-allowed: has every permission"), /0001$/);
		await tabAndPress(page, "Copy Secret");
		await press(page, "Make the call");
		await page.getByText("the signature was accepted").waitFor();
		await assertAccessible(page);
		noTroubles();
		const again = await pages.open();
		await again.page.goto(link);
		await press(again.page, "Create test client");
		await again.page.getByText("This link is no longer valid").waitFor();
	});

	describe("/claim", () => {
		test("works by keyboard, and warns before leaving until the Secret is copied", async () => {
			const { page, noTroubles } = await openClaim(
				{},
				{ permissions: ["clipboard-read", "clipboard-write"] },
			);
			await page.getByRole("button", { name: "Claim credentials" }).waitFor();
			await assertAccessible(page);
			assert.equal(await warnsBeforeLeaving(page), false);
			await tabAndPress(page, "Claim credentials");
			await page.getByRole("heading", { level: 1, name: "Your credentials" }).waitFor();
			assert.equal(await page.evaluate("document.activeElement.textContent"), "Your credentials");
			assert.equal(await warnsBeforeLeaving(page), true);
			await tabAndPress(page, "Copy API key");
			await page.getByText("Copied", { exact: true }).waitFor();
			assert.equal(await warnsBeforeLeaving(page), true);
			await tabAndPress(page, "Copy Secret");
			await page.getByText("You have copied or saved the Secret").waitFor();
			assert.equal(await page.evaluate("navigator.clipboard.readText()"), await shown(page, "Secret"));
			await stopsWarning(page);
			await tabAndPress(page, "Make the call");
			await page.getByText("the signature was accepted").waitFor();
			await page.getByText("Signed text and response").click();
			await assertAccessible(page);
			noTroubles();
		});

		test("saves a file and shows a command that make a signed call, and no longer warns before leaving", async () => {
			const { page, noTroubles } = await openClaim();
			await press(page, "Claim credentials");
			const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Save as file")]);
			assert.equal(download.suggestedFilename(), "latchkey.env");
			await download.saveAs(join(folder.path, "latchkey.env"));
			await stopsWarning(page);
			const install = (await page.locator("pre", { hasText: "npm install" }).textContent()) ?? "";
			assert.match(install, /^npm install https:\/\/id\.example\.com\/docs\/packages\/latchkey-client-/);
			await page.locator("pre", { hasText: 'from "@latchkey/client"' }).waitFor();
			await page
				.getByRole("combobox", { name: "Signed call in a programming language" })
				.selectOption({ label: "curl, without a package" });
			assert.equal(await page.locator("pre", { hasText: "npm install" }).count(), 0);
			const code = (await page.locator("pre").last().textContent()) ?? "";
			const load = await shown(page, "Load the saved file in a shell, then paste the code");
			assert.match(
				readFileSync(join(folder.path, "latchkey.env"), "utf8"),
				/^LK_BASE_URL=https:\/\/id\.example\.com$/m,
			);
			const reachable = `LK_BASE_URL=https://localhost:${pages.service.httpsPort}`;
			const { stdout } = await run("sh", ["-ec", [load, reachable, code].join("\n")], {
				cwd: folder.path,
				env: { PATH: process.env.PATH, CURL_CA_BUNDLE: join(pages.service.dataDir, "tls-cert.pem") },
			});
			assert.equal(JSON.parse(stdout).data.client.api_key, await shown(page, "API key"));
			noTroubles();
		});

		test("signs a pasted string in the browser, and names its first wrong line", async () => {
			const { page, requests, noTroubles } = await openClaim();
			await press(page, "Claim credentials");
			const [tenant, app, key] = await Promise.all(
				["Tenant ID", "App ID", "API key"].map((label) => shown(page, label)),
			);
			const secret = await shown(page, "Secret");
			const body = '{"user_id":"ä"}';
			const digest = createHash("sha256").update(body).digest("hex");
			const target = "/api/v1/external/users/check-access";
			const lines = [
				"V1-HMAC-SHA256",
				"POST",
				target,
				tenant,
				app,
				key,
				"1760000000",
				"n0nce-AAAAAAAAAAAAAA01",
				digest,
			];
			const compare = async (text: string) => {
				await page.locator("[name=string_to_sign]").fill(text);
				await page.locator("[name=body]").fill(body);
				await press(page, "Compare");
			};
			const sent = requests.length;
			await compare(lines.with(5, `${key}x`).join("\n"));
			await page.getByText("Line 6 differs").waitFor();
			await page.getByText(JSON.stringify(`${key}x`)).waitFor();
			await assertAccessible(page);
			const text = lines.join("\n");
			await compare(text);
			await page.getByText("All nine lines are correct").waitFor();
			await page.getByText(createHmac("sha256", secret).update(text).digest("hex")).waitFor();
			assert.equal(requests.length, sent);
			noTroubles();
		});

		test("explains a call from an IP address that is not on the allowlist", async () => {
			const { page } = await openClaim({ ip_allowlist: ["203.0.113.0/24"] });
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
		});

		test("explains a wrong clock, and can repeat the call", async () => {
			const { page } = await openClaim();
			await press(page, "Claim credentials");
			await page.clock.install({ time: Date.now() - 3_600_000 });
			await press(page, "Make the call");
			await page.getByText("401: refused with signature.timestamp").waitFor();
			await page.getByText("This computer's clock").waitFor();
			await page.clock.setSystemTime(Date.now());
			await press(page, "Make another call");
			await page.getByText("the signature was accepted").waitFor();
		});

		test("reports a used link and shows no credentials", async () => {
			const { email } = await submitApproved(pages.service);
			const link = await linkOf(email, "claim");
			const body = { token: link.split("#")[1] };
			assert.equal((await pages.service.call("POST", `${REQUESTS}/claim`, { body })).status, 201);
			const { page } = await pages.open();
			await page.goto(link);
			await press(page, "Claim credentials");
			await page.getByText("This link is no longer valid").waitFor();
			assert.equal(await page.locator(".lk-secret").count(), 0);
			assert.equal(await page.getByRole("button", { name: "Claim credentials" }).count(), 0);
		});

		test("enables the button again after a lost response and after 503", async () => {
			const { page } = await openClaim();
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
		});

		test("accepts only the latest link, in Chinese", async () => {
			const { id, email } = await submitApproved(pages.service);
			await pages.service.call("POST", `${QUEUE}/${id}/resend`, {
				token: await pages.service.adminToken(),
			});
			await mailedToken(pages.service, email, "claim", 2);
			const [old, fresh] = (await mailedLinks(pages.service, email, "claim", 2)) as [string, string];
			const { page, troubles } = await pages.open(undefined, { locale: "zh-CN" });
			await page.goto(old);
			await press(page, "领取凭证");
			await page.getByText("该链接已失效").waitFor();
			// Only the fragment changes, and the page reads the new token.
			await page.goto(fresh);
			await press(page, "领取凭证");
			await page.getByRole("heading", { level: 1, name: "您的凭证" }).waitFor();
			assert.equal(await page.title(), "您的凭证 · Latchkey");
			assert.match(await shown(page, "Secret"), /^sk_/);
			await press(page, "发起调用");
			await page.getByText("签名已通过").waitFor();
			// The console may report only the 404 of the old link.
			assert.ok(
				troubles.every((trouble) => trouble.includes("404")),
				troubles.join("\n"),
			);
		});

		test("shows no button without a token", async () => {
			const { page } = await pages.open("/claim");
			await page.getByText("The URL is incomplete").waitFor();
			assert.equal(await page.locator("main button").count(), 0);
		});
	});

	describe("/withdraw", () => {
		test("withdraws by keyboard when the button is pressed, not when the page opens", async () => {
			const { id, email } = await submit(pages.service, {
				company: "<b>ACME</b>",
				project_name: "Stock list",
			});
			const link = await linkOf(email, "withdraw");
			const { page, requests, noTroubles } = await pages.open();
			await page.goto(link);
			await page.getByRole("button", { name: "Withdraw request" }).waitFor();
			assert.equal(page.url(), `${PAGES_URL}/withdraw`);
			const summary = (await page.locator(".lk-descriptions").textContent()) ?? "";
			for (const text of ["Stock list", "<b>ACME</b>", "Waiting for review"])
				assert.ok(summary.includes(text));
			assert.equal(await requestStatus(id), "pending");
			await assertAccessible(page);
			await tabAndPress(page, "Withdraw request");
			await page.getByRole("heading", { name: "Your request was withdrawn" }).waitFor();
			assert.equal(await requestStatus(id), "withdrawn");
			assert.ok(requests.every((request) => !request.includes(link.split("#")[1] as string)));
			await noAxeViolations(page);
			noTroubles();
		});

		test("reports that a decided request cannot be withdrawn", async () => {
			const { id, email } = await submit(pages.service);
			const link = await linkOf(email, "withdraw");
			await decide(pages.service, id, "reject");
			const { page } = await pages.open(undefined, { locale: "zh-CN" });
			await page.goto(link);
			await page.getByText("没有可以撤回的申请").waitFor();
			assert.equal(await page.locator("main button").count(), 0);
			assert.equal(await requestStatus(id), "rejected");
		});

		test("reports that the request was decided while the page was open", async () => {
			const { id, email } = await submit(pages.service);
			const { page } = await pages.open(undefined, { locale: "zh-CN" });
			await page.goto(await linkOf(email, "withdraw"));
			await page.getByText("等待审核").waitFor();
			await decide(pages.service, id, "reject");
			await press(page, "撤回申请");
			await page.getByText("没有可以撤回的申请").waitFor();
			assert.equal(await requestStatus(id), "rejected");
		});

		test("offers only a retry if the request cannot be loaded", async () => {
			const { email } = await submit(pages.service, { project_name: "Later" });
			const { page } = await pages.open();
			await page.route("**/withdraw/preview", (route) => route.abort());
			await page.goto(await linkOf(email, "withdraw"));
			await page.getByRole("button", { name: "Try again" }).waitFor();
			assert.equal(await page.getByRole("button", { name: "Withdraw request" }).count(), 0);
			await page.unroute("**/withdraw/preview");
			await press(page, "Try again");
			await page.getByText("Later", { exact: true }).waitFor();
		});
	});
});
