// The programs of docs/protect-your-application.md, run exactly as the guide and the console show them.

import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { fillIn } from "../pages/console/openid/fill-in.ts";
import { filesIn } from "../scripts/pages/guide-code.ts";
import { addApplication, addRole, putGrant } from "./harness/access/applications.ts";
import { firstResponse, ProgramBrowser } from "./harness/openid/example-program.ts";
import { putOAuthClient } from "./harness/openid/oauth-clients.ts";
import { completeAuthorization, TestBrowser } from "./harness/openid/openid.ts";
import { addPerson, type Person } from "./harness/people/people.ts";
import { freePorts } from "./harness/processes/program.ts";
import { apacheSkippedWithout, startApache } from "./harness/proxies/apache.ts";
import { type FrontedService, startFrontedService } from "./harness/service/public-front.ts";

const FILES = filesIn(
	readFileSync(resolve(import.meta.dirname, "../docs/protect-your-application.md"), "utf8"),
);
/** Not the one of the guide. */
const OTHER_CALLBACK = "/auth/callback.html";
/** Debian's Ruby, which finds the packages. */
const PYTHON = "/usr/bin/python3";
const PYTHON_PACKAGES = ["authlib", "fastapi", "httpx", "itsdangerous", "uvicorn"];
const APACHE_SKIPPED = apacheSkippedWithout("mod_auth_openidc");

