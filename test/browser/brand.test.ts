// A tenant's own brand on the public pages, and the console where it is set.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { sha256Hex } from "../../src/crypto/digest.ts";
import { addApplication } from "../harness/access/applications.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, PAGES_URL } from "../harness/browser/pages.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { relyingParty, startAuthorization } from "../harness/openid/openid.ts";
import { addProvider } from "../harness/providers/identity-providers.ts";
import { png } from "../harness/runs/png.ts";
import { ADMIN } from "../harness/service/service.ts";

const FILE = { mimeType: "image/png", buffer: png(120, 40, "#0b6b3a") };
const SVG = { name: "logo.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg/>") };

describePages("a tenant's brand", (pages) => {
	const upload = async (path: string, body: Buffer) =>
		pages.service.call("PUT", path, {
			token: await pages.service.adminToken(),
			body,
			headers: { "content-type": "image/png" },
		});
	before(async () => {
		const token = await pages.service.adminToken();
		for (const [variant, color] of [
			["light", "#112233"],
			["dark", "#ddeeff"],
			["icon", "#ddeeff"],
		] as const)
			await upload(`/api/v1/branding/logo?variant=${variant}`, png(120, 40, color));
		const body = {
			sign_in_text: "Use the account of your mill.",
			footer_links: [{ label: "Privacy", url: "https://looms.example/privacy" }],
		};
		assert.equal((await pages.service.call("PUT", "/api/v1/branding", { token, body })).status, 200);
	});
	const field = (page: Page, label: string) =>
		page.locator(".lk-logo-field").filter({ has: page.getByLabel(label, { exact: true }) });

	test("is uploaded and edited in the console, with a preview of the sign-in page", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/branding");
		const refused: string[] = [];
		page.on("response", (response) => {
			if (response.status() >= 400) refused.push(`${response.status()} ${new URL(response.url()).pathname}`);
		});
		await page.getByLabel("Logo", { exact: true }).setInputFiles(SVG);
		await page.getByRole("alert").getByText("image must be a complete PNG image").waitFor();
		await page
			.getByLabel("Logo", { exact: true })
			.setInputFiles({ ...FILE, name: "big.png", buffer: Buffer.alloc(65_537) });
		await page.getByText("The file is larger than 64 KiB").waitFor();
		await page.getByLabel("Sign-in message").fill("Use the badge of your mill.");
		for (const label of ["Logo", "Logo for dark mode", "Icon for browser tabs"]) {
			const color = label === "Logo" ? "#0b6b3a" : "#7ed4a4";
			const buffer = png(120, 40, color);
			const answered = page.waitForResponse((response) => response.request().method() === "PUT");
			await page.getByLabel(label, { exact: true }).setInputFiles({ ...FILE, name: "logo.png", buffer });
			assert.equal((await answered).status(), 200);
			await field(page, label)
				.locator(`img[src$="${sha256Hex(buffer)}"]`)
				.waitFor();
		}
		const preview = page.locator(".lk-branding__sign-in");
		await preview.getByText("Use the badge of your mill.").first().waitFor();
		assert.equal(await preview.locator("input[name=password]").count(), 2);
		assert.equal(await preview.count(), 2);
		assert.ok(
			await preview.evaluateAll((parts) => parts.every((part) => (part as { inert?: boolean }).inert)),
		);
		await page.getByLabel("Corner radius").fill("14");
		await page
			.getByLabel("Footer links")
			.fill("Privacy https://looms.example/privacy\nhelp mailto:help@looms.example");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("The branding was changed").waitFor();
		const { data } = (await pages.service.call("GET", "/api/v1/branding")).body;
		assert.deepEqual(data.customized, [
			"logo_url",
			"logo_dark_url",
			"icon_url",
			"sign_in_text",
			"footer_links",
			"corner_radius",
		]);
		await assertAccessible(page);
		assert.deepEqual(refused, ["400 /api/v1/branding/logo"]);
		noTroubles(/status of 400/);
	});

	for (const status of [429, 500])
		test(`shows why an upload failed with ${status}, takes the next one, and removes it`, async (t) => {
			t.after(() => upload("/api/v1/branding/logo", FILE.buffer));
			const { page, noTroubles } = await pages.openAs(ADMIN, "/console/branding");
			const logo = field(page, "Logo");
			const input = page.getByLabel("Logo", { exact: true });
			const path = `**/api/v1/branding/logo*`;
			await page.route(path, (route) =>
				route.fulfill({ status, contentType: "application/json", body: '{"error":"not now"}' }),
			);
			await input.setInputFiles({ ...FILE, name: "logo.png" });
			await logo.getByRole("alert").getByText(/./).first().waitFor();
			assert.equal(await input.isEnabled(), true);
			await page.unroute(path);
			const buffer = png(60, 20, status === 429 ? "#123456" : "#654321");
			await input.setInputFiles({ ...FILE, name: "logo.png", buffer });
			await logo.locator(`img[src$="${sha256Hex(buffer)}"]`).waitFor();
			assert.equal(await logo.getByRole("alert").textContent(), "");
			await logo.getByRole("button", { name: "Remove" }).click();
			await logo.getByRole("img").waitFor({ state: "detached" });
			const { data } = (await pages.service.call("GET", "/api/v1/branding")).body;
			assert.ok(!data.customized.includes("logo_url"));
			noTroubles(new RegExp(`status of ${status}`));
		});

	test("has the logo of an application in its settings, where an upload can fail and a logo is removed", async () => {
		const { id } = await addApplication(pages.service, { name: "Carding" });
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}#settings`);
		const logo = page.locator(".lk-logo-field");
		const input = logo.locator("input[type=file]");
		await input.setInputFiles(SVG);
		await logo.getByRole("alert").getByText("image must be a complete PNG image").waitFor();
		await input.setInputFiles({ ...FILE, name: "logo.png" });
		await logo.getByRole("img").waitFor();
		await logo.getByRole("button", { name: "Remove" }).click();
		await logo.getByRole("img").waitFor({ state: "detached" });
		assert.equal((await pages.service.asAdmin("GET", `/api/v1/applications/${id}`)).logo_url, "");
		noTroubles(/status of 400/);
	});

	for (const theme of ["light", "dark"] as const)
		test(`appears on the sign-in page, ${theme}`, async () => {
			const { page, noTroubles } = await pages.open("/sign-in", { colorScheme: theme });
			const logo = page.getByRole("img", { name: "Latchkey" });
			await logo.waitFor();
			const { data } = (await pages.service.call("GET", "/api/v1/branding")).body;
			const shown = theme === "light" ? data.logo_url : data.logo_dark_url;
			assert.equal(await logo.getAttribute("src"), new URL(shown).pathname);
			assert.equal(await page.evaluate(`document.querySelector(".lk-brand__${theme}").naturalWidth`), 120);
			await page.getByText(data.sign_in_text).waitFor();
			const link = page.getByRole("link", { name: "Privacy" });
			assert.deepEqual(
				[await link.getAttribute("href"), await link.getAttribute("rel")],
				["https://looms.example/privacy", "noopener noreferrer"],
			);
			const icon = page.locator("link[rel=icon]");
			assert.equal(await icon.getAttribute("href"), new URL(data.icon_url).pathname);
			await assertAccessible(page);
			noTroubles();
		});

	test("shows the logo of the application, and those of providers", async () => {
		const { service } = pages;
		for (const kind of ["google", "github", "microsoft", "gitlab"])
			await addProvider(service, {
				provider: kind,
				kind,
				display_name: kind,
				enabled: true,
				issuer: undefined,
			});
		const redirect = "https://looms.example/callback";
		const fields = { name: "Loom planner", redirect_uris: [redirect], access_policy: "open" };
		const { id } = await addApplication(service, fields);
		const { client_secret: secret = "" } = await putOAuthClient(service, {}, id);
		await upload(`/api/v1/applications/${id}/logo`, png(48, 48, "#b0251d"));
		const party = await relyingParty(service, { id, secret }, undefined, {}, PAGES_URL);
		const { url } = await startAuthorization(party, { redirect_uri: redirect });
		const { page, noTroubles } = await pages.open(url.pathname + url.search);
		await page.getByText("to continue to Loom planner").waitFor();
		assert.equal(await page.evaluate("document.querySelector('.application-lead img').naturalWidth"), 48);
		await page.locator(".sign-in-provider svg").nth(3).waitFor();
		await assertAccessible(page);
		noTroubles();
	});

	test("cannot be framed", async () => {
		const response = await fetch(`${pages.service.httpUrl}/sign-in`);
		assert.match(response.headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
	});
});
