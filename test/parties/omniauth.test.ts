// A Rack application with the OmniAuth of Debian: sign-in with PKCE, claims of userinfo, sign-out.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import { firstResponse, ProgramBrowser } from "../harness/openid/example-program.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { completeAuthorization, TestBrowser } from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { freePorts } from "../harness/processes/program.ts";
import { type FrontedService, startFrontedService } from "../harness/service/public-front.ts";

/** Debian's Ruby, which finds the packages. */
const RUBY = "/usr/bin/ruby";
const PROGRAM = join(import.meta.dirname, "omniauth.rb");

describe("a program with OmniAuth", { skip: withoutOmniAuth(), timeout: 120_000 }, () => {
	const closing = new AsyncDisposableStack();
	let fronted: FrontedService;
	let ada: Person;
	before(async () => {
		fronted = closing.use(await startFrontedService());
		ada = await addPerson(fronted.service, "ada", { display_name: "Ada Lovelace" });
	});
	after(() => closing.disposeAsync());

	/** Starts the application with ID tokens signed with `alg`. */
	async function startProgram(alg: string, pkce = "required"): Promise<{ url: string } & AsyncDisposable> {
		const { service, publicUrl } = fronted;
		const [port = 0] = await freePorts(1);
		const url = `http://localhost:${port}`;
		const redirectUris = ["latchkey", "plain"].map((name) => `${url}/auth/${name}/callback`);
		const { id } = await addApplication(service, { access_policy: "open", redirect_uris: redirectUris });
		const role = await addRole(service, id, "seller", ["orders:read"]);
		await putGrant(service, id, ada.id, [role.id]);
		const settings = {
			id_token_alg: alg,
			pkce,
			first_party: true,
			post_logout_redirect_uris: [`${url}/bye`],
		};
		const { client_secret } = await putOAuthClient(service, settings, id);
		const env = {
			PATH: process.env.PATH,
			PORT: String(port),
			APP_URL: url,
			OIDC_ISSUER: publicUrl,
			OIDC_CLIENT_ID: id,
			OIDC_CLIENT_SECRET: client_secret,
			SSL_CERT_FILE: join(service.dataDir, "tls-cert.pem"),
		};
		const program = spawn(RUBY, [PROGRAM], { env, stdio: ["ignore", "ignore", "pipe"] });
		const exited = once(program, "exit");
		const stop = async () => {
			program.kill("SIGKILL");
			await exited;
		};
		await firstResponse(`${url}/bye`, program).catch(async (error: unknown) => {
			await stop();
			throw error;
		});
		return { url, [Symbol.asyncDispose]: stop };
	}

	/** Signs in. @returns the redirect to the application, and the browser */
	async function signIn(start: string, at: ProgramBrowser) {
		const browser = new TestBrowser(fronted.service, fronted.publicUrl);
		const token = await browser.signIn(ada.username, ada.password);
		const begun = await at.go(start);
		assert.equal(begun.status, 302, begun.text);
		return { browser, token, back: (await completeAuthorization(browser, begun.location, token)).href };
	}

	for (const alg of ["ES256", "RS256"])
		test(`signs in with ${alg}, reads the claims, and signs out`, async () => {
			await using program = await startProgram(alg);
			const at = new ProgramBrowser();
			const { browser, token, back } = await signIn(`${program.url}/auth/latchkey`, at);
			const foreign = await new ProgramBrowser().go(back);
			assert.match(foreign.location, /message=csrf_detected/);

			const arrived = await at.go(back);
			assert.equal(arrived.location, `${program.url}/person`, arrived.text);
			const { uid, info, claims } = JSON.parse((await at.go(`${program.url}/person`)).text);
			assert.equal(uid, ada.id);
			assert.deepEqual([info.name, info.email, info.nickname], ["Ada Lovelace", ada.email, ada.username]);
			assert.deepEqual([claims.roles, claims.permissions], [["seller"], ["orders:read"]]);

			const leaving = await at.go(`${program.url}/auth/latchkey/logout`);
			assert.equal(new URL(leaving.location).origin, fronted.publicUrl);
			const left = await browser.go(leaving.location);
			assert.deepEqual([left.status, left.headers.location], [303, `${program.url}/bye`]);
			assert.equal((await fronted.service.call("GET", "/api/v1/users/me", { token })).status, 401);
			assert.equal((await at.go(`${program.url}/person`)).location, `${program.url}/auth/latchkey`);
		});

	test("signs in without PKCE if it is optional", async () => {
		await using program = await startProgram("RS256", "optional");
		const at = new ProgramBrowser();
		const { back } = await signIn(`${program.url}/auth/plain`, at);
		assert.ok(new URL(back).searchParams.has("code"), back);
		const arrived = await at.go(back);
		assert.equal(arrived.location, `${program.url}/person`, arrived.text);
		assert.equal(JSON.parse((await at.go(`${program.url}/person`)).text).uid, ada.id);
	});

	test("is refused without PKCE, and shows the reason", async () => {
		await using program = await startProgram("ES256");
		const at = new ProgramBrowser();
		const { back } = await signIn(`${program.url}/auth/plain`, at);
		assert.equal(new URL(back).searchParams.get("error"), "invalid_request");
		const arrived = await at.go(back);
		const shown = await at.go(new URL(arrived.location, program.url).href);
		assert.deepEqual([shown.status, shown.text], [400, "invalid_request"]);
	});
});

/** `false`, or the reason to skip. With `CI` set, a missing package is a failure. */
function withoutOmniAuth(): false | string {
	if (process.env.CI !== undefined) return false;
	try {
		execFileSync(RUBY, ["-e", 'require "omniauth_openid_connect"'], { stdio: "ignore" });
		return false;
	} catch {
		return "no ruby-omniauth-openid-connect on this machine";
	}
}