describe("programs that protect an application", { timeout: 120_000 }, () => {
	let fronted: FrontedService;
	let ada: Person;
	let grace: Person;
	let holders: readonly {
		readonly person: Person;
		readonly permissions: string[];
		readonly status: number;
	}[];
	let folder: string;
	let certificate: string;
	before(async () => {
		fronted = await startFrontedService();
		const { service } = fronted;
		certificate = join(service.dataDir, "tls-cert.pem");
		ada = await addPerson(service, "ada", { display_name: "Ada Lovelace" });
		grace = await addPerson(service, "grace");
		holders = [{ person: ada, permissions: ["orders:read"], status: 200 }];
		for (const [permissions, status] of [
			[["orders:*"], 200],
			[["*"], 200],
			[["orders:write", "order:*", "orders:read:*"], 403],
		] as const) {
			const person = await addPerson(service, `holder-${holders.length}`);
			holders = [...holders, { person, permissions: [...permissions], status }];
		}
		folder = mkdtempSync(join(tmpdir(), "latchkey-protect-"));
		symlinkSync(resolve(import.meta.dirname, "../node_modules"), join(folder, "node_modules"));
	});
	after(async () => {
		await fronted?.[Symbol.asyncDispose]();
		if (folder !== undefined) rmSync(folder, { recursive: true });
	});

	/** Connects an application as the guide says. @returns the variables of its program */
	async function connect(port: number, callback = "/callback"): Promise<NodeJS.ProcessEnv> {
		const { service, publicUrl } = fronted;
		const baseUrl = `http://localhost:${port}`;
		const fields = { access_policy: "open", redirect_uris: [baseUrl + callback] };
		const { id } = await addApplication(service, fields);
		for (const { person, permissions } of holders) {
			const role = await addRole(service, id, person.username, permissions);
			await putGrant(service, id, person.id, [role.id]);
		}
		const { client_id, client_secret } = await putOAuthClient(service, { first_party: true }, id);
		return {
			PATH: process.env.PATH,
			PORT: String(port),
			APP_URL: baseUrl,
			OIDC_ISSUER: publicUrl,
			OIDC_CLIENT_ID: client_id,
			OIDC_CLIENT_SECRET: client_secret,
			SESSION_SECRET: "0123456789abcdef0123456789abcdef",
			NODE_EXTRA_CA_CERTS: certificate,
			SSL_CERT_FILE: certificate,
		};
	}

	/** The program as shown in the console, and the variables that it still needs. */
	async function connectFilled(
		file: string,
		port: number,
	): Promise<{ code: string; env: NodeJS.ProcessEnv }> {
		const {
			APP_URL,
			PORT,
			OIDC_ISSUER = "",
			OIDC_CLIENT_ID = "",
			...env
		} = await connect(port, OTHER_CALLBACK);
		const redirectUri = `${APP_URL}${OTHER_CALLBACK}`;
		return {
			code: fillIn(FILES[file] ?? "", { issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, redirectUri }),
			env,
		};
	}

	/** The result of opening the program's page as a user in a new browser. */
	async function signIn(person: Person, baseUrl: string): Promise<{ at: ProgramBrowser; back: string }> {
		const browser = new TestBrowser(fronted.service, fronted.publicUrl);
		const token = await browser.signIn(person.username, person.password);
		const at = new ProgramBrowser();
		const begun = await at.go(`${baseUrl}/orders`);
		assert.ok([302, 303].includes(begun.status), begun.text);
		const back = await completeAuthorization(browser, begun.location, token);
		return { at, back: back.href };
	}

	async function isProtected(baseUrl: string, again = 400): Promise<void> {
		const { at, back } = await signIn(ada, baseUrl);
		const foreign = await new ProgramBrowser().go(back);
		assert.equal(foreign.status, 400, foreign.text);
		const { at: other, back: otherBack } = await signIn(grace, baseUrl);
		const mixed = await at.go(otherBack);
		assert.equal(mixed.status, 400, mixed.text);

		const { at: hers, back: toHers } = await signIn(ada, baseUrl);
		const arrived = await hers.go(toHers);
		assert.ok([302, 303].includes(arrived.status), arrived.text);
		assert.equal(arrived.location, `${baseUrl}/orders`);
		const orders = await hers.go(`${baseUrl}/orders`);
		assert.deepEqual([orders.status, orders.text], [200, "Orders of Ada Lovelace\n"]);
		assert.equal((await hers.go(toHers)).status, again);
		assert.equal((await other.go(otherBack)).status < 400, true);
		assert.equal((await other.go(`${baseUrl}/orders`)).status, 403);

		for (const { person, permissions, status } of holders) {
			const { at: theirs, back: toTheirs } = await signIn(person, baseUrl);
			assert.equal((await theirs.go(toTheirs)).status < 400, true);
			assert.equal((await theirs.go(`${baseUrl}/orders`)).status, status, String(permissions));
		}
	}

	/** Ends the session of the program and leads to the end of the service's own. */
	async function signsOut(baseUrl: string): Promise<void> {
		const { at, back } = await signIn(ada, baseUrl);
		assert.equal((await at.go(back)).location, `${baseUrl}/orders`);
		const { status, location } = await at.go(`${baseUrl}/sign-out`, "POST");
		assert.equal(status, 303);
		const { origin, pathname, searchParams } = new URL(location);
		assert.equal(origin + pathname, `${fronted.publicUrl}/oauth/end-session`);
		assert.match(searchParams.get("id_token_hint") ?? "", /^ey/);
		assert.equal((await at.go(`${baseUrl}/orders`)).status, 302);
	}

	async function stopped(program: ChildProcess): Promise<void> {
		if (program.exitCode !== null) return;
		program.kill();
		await once(program, "exit");
	}

	for (const [file, command, skip] of [
		["express.mjs", () => [process.execPath, "express.mjs"], false],
		["fastify.mjs", () => [process.execPath, "fastify.mjs"], false],
		[
			"protected.py",
			(port: number) => [PYTHON, "-m", "uvicorn", "protected:app", "--port", `${port}`],
			withoutPython(),
		],
	] as const) {
		const runs = async (port: number, code: string, env: NodeJS.ProcessEnv) => {
			writeFileSync(join(folder, file), `${code}\n`);
			const [run = "", ...args] = command(port);
			const program = spawn(run, args, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
			try {
				await firstResponse(`http://localhost:${port}/orders`, program);
				await isProtected(`http://localhost:${port}`);
				if (file === "express.mjs") await signsOut(`http://localhost:${port}`);
			} finally {
				await stopped(program);
			}
		};
		test(`${file} admits only users with the permission`, { skip }, async () => {
			const [port = 0] = await freePorts(1);
			await runs(port, FILES[file] ?? "", await connect(port));
		});

		test(`${file} also does so with the values that the console fills in`, { skip }, async () => {
			const [port = 0] = await freePorts(1);
			const { code, env } = await connectFilled(file, port);
			await runs(port, code, env);
		});
	}

	async function runApache(port: number, code: string, env: NodeJS.ProcessEnv): Promise<void> {
		const [innerPort = 0] = await freePorts(1);
		const inner = createServer((request, response) => {
			response.end(`Orders of ${request.headers.oidc_claim_name}\n`);
		}).listen(innerPort, "127.0.0.1");
		const settings = [
			'OIDCCABundlePath "FOLDER/service.pem"',
			code.replace("127.0.0.1:8080", `127.0.0.1:${innerPort}`),
		].join("\n");
		const files = { "service.pem": certificate };
		try {
			await using _ = await startApache({ port, modules: ["auth_openidc"], settings, files, env });
			// A repeated response redirects a signed-in user back to the page.
			await isProtected(`http://localhost:${port}`, 302);
		} finally {
			inner.close();
		}
	}

	test("protected.conf admits only users with the permission", { skip: APACHE_SKIPPED }, async () => {
		const [port = 0] = await freePorts(1);
		await runApache(port, FILES["protected.conf"] ?? "", await connect(port));
	});

	test("protected.conf also does so with the values that the console fills in", {
		skip: APACHE_SKIPPED,
	}, async () => {
		const [port = 0] = await freePorts(1);
		const { code, env } = await connectFilled("protected.conf", port);
		await runApache(port, code, env);
	});
});

/** `false`, or the reason to skip. With `CI` set, a missing package is a failure. */
function withoutPython(): false | string {
	if (process.env.CI !== undefined) return false;
	try {
		execFileSync(PYTHON, ["-c", `import ${PYTHON_PACKAGES.join(", ")}`], { stdio: "ignore" });
		return false;
	} catch {
		return `not all of ${PYTHON_PACKAGES.join(", ")} are installed`;
	}
}
