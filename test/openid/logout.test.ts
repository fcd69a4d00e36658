import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import * as client from "openid-client";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { rows } from "../harness/access/access-requests.ts";
import {
	CALLBACK,
	type ConnectedClient,
	connect,
	ISSUER,
	obtainTokens,
	openIdService,
	postForm,
	relyingParty,
	signedInBrowser,
	startOpenIdService,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, auditOf, isAlive, type Person } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";

const BYE = "https://shop.example/bye?from=shop";
const PATH = "/oauth/end-session";
const COOKIE = "__Host-latchkey";
const ASKED = new RegExp(`^${ISSUER}/sign-out\\?request=[A-Za-z0-9_-]{43}$`);

describe("RP-initiated logout", () => {
	const service = openIdService();
	let shop: ConnectedClient;
	let party: client.Configuration;
	let round = 0;
	before(async () => {
		shop = await connect(service, { firstParty: true, postLogoutRedirectUris: [BYE] });
		party = await relyingParty(service, shop);
	});

	async function signedIn(of = party) {
		const person = await addPerson(service, `person-${++round}`);
		const { browser, token } = await signedInBrowser(service, person);
		const tokens = await obtainTokens(of, browser, token);
		return { person, browser, token, idToken: tokens.id_token ?? "", refresh: tokens.refresh_token ?? "" };
	}
	const ask = (browser: TestBrowser, parameters: Readonly<Record<string, string>>) =>
		browser.go(`${PATH}?${new URLSearchParams(parameters)}`);
	const isLive = (token: string) => isAlive(service, token);
	const signOuts = async ({ id }: Person) =>
		(await auditOf(service, `user:${id}`)).filter(({ action }) => action === "user.signed_out").length;

	it("is in discovery, signs out immediately with the ID token of the session, and redirects back", async () => {
		const { person, browser, token, idToken, refresh } = await signedIn();
		const url = client.buildEndSessionUrl(party, {
			id_token_hint: idToken,
			post_logout_redirect_uri: BYE,
			state: "a b&c=ü\r\nx",
		});
		assert.equal(url.origin + url.pathname, `${ISSUER}${PATH}`);
		const response = await browser.go(url.href);
		assert.equal(response.status, 303, JSON.stringify(response.body));
		assert.equal(response.headers.location, `${BYE}&state=a%20b%26c%3D%C3%BC%0D%0Ax`);
		assert.match(String(response.headers["set-cookie"]), /Max-Age=0/);
		assert.equal(browser.cookie(COOKIE), undefined);
		assert.equal(await isLive(token), false);
		await assert.rejects(client.refreshTokenGrant(party, refresh), { error: "invalid_grant" });
		assert.equal(await signOuts(person), 1);
		assert.deepEqual(await rows(service, "SELECT id FROM oauth_grants WHERE user_id = $1", person.id), []);
		// The second time no user is signed in: the browser still returns.
		assert.equal((await browser.go(url.href)).headers.location, response.headers.location);
		assert.equal(await signOuts(person), 1);
	});

	it("accepts an expired ID token, and one from an earlier refresh", async () => {
		const { browser, token, idToken, refresh } = await signedIn();
		await client.refreshTokenGrant(party, refresh);
		service.clock.advance(DAY_MS);
		const response = await ask(browser, { id_token_hint: idToken });
		assert.deepEqual([response.status, response.headers.location], [303, `${ISSUER}/signed-out`]);
		assert.equal(await isLive(token), false);
		assert.equal(browser.cookie(COOKIE), undefined);
	});

	it("revokes one session under twenty concurrent requests", async () => {
		const { person, browser, idToken } = await signedIn();
		const cookie = `${COOKIE}=${browser.cookie(COOKIE)}`;
		const all = await Promise.all(
			Array.from({ length: 20 }, () =>
				service.call("GET", `${PATH}?id_token_hint=${idToken}`, { https: true, headers: { cookie } }),
			),
		);
		for (const { status, headers } of all)
			assert.deepEqual([status, headers.location], [303, `${ISSUER}/signed-out`]);
		assert.equal(await signOuts(person), 1);
	});

	it("asks the user and revokes nothing unless the request identifies the session", async () => {
		const { browser, token } = await signedIn();
		const other = await signedIn();
		const requests = [
			{},
			{ client_id: shop.id },
			{ client_id: shop.id, post_logout_redirect_uri: BYE, state: "x" },
			{ id_token_hint: other.idToken },
			{ id_token_hint: other.idToken, post_logout_redirect_uri: BYE },
		];
		for (const parameters of requests) {
			const response = await ask(browser, parameters);
			assert.equal(response.status, 303, JSON.stringify(response.body));
			assert.match(response.headers.location ?? "", ASKED);
			assert.equal(response.headers["set-cookie"], undefined);
		}
		assert.deepEqual([await isLive(token), await isLive(other.token)], [true, true]);
	});

	it("asks if logout_hint names another user, and signs out immediately if it names this one", async () => {
		const other = await signedIn();
		const hints = [other.person.username, other.person.id, other.person.email, "no such person", " ", "x'--"];
		const { browser, token, idToken } = await signedIn();
		for (const logout_hint of hints) {
			const { headers } = await ask(browser, { id_token_hint: idToken, logout_hint });
			assert.match(headers.location ?? "", ASKED, logout_hint);
			assert.equal(await isLive(token), true);
		}
		for (const name of ["username", "id", "email"] as const) {
			const at = await signedIn();
			const logout_hint = at.person[name].toUpperCase();
			const { headers } = await ask(at.browser, { id_token_hint: at.idToken, logout_hint });
			assert.equal(headers.location, `${ISSUER}/signed-out`);
			assert.equal(await isLive(at.token), false);
		}
		// A hint proves nothing.
		const { headers } = await ask(other.browser, { logout_hint: other.person.username });
		assert.match(headers.location ?? "", ASKED);
		assert.equal(await isLive(other.token), true);
	});

	it("passes valid language tags on to the page of the service, and to no other URL", async () => {
		const tags = "zh-CN en\r\nx fr&a=b";
		const { browser, idToken } = await signedIn();
		const ended = await ask(browser, { id_token_hint: idToken, ui_locales: tags });
		assert.equal(ended.headers.location, `${ISSUER}/signed-out?ui_locales=zh-CN`);
		const back = await ask(browser, {
			id_token_hint: idToken,
			ui_locales: tags,
			post_logout_redirect_uri: BYE,
		});
		assert.equal(back.headers.location, BYE);
	});

	it("asks if the key that signed the ID token no longer exists", async () => {
		const { browser, token, idToken } = await signedIn();
		const [, payload, signature] = idToken.split(".");
		const header = Buffer.from(JSON.stringify({ alg: "ES256", kid: "gone" })).toString("base64url");
		const hint = `${header}.${payload}.${signature}`;
		const response = await ask(browser, { id_token_hint: hint, post_logout_redirect_uri: BYE });
		assert.match(response.headers.location ?? "", ASKED);
		assert.equal(await isLive(token), true);
	});

	it("asks after a form from another site, which has no cookie", async () => {
		const { idToken, token } = await signedIn();
		const headers = { accept: "text/html" };
		const fields = { id_token_hint: idToken, post_logout_redirect_uri: BYE };
		const response = await postForm(service, PATH, fields, headers);
		assert.equal(response.status, 303);
		assert.match(response.headers.location ?? "", ASKED);
		assert.equal(await isLive(token), true);
		const json = { ...headers, "content-type": "application/json" };
		assert.equal((await postForm(service, PATH, {}, json)).status, 400);
	});

	it("signs out immediately after a form from this site", async () => {
		const { browser, idToken, token } = await signedIn();
		const cookie = `${COOKIE}=${browser.cookie(COOKIE)}`;
		const fields = { id_token_hint: idToken, post_logout_redirect_uri: BYE };
		const response = await postForm(service, PATH, fields, { cookie });
		assert.equal(response.headers.location, BYE);
		assert.equal(await isLive(token), false);
	});

	it("shows an error page, without redirect or sign-out, for other URLs, forged tokens, and other clients", async () => {
		const { browser, token, idToken } = await signedIn();
		const [header = "", payload = "", signature = ""] = idToken.split(".");
		const forged = Buffer.from(
			JSON.stringify({ ...JSON.parse(Buffer.from(payload, "base64url").toString()), sub: "x" }),
		).toString("base64url");
		const none = Buffer.from(
			JSON.stringify({ ...JSON.parse(Buffer.from(header, "base64url").toString()), alg: "none" }),
		).toString("base64url");
		const elsewhere = await connect(service, { postLogoutRedirectUris: ["https://else.example/bye"] });
		const disabled = await connect(service, { postLogoutRedirectUris: [BYE] });
		await service.asAdmin("PATCH", `/api/v1/applications/${disabled.id}`, { status: "disabled" });
		const hint = { id_token_hint: idToken };
		const requests: Readonly<Record<string, string>>[] = [
			...[
				`${BYE}/evil`,
				`${BYE}&x=1`,
				`${BYE}#fragment`,
				BYE.replace("bye", "BYE"),
				BYE.replace("shop.example", "shop.example.evil.example"),
				BYE.replace("shop.example", "shop.example@evil.example"),
				BYE.replace("https:", "http:"),
				CALLBACK,
				"https://else.example/bye",
				"//shop.example/bye",
				"javascript:alert(1)",
			].map((uri) => ({ ...hint, post_logout_redirect_uri: uri })),
			{ post_logout_redirect_uri: BYE },
			{ client_id: elsewhere.id, post_logout_redirect_uri: BYE },
			{ client_id: disabled.id, post_logout_redirect_uri: BYE },
			{ ...hint, client_id: elsewhere.id },
			{ client_id: "11111111-1111-4111-8111-111111111111" },
			{ client_id: "' OR 1=1 --" },
			{ id_token_hint: "x" },
			{ id_token_hint: "e30.e30.e30" },
			{ id_token_hint: "bnVsbA.bnVsbA.bnVsbA" },
			{ id_token_hint: `${header}.${forged}.${signature}` },
			{ id_token_hint: `${none}.${payload}.` },
			{ id_token_hint: token },
			{ ...hint, state: "x".repeat(2_001) },
			{ ...hint, logout_hint: "x".repeat(2_001) },
		];
		for (const parameters of requests) {
			const response = await ask(browser, parameters);
			assert.deepEqual(
				[response.status, response.headers.location, response.headers["set-cookie"]],
				[400, undefined, undefined],
				JSON.stringify(parameters),
			);
			assert.match(String(response.headers["content-security-policy"]), /frame-ancestors 'none'/);
		}
		const twice = await browser.go(`${PATH}?client_id=${shop.id}&client_id=${elsewhere.id}`);
		assert.equal(twice.status, 400);
		assert.equal(await isLive(token), true);
	});

	it("keeps tenants and sessions of applications separate", async () => {
		const { browser, token } = await signedIn();
		const other = await addSecondTenant(service);
		const settings = { firstParty: true, postLogoutRedirectUris: ["https://else.example/bye"] };
		const theirs = await connect(service, settings, {}, other);
		const theirParty = await relyingParty(service, theirs);
		const stranger = new TestBrowser(service);
		const { username, password } = other.admin;
		const theirToken = await stranger.signIn(username, password, { "x-tenant-id": other.id });
		const { id_token: hint = "" } = await obtainTokens(theirParty, stranger, theirToken);
		const response = await ask(browser, { id_token_hint: hint });
		assert.match(response.headers.location ?? "", ASKED);
		assert.deepEqual([await isLive(token), await isLive(theirToken)], [true, true]);
	});

	it("does not exist before the first client", async () => {
		const bare = await startOpenIdService();
		try {
			assert.equal((await bare.call("GET", PATH, { https: true })).status, 404);
		} finally {
			await bare.stop();
		}
	});
});
