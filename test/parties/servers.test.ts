// Applications with OpenID Connect libraries of servers: sign-in with the settings of docs/protect-your-application.md.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { addApplication } from "../harness/access/applications.ts";
import { firstResponse, ProgramBrowser } from "../harness/openid/example-program.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { completeAuthorization, TestBrowser } from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { freePorts } from "../harness/processes/program.ts";
import { type FrontedService, startFrontedService } from "../harness/service/public-front.ts";

const FOLDER = join(import.meta.dirname, "servers");
/** `false`, or the reason to skip. With `CI` set, missing packages are a failure. */
const SKIPPED =
	process.env.CI === undefined && !existsSync(join(FOLDER, "node_modules"))
		? "no packages of the libraries of servers (npm ci --prefix test/parties/servers)"
		: false;

const LIBRARIES = [
	{ name: "openid-client 5", pkce: "required" },
	{ name: "express-openid-connect", pkce: "required" },
	{ name: "passport-openidconnect", pkce: "optional" },
	{ name: "Grant", pkce: "required" },
] as const;

describe("a program with a library of servers", { skip: SKIPPED, timeout: 240_000 }, () => {
	const closing = new AsyncDisposableStack();
	let fronted: FrontedService;
	let ada: Person;
	before(async () => {
		fronted = closing.use(await startFrontedService());
		ada = await addPerson(fronted.service, "ada", { display_name: "Ada Lovelace" });
	});
	after(() => closing.disposeAsync());

	/** Starts the program for an application of its own. */
	async function startProgram(library: string, pkce: string): Promise<{ url: string } & AsyncDisposable> {
		const { service, publicUrl } = fronted;
		const [port = 0] = await freePorts(1);
		const url = `http://localhost:${port}`;
		const application = { access_policy: "open", redirect_uris: [`${url}/callback`] };
		const { id } = await addApplication(service, application);
		const { client_secret } = await putOAuthClient(service, { type: "web", pkce, first_party: true }, id);
		const env = {
			PATH: process.env.PATH,
			LIBRARY: library,
			PORT: String(port),
			APP_URL: url,
			OIDC_ISSUER: publicUrl,
			OIDC_CLIENT_ID: id,
			OIDC_CLIENT_SECRET: client_secret,
			NODE_EXTRA_CA_CERTS: join(service.dataDir, "tls-cert.pem"),
		};
		const program = spawn(process.execPath, ["program.mjs"], {
			cwd: FOLDER,
			env,
			stdio: ["ignore", "ignore", "pipe"],
		});
		const exited = once(program, "exit");
		const stop = async () => {
			program.kill("SIGKILL");
			await exited;
		};
		await firstResponse(`${url}/ready`, program).catch(async (error: unknown) => {
			await stop();
			throw error;
		});
		return { url, [Symbol.asyncDispose]: stop };
	}

	/** Follows redirects within the program. */
	async function arrive(at: ProgramBrowser, url: string) {
		let response = await at.go(url);
		while (response.location.startsWith("/") || response.location.startsWith(new URL(url).origin))
			response = await at.go(new URL(response.location, url).href);
		return response;
	}

	for (const { name, pkce } of LIBRARIES)
		test(`${name} signs users in, and refuses the response for another browser`, async () => {
			await using program = await startProgram(name, pkce);
			const at = new ProgramBrowser();
			assert.equal((await at.go(`${program.url}/person`)).status, 401);
			const begun = await arrive(at, `${program.url}/login`);
			const request = new URL(begun.location).searchParams;
			assert.equal(request.has("code_challenge"), pkce === "required", begun.location);
			const browser = new TestBrowser(fronted.service, fronted.publicUrl);
			const token = await browser.signIn(ada.username, ada.password);
			const back = (await completeAuthorization(browser, begun.location, token)).href;
			assert.ok(new URL(back).searchParams.has("code"), back);

			const foreign = new ProgramBrowser();
			await foreign.go(back);
			assert.equal((await foreign.go(`${program.url}/person`)).status, 401);

			const arrived = await arrive(at, back);
			assert.ok(arrived.status < 400, arrived.text);
			const { status, text } = await at.go(`${program.url}/person`);
			const { sub, name: shown, email } = JSON.parse(text);
			assert.deepEqual([status, sub, shown, email], [200, ada.id, "Ada Lovelace", ada.email]);
		});
});
