// A tenant's own brand on the public pages, and the console where it is set.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { addApplication } from "../harness/applications.ts";
import { describePages } from "../harness/describe-pages.ts";
import { addProvider } from "../harness/identity-providers.ts";
import { assertAccessible } from "../harness/pages.ts";
import { png } from "../harness/png.ts";
import { ADMIN } from "../harness/service.ts";

const FILE = { mimeType: "image/png", buffer: png(120, 40, "#0b6b3a") };
const SVG = { name: "logo.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg/>") };

describePages("a tenant's brand", (pages) => {
	const upload = async (path: string, body: Buffer) =>
		pages.service.call("PUT", path, {
			token: await pages.service.adminToken(),
			body,
			headers: { "content-type": "image/png" },
		});
	const picture = async (theme: "light" | "dark", name: string): Promise<void> => {
		const folder = process.env.SCREENSHOTS;
		if (folder === undefined) return;
		const { page } = await pages.open("/sign-in", {
			colorScheme: theme,
			viewport: { width: 1000, height: 800 },
		});
		await page.getByLabel("Password", { exact: true }).waitFor();
		await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
	};

	test("is uploaded and edited in the console, with a preview of the sign-in page", async () => {
		for (const theme of ["light", "dark"] as const) await picture(theme, "before");
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/branding");
		await page.getByLabel("Logo", { exact: true }).setInputFiles(SVG);
		await page.getByRole("alert").getByText("image must be a complete PNG image").waitFor();
		await page
			.getByLabel("Logo", { exact: true })
			.setInputFiles({ ...FILE, name: "big.png", buffer: Buffer.alloc(65_537) });
		await page.getByText("The file is larger than 64 KiB").waitFor();
		await page.getByLabel("Sign-in message").fill("Use the account of your mill.");
		for (const label of ["Logo", "Logo for dark mode", "Icon for browser tabs"]) {
			const color = label === "Logo" ? "#0b6b3a" : "#7ed4a4";
			await page
				.getByLabel(label, { exact: true })
				.setInputFiles({ ...FILE, name: "logo.png", buffer: png(120, 40, color) });
			await page.getByText("The image was uploaded").waitFor();
			await page.getByText("The image was uploaded").waitFor({ state: "detached" });
		}
		const preview = page.locator(".lk-branding__sign-in");
		await preview.getByText("Use the account of your mill.").first().waitFor();
		assert.equal(await preview.locator("input[name=password]").count(), 2);
		assert.equal(
			await preview
				.first()
				.evaluate(
					"(part) => part.inert".length === 0 ? "" : "document.querySelector('.lk-branding__sign-in').inert",
				),
			true,
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
		if (process.env.SCREENSHOTS !== undefined)
			await page.screenshot({ path: join(process.env.SCREENSHOTS, "console.png"), fullPage: true });
		await assertAccessible(page);
		noTroubles(/400/);
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
			await page.getByText("Use the account of your mill.").waitFor();
			const link = page.getByRole("link", { name: "Privacy" });
			assert.deepEqual(
				[await link.getAttribute("href"), await link.getAttribute("rel")],
				["https://looms.example/privacy", "noopener noreferrer"],
			);
			const icon = page.locator("link[rel=icon]");
			assert.equal(await icon.getAttribute("href"), new URL(data.icon_url).pathname);
			await assertAccessible(page);
			noTroubles();
			await picture(theme, "after");
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
		const { id } = await addApplication(service, { name: "Loom planner", redirect_uris: [redirect] });
		await upload(`/api/v1/applications/${id}/logo`, png(48, 48, "#b0251d"));
		const query = new URLSearchParams({ app_id: id, redirect_uri: redirect });
		const { page, noTroubles } = await pages.open(`/sign-in?${query}`);
		await page.getByText("Loom planner").waitFor();
		assert.equal(await page.evaluate("document.querySelector('.application-lead img').naturalWidth"), 48);
		await page.locator(".sign-in-provider svg").nth(3).waitFor();
		if (process.env.SCREENSHOTS !== undefined)
			await page.screenshot({ path: join(process.env.SCREENSHOTS, "providers.png"), fullPage: true });
		await assertAccessible(page);
		noTroubles();
	});

	test("cannot be framed", async () => {
		const response = await fetch(`${pages.service.httpUrl}/sign-in`);
		assert.match(response.headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
	});
});
