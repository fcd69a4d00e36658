// The Next.js application of docs/protect-your-application.md, built and served unchanged, in a browser.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { filesIn } from "../../scripts/pages/guide-code.ts";
import { addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import { BROWSER_SKIPPED, launchBrowser, openPage, type WatchedPage } from "../harness/browser/browser.ts";
import { ensurePages } from "../harness/browser/pages.ts";
import { firstResponse } from "../harness/openid/example-program.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { freePorts } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { type FrontedService, startFrontedService } from "../harness/service/public-front.ts";

const GUIDE = resolve(import.meta.dirname, "../../docs/protect-your-application.md");
const FILES = ["auth.ts", "app/api/auth/[...nextauth]/route.ts", "app/orders/page.tsx"] as const;
const PACKAGES = join(import.meta.dirname, "nextjs/node_modules");
const NEXT = join(PACKAGES, "next/dist/bin/next");
/** `false`, or the reason to skip. With `CI` set, missing packages are a failure. */
const SKIPPED =
	process.env.CI !== undefined || existsSync(NEXT)
		? BROWSER_SKIPPED
		: "no packages of Next.js (npm ci --prefix test/parties/nextjs)";

/** The required files of `create-next-app`, with permission to follow the link to the packages. */
const STARTER = {
	"app/layout.tsx":
		"export default function Layout({ children }: { children: React.ReactNode }) {\n" +
		'\treturn <html lang="en"><body>{children}</body></html>;\n}\n',
	"next.config.mjs": 'export default { turbopack: { root: "/" } };\n',
	"tsconfig.json": JSON.stringify({
		compilerOptions: {
			target: "ES2017",
			lib: ["dom", "dom.iterable", "esnext"],
			skipLibCheck: true,
			strict: true,
			noEmit: true,
			esModuleInterop: true,
			module: "esnext",
			moduleResolution: "bundler",
			isolatedModules: true,
			jsx: "react-jsx",
			incremental: true,
			plugins: [{ name: "next" }],
			paths: { "@/*": ["./*"] },
		},
		include: ["next-env.d.ts", "**/*.ts", "**/*.tsx", ".next/types/**/*.ts"],
		exclude: ["node_modules"],
	}),
};

describe("the program for Next.js", { skip: SKIPPED, timeout: 240_000 }, () => {
	const closing = new AsyncDisposableStack();
	let fronted: FrontedService;
	let browser: Browser;
	let ada: Person;
	let grace: Person;
	let url: string;
	before(async () => {
		ensurePages();
		fronted = closing.use(await startFrontedService());
		const { service, publicUrl } = fronted;
		browser = await launchBrowser(publicUrl, service.httpsPort);
		closing.defer(() => browser.close());
		ada = await addPerson(service, "ada", { display_name: "Ada Lovelace" });
		grace = await addPerson(service, "grace");
		const [port = 0] = await freePorts(1);
		url = `http://localhost:${port}`;
		const redirectUri = `${url}/api/auth/callback/latchkey`;
		const { id } = await addApplication(service, { access_policy: "open", redirect_uris: [redirectUri] });
		const role = await addRole(service, id, "seller", ["orders:*"]);
		await putGrant(service, id, ada.id, [role.id]);
		const { client_secret } = await putOAuthClient(service, { first_party: true }, id);
		const { path: folder } = closing.use(temporaryFolder());
		const env = {
			PATH: process.env.PATH,
			HOME: folder,
			NEXT_TELEMETRY_DISABLED: "1",
			OIDC_ISSUER: publicUrl,
			OIDC_CLIENT_ID: id,
			OIDC_CLIENT_SECRET: client_secret,
			AUTH_SECRET: "0123456789abcdef0123456789abcdef",
			AUTH_URL: url,
			NODE_EXTRA_CA_CERTS: join(service.dataDir, "tls-cert.pem"),
		};
		writeProgram(folder);
		execFileSync(process.execPath, [NEXT, "build"], { cwd: folder, env, stdio: "pipe" });
		const args = [NEXT, "start", "--port", String(port), "--hostname", "localhost"];
		const program = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
		closing.defer(async () => {
			if (program.exitCode !== null) return;
			program.kill();
			await once(program, "exit");
		});
		await firstResponse(`${url}/orders`, program);
	});
	after(() => closing.disposeAsync());

	/** Signs in through the pages of Auth.js and the service. */
	async function signedIn({ username, password }: Person): Promise<WatchedPage> {
		const at = await openPage(browser);
		const { page } = at;
		await page.goto(`${url}/orders`);
		await page.getByRole("button", { name: "Sign in with Latchkey" }).click();
		await page.locator("[name=username]").fill(username);
		await page.locator("[name=password]").fill(password);
		assert.equal(new URL(page.url()).origin, fronted.publicUrl);
		await page.keyboard.press("Enter");
		await page.waitForURL(`${url}/orders`);
		return at;
	}

	test("admits a user with the permission", async () => {
		const { page, context } = await signedIn(ada);
		await page.getByText("Orders of Ada Lovelace").waitFor();
		await context.close();
	});

	test("refuses a user without it", async () => {
		const { page, context } = await signedIn(grace);
		await page.getByText("You do not have access.").waitFor();
		assert.doesNotMatch(await page.content(), /Orders of/);
		await context.close();
	});
});

function writeProgram(folder: string): void {
	const guide = filesIn(readFileSync(GUIDE, "utf8"));
	const program = Object.fromEntries(FILES.map((name) => [name, `${guide[name]}\n`]));
	for (const [name, text] of Object.entries({ ...STARTER, ...program })) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), text);
	}
	symlinkSync(PACKAGES, join(folder, "node_modules"));
}
