// Libraries of Ruby, Python, and Perl that send no code challenge by themselves: with the lines of
// docs/protect-your-application.md they sign in; without them, the application sees what the guide says.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { addApplication } from "../harness/access/applications.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { completeAuthorization, TestBrowser } from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { type FrontedService, startFrontedService } from "../harness/service/public-front.ts";

const FOLDER = join(import.meta.dirname, "libraries");
const CALLBACK = "https://shop.example/callback";

/** Debian's program and file, what loads the library, and what the application sees without the lines. */
const LIBRARIES = [
	{
		name: "ruby-openid-connect",
		command: ["/usr/bin/ruby", "openid-connect.rb"],
		loads: ["-e", 'require "openid_connect"'],
		symptom: /^KeyError: key not found: "code"$/,
	},
	{
		name: "requests-oauthlib",
		command: ["/usr/bin/python3", "requests-oauthlib.py"],
		loads: ["-c", "import requests_oauthlib"],
		symptom: /^InvalidClientIdError: \(invalid_request\) send code_challenge \(PKCE, S256\)/,
	},
	{
		name: "Net::OAuth2",
		command: ["/usr/bin/perl", "net-oauth2.pl"],
		loads: ["-MNet::OAuth2", "-e", ""],
		symptom: /^code is missing$/,
	},
] as const;

for (const library of LIBRARIES) {
	const { name, command, symptom } = library;
	const [program, file] = command;
	describe(name, { skip: withoutLibrary(library), timeout: 120_000 }, () => {
		const closing = new AsyncDisposableStack();
		let fronted: FrontedService;
		let ada: Person;
		before(async () => {
			fronted = closing.use(await startFrontedService());
			ada = await addPerson(fronted.service, "ada");
		});
		after(() => closing.disposeAsync());

		/** Signs Ada in. @returns what the program prints about the callback, and the callback */
		async function signIn(isPkce: boolean): Promise<{ result: Record<string, string>; back: URL }> {
			const { service, publicUrl } = fronted;
			const { id } = await addApplication(service, { access_policy: "open", redirect_uris: [CALLBACK] });
			const { client_secret } = await putOAuthClient(service, { first_party: true }, id);
			const certificate = join(service.dataDir, "tls-cert.pem");
			const child = spawn(program, [join(FOLDER, file)], {
				env: {
					PATH: process.env.PATH,
					OIDC_ISSUER: publicUrl,
					OIDC_CLIENT_ID: id,
					OIDC_CLIENT_SECRET: client_secret,
					REDIRECT_URI: CALLBACK,
					SSL_CERT_FILE: certificate,
					REQUESTS_CA_BUNDLE: certificate,
					PERL_LWP_SSL_CA_FILE: certificate,
					...(isPkce && { PKCE: "1" }),
				},
				stdio: ["pipe", "pipe", "inherit"],
			});
			try {
				const exited = once(child, "exit");
				const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
				const browser = new TestBrowser(service, publicUrl);
				const token = await browser.signIn(ada.username, ada.password);
				const back = await completeAuthorization(browser, (await lines.next()).value ?? "", token);
				child.stdin.end(`${back}\n`);
				const result = JSON.parse((await lines.next()).value ?? "");
				await exited;
				return { result, back };
			} finally {
				child.kill("SIGKILL");
			}
		}

		test("signs in with PKCE", async () => {
			const { result } = await signIn(true);
			assert.deepEqual(result, { sub: ada.id });
		});

		test("is refused without PKCE, as the guide says", async () => {
			const { result, back } = await signIn(false);
			assert.equal(back.searchParams.get("error"), "invalid_request");
			assert.match(String(result.error).trim(), symptom);
		});
	});
}

/** `false`, or the reason to skip. With `CI` set, a missing package is a failure. */
function withoutLibrary({ name, command: [program], loads }: (typeof LIBRARIES)[number]): false | string {
	if (process.env.CI !== undefined) return false;
	try {
		execFileSync(program, loads, { stdio: "ignore" });
		return false;
	} catch {
		return `no ${name} on this machine`;
	}
}
