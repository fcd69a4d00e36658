// The programs of docs/single-page-applications.md, bundled as shown, in a browser.

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { filesIn } from "../../scripts/pages/guide-code.ts";
import { addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import { BROWSER_SKIPPED, launchBrowser, openPage } from "../harness/browser/browser.ts";
import { ensurePages } from "../harness/browser/pages.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { type FrontedService, startFrontedService } from "../harness/service/public-front.ts";

const GUIDE = filesIn(
	readFileSync(resolve(import.meta.dirname, "../../docs/single-page-applications.md"), "utf8"),
);
const PACKAGES = join(import.meta.dirname, "spa/node_modules");
/** `false`, or the reason to skip. With `CI` set, missing packages are a failure. */
const SKIPPED =
	process.env.CI !== undefined || existsSync(PACKAGES)
		? BROWSER_SKIPPED
		: "no packages of the single-page applications (npm ci --prefix test/parties/spa)";

const PROGRAMS = [
	{ file: "oidc-client.js", first: "" },
	// Compiles the templates in the browser; `ng build` would compile them beforehand.
	{ file: "main.ts", first: 'import "@angular/compiler";\n' },
];

describe("programs for single-page applications", { skip: SKIPPED, timeout: 240_000 }, () => {
	const closing = new AsyncDisposableStack();
	let fronted: FrontedService;
	let browser: Browser;
	let ada: Person;
	let grace: Person;
	before(async () => {
		ensurePages();
		fronted = closing.use(await startFrontedService());
		const { service, publicUrl } = fronted;
		browser = await launchBrowser(publicUrl, service.httpsPort);
		closing.defer(() => browser.close());
		ada = await addPerson(service, "ada", { display_name: "Ada Lovelace" });
		grace = await addPerson(service, "grace");
	});
	after(() => closing.disposeAsync());

	/** Serves the program of the guide for an application of its own. @returns its URL */
	async function serve({ file, first }: (typeof PROGRAMS)[number]): Promise<string> {
		let script = "";
		const server = createServer((request, response) => {
			const isScript = request.url === "/app.js";
			response.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8");
			response.end(
				isScript ? script : '<body><app-root></app-root><script type="module" src="/app.js"></script>',
			);
		}).listen(0, "localhost");
		closing.defer(() => void server.close());
		await once(server, "listening");
		const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
		const { service, publicUrl } = fronted;
		const { id } = await addApplication(service, { access_policy: "open", redirect_uris: [url] });
		const role = await addRole(service, id, "seller", ["orders:*"]);
		await putGrant(service, id, ada.id, [role.id]);
		await putOAuthClient(service, { type: "spa", first_party: true, post_logout_redirect_uris: [url] }, id);
		const code = GUIDE[file]?.replace("https://login.example", publicUrl).replace("CLIENT_ID", id);
		script = await bundled(file, `${first}${code}`);
		return url;
	}

	async function signIn(page: Page, url: string, { username, password }: Person): Promise<void> {
		await page.goto(url);
		await page.getByText("You are signed out.").waitFor();
		await page.getByRole("button", { name: "Sign in" }).click();
		await page.locator("[name=username]").fill(username);
		await page.locator("[name=password]").fill(password);
		await page.keyboard.press("Enter");
		await page.waitForURL((at) => at.origin === new URL(url).origin);
	}

	for (const program of PROGRAMS)
		test(`${program.file} signs users in and out, and applies wildcards`, async () => {
			const url = await serve(program);
			const { page, context, troubles } = await openPage(browser);
			await signIn(page, url, ada);
			await page.getByText("Orders of Ada Lovelace").waitFor();
			await page.reload();
			await page.getByText("Orders of Ada Lovelace").waitFor();
			await page.getByRole("button", { name: "Sign out" }).click();
			await page.getByText("You are signed out.").waitFor();
			await signIn(page, url, grace);
			await page.getByText("You do not have access.").waitFor();
			assert.deepEqual(
				troubles.filter((trouble) => !/favicon/.test(trouble)),
				[],
			);
			await context.close();
		});
});

async function bundled(file: string, code: string): Promise<string> {
	using folder = temporaryFolder();
	symlinkSync(PACKAGES, join(folder.path, "node_modules"));
	const entry = join(folder.path, file);
	writeFileSync(entry, code);
	const { outputFiles } = await build({
		entryPoints: [entry],
		bundle: true,
		format: "esm",
		write: false,
		preserveSymlinks: true,
		tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } },
	});
	return outputFiles[0]?.text ?? "";
}
