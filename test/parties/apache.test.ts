// Apache with mod_auth_openidc in front of an application: sign-in, expiry, and both kinds of sign-out in a browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { Browser, Page } from "playwright-core";
import { filesIn } from "../../scripts/pages/guide-code.ts";
import { rows } from "../harness/access/access-requests.ts";
import { addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import { BROWSER_SKIPPED, launchBrowser, openPage, type WatchedPage } from "../harness/browser/browser.ts";
import { ensurePages } from "../harness/browser/pages.ts";
import { makeCertificate, putCertificate } from "../harness/certificates/certificate.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addPerson, auditOf, type Person } from "../harness/people/people.ts";
import { freePorts } from "../harness/processes/program.ts";
import { type Apache, apacheSkippedWithout, startApache } from "../harness/proxies/apache.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { type FrontedService, startFrontedService } from "../harness/service/public-front.ts";
import { RECEIVER_NETWORK } from "../harness/webhooks/webhook-receiver.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

/** The lines of the guide. */
const GUIDE = readFileSync(resolve(import.meta.dirname, "../../docs/protect-your-application.md"), "utf8");
const SETTINGS = filesIn(GUIDE)["protected.conf"] ?? "";
const [, AFTER_SIGN_OUT = ""] = /^```apache\n(OIDCDefaultLoggedOutURL.*?)^```$/ms.exec(GUIDE) ?? [];
/** Longer than the lifetime of access tokens, so that the module refreshes them at each request. */
const REFRESHING = "OIDCRefreshAccessTokenBeforeExpiry 3600 logout_on_error";
/** The shortest that the module accepts. */
const INACTIVE_SECONDS = 10;

type ClientSettings = Readonly<Record<string, unknown>> & {
	/** Whether the service notifies it of ended sessions. */
	readonly backchannel?: boolean;
};

/** An Apache, and its application in Latchkey. */
interface Shop extends AsyncDisposable {
	readonly url: string;
	readonly apache: Apache;
}

describe("Apache with mod_auth_openidc", {
	skip: BROWSER_SKIPPED || apacheSkippedWithout("mod_auth_openidc"),
	timeout: 240_000,
	// One test waits for an expiry while others run.
	concurrency: 2,
}, () => {
	const closing = new AsyncDisposableStack();
	let fronted: FrontedService;
	let browser: Browser;
	let program: Server;
	let certificate: ReturnType<typeof putCertificate>;
	before(async () => {
		ensurePages();
		const env = { LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK };
		fronted = closing.use(await startFrontedService({ env }));
		browser = await launchBrowser(fronted.publicUrl, fronted.service.httpsPort);
		closing.defer(() => browser.close());
		program = createServer((request, response) => {
			response.setHeader("content-type", "text/plain");
			response.end(`${request.url}: ${request.headers.oidc_claim_name ?? "nobody"}`);
		}).listen(0, "127.0.0.1");
		closing.defer(() => void program.close());
		const pair = await makeCertificate("apache");
		certificate = putCertificate(closing.use(temporaryFolder()).path, pair);
		// The service calls Apache for back-channel logout.
		setDefaultCACertificates([...getCACertificates("default"), pair.cert]);
	});
	after(() => closing.disposeAsync());

	/** Starts Apache with the settings of the guide and `more`, for an open application. */
	async function openShop(
		more = "",
		{ backchannel: hears = false, ...client }: ClientSettings = {},
	): Promise<Shop> {
		const { service, publicUrl } = fronted;
		const [port = 0] = await freePorts(1);
		const url = `https://127.0.0.1:${port}`;
		const fields = { name: "Shop", access_policy: "open", redirect_uris: [`${url}/callback`] };
		const { id } = await addApplication(service, fields);
		await addRole(service, id, "seller", ["orders:read"]).then((role) =>
			roles.set(url, { id, role: role.id }),
		);
		const settings = {
			first_party: true,
			post_logout_redirect_uris: [`${url}/bye`],
			...(hears ? { backchannel_logout_uri: `${url}/callback?logout=backchannel` } : {}),
			...client,
		};
		const { client_secret } = await putOAuthClient(service, settings, id);
		const { port: programPort } = program.address() as AddressInfo;
		const apache = await startApache({
			port,
			modules: ["auth_openidc", "ssl"],
			files: {
				"service.pem": join(service.dataDir, "tls-cert.pem"),
				"cert.pem": certificate.certFile,
				"key.pem": certificate.keyFile,
			},
			settings: [
				'SSLEngine On\nSSLCertificateFile "FOLDER/cert.pem"\nSSLCertificateKeyFile "FOLDER/key.pem"',
				'OIDCCABundlePath "FOLDER/service.pem"',
				SETTINGS.replace("127.0.0.1:8080", `127.0.0.1:${programPort}`),
				AFTER_SIGN_OUT,
				more,
			].join("\n"),
			env: {
				APP_URL: url,
				OIDC_ISSUER: publicUrl,
				OIDC_CLIENT_ID: id,
				OIDC_CLIENT_SECRET: client_secret,
				SESSION_SECRET: "0123456789abcdef0123456789abcdef",
			},
		});
		return { url, apache, [Symbol.asyncDispose]: () => apache[Symbol.asyncDispose]() };
	}
	const roles = new Map<string, { readonly id: string; readonly role: string }>();

	let round = 0;
	/** A user who may see the orders of the shop. */
	async function addSeller({ url }: Shop): Promise<Person> {
		const person = await addPerson(fronted.service, `person-${++round}`, { display_name: `Person ${round}` });
		const { id = "", role = "" } = roles.get(url) ?? {};
		await putGrant(fronted.service, id, person.id, [role]);
		return person;
	}
	async function signIn(page: Page, { username, password }: Person): Promise<void> {
		await page.locator("[name=username]").fill(username);
		await page.locator("[name=password]").fill(password);
		await page.keyboard.press("Enter");
	}
	async function arrivedAt({ page }: WatchedPage, url: string, text: string): Promise<void> {
		await page.waitForURL(url);
		assert.equal(await page.locator("body").textContent(), text);
	}
	/** Signs in from the protected page and returns to it. */
	async function signedIn(shop: Shop): Promise<{ at: WatchedPage; person: Person }> {
		const person = await addSeller(shop);
		const at = await openPage(browser);
		await at.page.goto(`${shop.url}/orders`);
		assert.equal(new URL(at.page.url()).origin, fronted.publicUrl);
		await signIn(at.page, person);
		await arrivedAt(at, `${shop.url}/orders`, `/orders: ${nameOf(person)}`);
		return { at, person };
	}
	const nameOf = ({ username }: Person) => username.replace("person-", "Person ");
	/** Asserts that the next visit leads to the sign-in page of the service. */
	async function asksForSignIn({ page }: WatchedPage, { url }: Shop): Promise<void> {
		await page.goto(`${url}/orders`);
		await page.locator("[name=password]").waitFor();
		assert.equal(new URL(page.url()).origin, fronted.publicUrl);
	}

	test("starts a new session without a prompt after its own has expired", async () => {
		await using shop = await openShop(`OIDCSessionInactivityTimeout ${INACTIVE_SECONDS}`);
		const { at, person } = await signedIn(shop);
		const cookie = await cookieOf(at);
		// The module uses the clock of the machine.
		await new Promise((done) => setTimeout(done, (INACTIVE_SECONDS + 1) * 1_000));
		await at.page.goto(`${shop.url}/orders`);
		await arrivedAt(at, `${shop.url}/orders`, `/orders: ${nameOf(person)}`);
		assert.notEqual(await cookieOf(at), cookie);
		await at.context.close();
	});

	test("signs in at the protected URL with consent, and refuses users without the permission", async () => {
		await using shop = await openShop("", { first_party: false });
		const person = await addSeller(shop);
		const at = await openPage(browser);
		await at.page.goto(`${shop.url}/orders?from=mail`);
		await signIn(at.page, person);
		await at.page.getByRole("button", { name: "Allow", exact: true }).click();
		await arrivedAt(at, `${shop.url}/orders?from=mail`, `/orders?from=mail: ${nameOf(person)}`);
		assert.deepEqual(at.troubles, []);

		const other = await addPerson(fronted.service, "other");
		const theirs = await openPage(browser);
		await theirs.page.goto(`${shop.url}/orders`);
		await signIn(theirs.page, other);
		const arriving = theirs.page.waitForResponse(`${shop.url}/orders`);
		await theirs.page.getByRole("button", { name: "Allow", exact: true }).click();
		assert.equal((await arriving).status(), 403);
		for (const { context } of [at, theirs]) await context.close();
	});

	test("ends the session at the service on sign-out, and returns to the application", async () => {
		await using shop = await openShop();
		const { at, person } = await signedIn(shop);
		await at.page.goto(`${shop.url}/callback?logout=${encodeURIComponent(`${shop.url}/bye`)}`);
		await arrivedAt(at, `${shop.url}/bye`, "/bye: nobody");
		const visited = at.requests.filter((request) => request.startsWith("GET "));
		const address = visited.find((request) => request.includes("/oauth/end-session")) ?? "";
		assert.match(address, /[?&]id_token_hint=/);
		const audited = await auditOf(fronted.service, `user:${person.id}`);
		assert.equal(audited.filter(({ action }) => action === "user.signed_out").length, 1);
		await asksForSignIn(at, shop);
		await at.page.goto(`${fronted.publicUrl}/account`);
		await at.page.locator("[name=password]").waitFor();
		await at.context.close();
	});

	/** Logout notifications that Apache has not accepted yet. */
	const waitingFor = async ({ id }: Person) =>
		(await rows(fronted.service, "SELECT client_id FROM logout_notices WHERE user_id = $1", id)).length;

	const ENDINGS: Readonly<Record<string, (person: Person, at: WatchedPage) => Promise<unknown>>> = {
		"the person signs out at the service": async (_person, { context }) => {
			const page = await context.newPage();
			await page.goto(`${fronted.publicUrl}/account`);
			await page.getByRole("button", { name: /^Your account/ }).click();
			await page.getByRole("menuitem", { name: "Sign out" }).click();
			await page.waitForURL(`${fronted.publicUrl}/`);
			await page.close();
		},
		"an administrator ends the session": async ({ id }) => {
			const token = await fronted.service.adminToken();
			const ended = await fronted.service.call("POST", `/api/v1/users/${id}/sessions/revoke`, { token });
			assert.equal(ended.status, 200);
		},
	};
	for (const [ending, end] of Object.entries(ENDINGS)) {
		test(`is notified by back-channel logout when ${ending}`, async () => {
			await using shop = await openShop("", { backchannel: true });
			const { at, person } = await signedIn(shop);
			const { at: kept, person: other } = await signedIn(shop);
			await end(person, at);
			await eventually(
				() => waitingFor(person),
				(left) => left === 0,
			);
			await asksForSignIn(at, shop);
			await kept.page.goto(`${shop.url}/orders`);
			await arrivedAt(kept, `${shop.url}/orders`, `/orders: ${nameOf(other)}`);
			for (const { context } of [at, kept]) await context.close();
		});

		test(`notices it on refresh when ${ending}`, async () => {
			await using shop = await openShop(REFRESHING);
			const { at, person } = await signedIn(shop);
			await at.page.goto(`${shop.url}/orders`);
			await arrivedAt(at, `${shop.url}/orders`, `/orders: ${nameOf(person)}`);
			await end(person, at);
			await at.page.goto(`${shop.url}/orders`);
			await arrivedAt(at, `${shop.url}/bye`, "/bye: nobody");
			await asksForSignIn(at, shop);
			await at.context.close();
		});
	}
});

/** Of the module. */
async function cookieOf({ context }: WatchedPage): Promise<string | undefined> {
	return (await context.cookies()).find(({ name }) => name === "mod_auth_openidc_session")?.value;
}
