import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import * as client from "openid-client";
import {
	basicAuth,
	CALLBACK,
	type ConnectedClient,
	completeAuthorization,
	connect,
	exchange,
	ISSUER,
	obtainTokens,
	openIdService,
	postForm,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";

describe("attacks on the OpenID provider", () => {
	const service = openIdService();
	let ada: Person;
	let shop: ConnectedClient;
	let party: client.Configuration;
	let browser: TestBrowser;
	let token: string;
	before(async () => {
		ada = await addPerson(service, "ada");
		shop = await connect(service, { firstParty: true });
		party = await relyingParty(service, shop);
		({ browser, token } = await signedInBrowser(service, ada));
	});

	it("Host and X-Forwarded-* change no URL", async () => {
		const headers = {
			host: "evil.example",
			"x-forwarded-host": "evil.example",
			"x-forwarded-proto": "http",
			forwarded: "host=evil.example",
		};
		const found = await service.call<object>("GET", "/.well-known/openid-configuration", {
			https: true,
			headers,
		});
		assert.equal(JSON.stringify(found.body).includes("evil"), false);
		const stranger = new TestBrowser(service);
		const response = await stranger.go((await startAuthorization(party)).url.href, headers);
		assert.equal(response.headers.location?.startsWith(`${ISSUER}/sign-in?`), true);
		assert.match(String(response.headers["set-cookie"]), /; httponly.*; secure|; secure.*; httponly/i);
	});

	it("redirect URIs: prefix, case, path, fragment, user information, IPv6, other ports", async () => {
		const addresses = [
			`${CALLBACK}/evil`,
			`${CALLBACK}?x=1`,
			`${CALLBACK}#fragment`,
			CALLBACK.replace("callback", "CALLBACK"),
			CALLBACK.replace("shop.example", "SHOP.example"),
			CALLBACK.replace("shop.example", "shop.example.evil.example"),
			CALLBACK.replace("shop.example", "shop.example@evil.example"),
			CALLBACK.replace("shop.example", "shop.example:8443"),
			CALLBACK.replace("https:", "http:"),
			CALLBACK.replace("/callback", "/x/../callback"),
			CALLBACK.replace("/callback", "//callback"),
			CALLBACK.replace("/callback", "/%63allback"),
			"https://[::1]/callback",
			"//shop.example/callback",
			"javascript:alert(1)",
			"",
		];
		for (const redirect_uri of addresses) {
			const response = await browser.go((await startAuthorization(party, { redirect_uri })).url.href);
			assert.deepEqual([response.status, response.headers.location], [400, undefined], redirect_uri);
		}
		const twice = (await startAuthorization(party)).url;
		twice.searchParams.append("redirect_uri", "https://evil.example");
		const response = await browser.go(twice.href);
		assert.equal(String(response.headers.location ?? "").startsWith("https://evil.example"), false);
	});

	it("error pages show what was sent and whom to ask, but no text that a link can choose", async () => {
		const unregistered = "https://shop.example/<b>other</b>?x=1";
		const known = await browser.go(
			(await startAuthorization(party, { redirect_uri: unregistered })).url.href,
		);
		assert.match(
			String(known.body),
			/redirect_uri: https:\/\/shop\.example\/&lt;b&gt;other&lt;\/b&gt;\?x=1</,
		);
		assert.match(String(known.body), new RegExp(`${ISSUER}/console/applications/${shop.id}`));
		const id = crypto.randomUUID();
		const unknown = await browser.go(`/oauth/authorize?client_id=${id}&response_type=code`);
		assert.equal(unknown.status, 400);
		assert.match(String(unknown.body), new RegExp(`client_id: ${id}<.+Ask the administrator`, "s"));
		for (const query of [
			`client_id=Call+555-0100+now&response_type=code`,
			`client_id=${shop.id}&response_type=code&redirect_uri=Call+555-0100+now`,
		])
			assert.doesNotMatch(String((await browser.go(`/oauth/authorize?${query}`)).body), /555-0100/);
	});

	it("PKCE: no request without S256, no code without its verifier", async () => {
		for (const without of ["code_challenge", "code_challenge_method"]) {
			const { url } = await startAuthorization(party);
			url.searchParams.delete(without);
			const back = new URL((await browser.go(url.href)).headers.location ?? "");
			assert.equal(back.searchParams.get("error"), "invalid_request", without);
		}
		const plain = (await startAuthorization(party, { code_challenge_method: "plain" })).url;
		const back = new URL((await browser.go(plain.href)).headers.location ?? "");
		assert.equal(back.searchParams.get("error"), "invalid_request");
		const asked = await startAuthorization(party);
		const returned = await completeAuthorization(browser, asked.url, token);
		const wrong = { ...asked, verifier: client.randomPKCECodeVerifier() };
		await assert.rejects(exchange(party, returned, wrong), { error: "invalid_grant" });
		await exchange(party, returned, asked);
	});

	it("codes and tokens of another client, and secrets that are wrong, of another client, or missing", async () => {
		const other = await connect(service, { firstParty: true });
		const asked = await startAuthorization(party);
		const returned = await completeAuthorization(browser, asked.url, token);
		await assert.rejects(exchange(await relyingParty(service, other), returned, asked), {
			error: "invalid_grant",
		});
		const tokens = await exchange(party, returned, asked);
		const stolen = tokens.refresh_token ?? "";
		await assert.rejects(client.refreshTokenGrant(await relyingParty(service, other), stolen), {
			error: "invalid_grant",
		});
		for (const secret of [other.secret, "x", `${shop.secret}x`, "compared by digest"]) {
			const impostor = await relyingParty(service, { ...shop, secret });
			await assert.rejects(client.refreshTokenGrant(impostor, stolen), { status: 401 });
		}
		const nobody = await relyingParty(service, shop, client.None());
		await assert.rejects(client.refreshTokenGrant(nobody, stolen), { status: 401 });
	});

	it("a session of another tenant signs in no user", async () => {
		const second = await addSecondTenant(service);
		const elsewhere = new TestBrowser(service);
		await elsewhere.signIn(second.admin.username, second.admin.password, { "x-tenant-id": second.id });
		assert.notEqual(elsewhere.cookie("__Host-latchkey"), undefined);
		const asked = await elsewhere.go((await startAuthorization(party)).url.href);
		assert.match(asked.headers.location ?? "", /\/sign-in\?interaction=/);
		const silent = await elsewhere.go((await startAuthorization(party, { prompt: "none" })).url.href);
		assert.equal(new URL(silent.headers.location ?? "").searchParams.get("error"), "login_required");
	});

	it("unsupported flows, grants, and response modes", async () => {
		for (const [name, value] of [
			["response_type", "token"],
			["response_type", "id_token"],
			["response_type", "code id_token"],
			["response_mode", "fragment"],
			["response_mode", "web_message"],
			["request", "eyJhbGciOiJub25lIn0.e30."],
			["request_uri", "https://evil.example/request"],
		]) {
			const { url } = await startAuthorization(party, { [name as string]: value as string });
			const response = await browser.go(url.href);
			const { location } = response.headers;
			const error =
				location === undefined
					? response.status
					: new URL(location.replace("#", "?")).searchParams.get("error");
			assert.notEqual(error, null, `${name}=${value}`);
		}
		for (const grant_type of [
			"client_credentials",
			"password",
			"urn:ietf:params:oauth:grant-type:device_code",
		]) {
			const fields = { grant_type, client_id: shop.id, client_secret: shop.secret };
			assert.equal((await postForm(service, "/oauth/token", fields)).status, 400, grant_type);
		}
		for (const path of ["/device", "/device/auth", "/reg", "/me"])
			assert.equal((await service.call("GET", path, { https: true })).status, 404, path);
	});

	it("repeated headers, JSON bodies, and tokens in the query are refused with OAuth errors", async () => {
		const { access_token } = await obtainTokens(party, browser, token);
		const inQuery = await service.call<{ error: string }>(
			"GET",
			`/oauth/userinfo?access_token=${access_token}`,
			{
				https: true,
			},
		);
		assert.deepEqual([inQuery.status, inQuery.body.error], [400, "invalid_request"]);
		const json = await service.call<{ error: string }>("POST", "/oauth/token", {
			https: true,
			body: { grant_type: "authorization_code", client_id: shop.id },
		});
		assert.deepEqual([json.status, json.body.error], [400, "invalid_request"]);
		const twice = await service.call<{ error: string }>("GET", "/oauth/userinfo", {
			https: true,
			headers: { authorization: [`Bearer ${access_token}`, "Bearer x"] },
		});
		assert.deepEqual([twice.status, twice.body.error], [400, "invalid_request"]);
	});

	it("tokens are refused at endpoints for which they were not issued", async () => {
		const tokens = await obtainTokens(party, browser, token);
		for (const presented of [tokens.access_token, tokens.id_token ?? "", tokens.refresh_token ?? ""])
			assert.equal((await service.call("GET", "/api/v1/users/me", { token: presented })).status, 401);
		await assert.rejects(client.fetchUserInfo(party, token, ada.id));
		await assert.rejects(client.fetchUserInfo(party, tokens.refresh_token ?? "", ada.id));
		await assert.rejects(client.refreshTokenGrant(party, tokens.access_token), { error: "invalid_grant" });
	});

	it("no secret is stored or logged", async () => {
		const tokens = await obtainTokens(party, browser, token);
		await using engine = await service.openDatabase();
		const tables = ["oauth_records", "oauth_grants"].map((name) =>
			engine.queries.all(`SELECT * FROM ${name}`),
		);
		const stored = JSON.stringify(await Promise.all(tables));
		for (const value of [tokens.access_token, tokens.refresh_token ?? "", shop.secret]) {
			assert.equal(stored.includes(value), false);
			assert.equal(service.logs().includes(value), false);
		}
	});

	it("malformed client ids are unknown at each endpoint", async () => {
		const none = [crypto.randomUUID(), "\0", `${shop.id}\0`, "\ud800", "x".repeat(10_000)];
		for (const [path, parameters] of [
			["/oauth/device-authorization", { scope: "openid" }],
			["/oauth/token", { grant_type: "client_credentials" }],
			["/oauth/par", { response_type: "code" }],
			["/oauth/introspect", { token: "x" }],
			["/oauth/revoke", { token: "x" }],
		] as const) {
			for (const client_id of none) {
				const sent = await postForm(service, path, { ...parameters, client_id });
				const authorization = basicAuth({ id: encodeURIComponent(client_id.toWellFormed()), secret: "x" });
				const inHeader = await postForm(service, path, parameters, { authorization });
				for (const { status } of [sent, inHeader])
					assert.equal([400, 401].includes(status), true, `${path} ${JSON.stringify(client_id)} ${status}`);
			}
		}
		for (const path of ["/oauth/authorize?response_type=code&", "/oauth/end-session?"]) {
			for (const client_id of none) {
				const response = await browser.go(`${path}${new URLSearchParams({ client_id })}`);
				assert.deepEqual(
					[response.status, response.headers.location],
					[400, undefined],
					`${path}${client_id}`,
				);
			}
		}
	});
});
