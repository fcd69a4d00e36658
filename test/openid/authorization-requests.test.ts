// Pushed authorization requests (RFC 9126), and authorization requests sent as a form.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import * as client from "openid-client";
import { keySettings, makeClientKey } from "../harness/openid/client-assertion.ts";
import {
	type AuthorizationRequest,
	CALLBACK,
	type ConnectedClient,
	completeAuthorization,
	connect,
	exchange,
	fetchFrom,
	ISSUER,
	idOf,
	openIdService,
	postForm,
	proceed,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { setup } from "../harness/runs/fixture.ts";

const COPIES = 20;

const service = openIdService();
let shop: ConnectedClient;
let party: client.Configuration;
setup(async () => {
	shop = await connect(service, { firstParty: true });
	party = await relyingParty(service, shop);
});

describe("pushed authorization requests", () => {
	let ada: Person;
	let browser: TestBrowser;
	let token: string;
	before(async () => {
		ada = await addPerson(service, "ada");
		({ browser, token } = await signedInBrowser(service, ada));
	});

	/** Like `ask`, but sent to `/oauth/par` first. */
	async function push(
		by = party,
		parameters: Readonly<Record<string, string>> = {},
	): Promise<AuthorizationRequest> {
		const asked = await startAuthorization(by, parameters);
		const url = await client.buildAuthorizationUrlWithPAR(by, asked.url.searchParams);
		assert.deepEqual([...url.searchParams.keys()].sort(), ["client_id", "request_uri"]);
		return { ...asked, url };
	}
	const codeOf = (location: string | undefined): string | null =>
		location === undefined ? null : new URL(location).searchParams.get("code");
	async function assertRefused(url: URL | string, by = browser): Promise<void> {
		const response = await by.go(String(url));
		assert.equal(codeOf(response.headers.location), null, String(url));
		assert.equal(String(response.headers.location ?? "").startsWith(`${ISSUER}/sign-in`), false, String(url));
	}
	async function post(fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}) {
		const { status, body } = await postForm(service, "/oauth/par", fields, headers);
		return { status, ...body };
	}

	it("sign users in for each client authentication method", async () => {
		const key = await makeClientKey();
		const keyed = await connect(service, {
			...keySettings(key.publicJwk),
			firstParty: true,
		});
		const open = await connect(service, { type: "spa", authMethod: "none", firstParty: true });
		const byKey = client.PrivateKeyJwt({ key: key.privateKey, kid: key.publicJwk.kid ?? "" });
		for (const by of [
			party,
			await relyingParty(service, keyed, byKey),
			await relyingParty(service, open, client.None()),
		]) {
			const asked = await push(by);
			const tokens = await exchange(by, await completeAuthorization(browser, asked.url, token), asked);
			assert.equal(tokens.claims()?.sub, ada.id);
		}
	});

	it("complete even if sign-in and consent take longer than the request is valid", async () => {
		const other = await relyingParty(service, await connect(service));
		const asked = await push(other);
		const fresh = new TestBrowser(service);
		const id = idOf((await fresh.go(asked.url.href)).headers.location);
		service.clock.advance(120_000);
		const own = await fresh.signIn(ada.username, ada.password);
		const next = await proceed(fresh, id, own);
		const returned = await completeAuthorization(fresh, next.body.data.redirect_to, own);
		assert.equal((await exchange(other, returned, asked)).claims()?.sub, ada.id);
		await assertRefused(asked.url, fresh);
	});

	it("are used once: 20 concurrent uses, one code", async () => {
		const { url } = await push();
		const responses = await Promise.all(Array.from({ length: COPIES }, () => browser.go(url.href)));
		const codes = responses.filter(({ headers }) => codeOf(headers.location) !== null);
		assert.equal(codes.length, 1);
		await assertRefused(url);
	});

	it("are used once by sign-ins that started with the same one, even after its expiry", async () => {
		const other = await relyingParty(service, await connect(service));
		const { url } = await push(other);
		const sessions = [];
		for (let count = 0; count < 2; count++) {
			const { browser: own, token: mine } = await signedInBrowser(service, ada);
			sessions.push({ own, mine, begun: (await own.go(url.href)).headers.location ?? "" });
		}
		service.clock.advance(61_000);
		const codes = [];
		for (const { own, mine, begun } of sessions) {
			const next = await proceed(own, idOf(begun), mine, "consent");
			assert.equal(next.status, 200, JSON.stringify(next.body));
			const resumed = await own.go(next.body.data.redirect_to);
			const location = new URL(resumed.headers.location ?? "");
			codes.push(location.searchParams.get("code") === null ? location.searchParams.get("error") : "code");
		}
		assert.deepEqual(codes, ["code", "invalid_request_uri"]);
	});

	it("expire after a minute", async () => {
		const { url } = await push();
		service.clock.advance(30_000);
		assert.notEqual(codeOf((await browser.go(url.href)).headers.location), null);
		const late = await push();
		service.clock.advance(60_000);
		await assertRefused(late.url);
	});

	it("belong to the client that sent them, and no other client can use them up", async () => {
		const other = await connect(service, { firstParty: true });
		const asked = await push();
		const stolen = new URL(asked.url);
		stolen.searchParams.set("client_id", other.id);
		await assertRefused(stolen);
		stolen.searchParams.delete("client_id");
		await assertRefused(stolen);
		await exchange(party, await completeAuthorization(browser, asked.url, token), asked);
		const unknown = new URL(asked.url);
		for (const uri of [
			`${asked.url.searchParams.get("request_uri")}x`,
			"urn:ietf:params:oauth:request_uri:",
			"urn:ietf:params:oauth:request_uri:x",
			"https://evil.example/request",
		]) {
			unknown.searchParams.set("request_uri", uri);
			await assertRefused(unknown);
		}
	});

	it("contain every parameter: further ones have no effect", async () => {
		const asked = await push();
		const bent = new URL(asked.url);
		for (const [name, value] of [
			["redirect_uri", "https://evil.example/"],
			["state", "another"],
			["nonce", "another"],
			["scope", "openid"],
			["code_challenge", "A".repeat(43)],
			["prompt", "none"],
		] as const)
			bent.searchParams.set(name, value);
		const returned = await completeAuthorization(browser, bent, token);
		assert.equal(returned.origin + returned.pathname, CALLBACK);
		const tokens = await exchange(party, returned, asked);
		assert.equal(tokens.scope, "openid profile email roles");
	});

	it("are refused as at the authorization endpoint, and without client authentication", async () => {
		const good = Object.fromEntries((await startAuthorization(party)).url.searchParams);
		const proof = { client_secret: shop.secret };
		const evil = { host: "evil.example", "x-forwarded-host": "evil.example" };
		const taken = await post({ ...good, ...proof }, evil);
		assert.equal(taken.status, 201);
		assert.match(taken.request_uri ?? "", /^urn:ietf:params:oauth:request_uri:[\w-]{21,}$/);
		const worker = await connect(service, { type: "service" });
		for (const [fields, status, error] of [
			[good, 401, "invalid_client"],
			[{ ...good, client_secret: "x" }, 401, "invalid_client"],
			[{ ...good, ...proof, redirect_uri: "https://evil.example/" }, 400, "invalid_request"],
			[{ ...good, ...proof, code_challenge: "" }, 400, "invalid_request"],
			[{ ...good, ...proof, code_challenge_method: "plain" }, 400, "invalid_request"],
			[{ ...good, ...proof, response_type: "token" }, 400, "unsupported_response_type"],
			[{ ...good, ...proof, request_uri: taken.request_uri ?? "" }, 400, "request_uri_not_supported"],
			[{ ...good, ...proof, request: "eyJhbGciOiJub25lIn0.e30." }, 400, "request_not_supported"],
			[{ ...good, client_id: worker.id, client_secret: worker.secret }, 400, undefined],
		] as const) {
			const response = await post(fields);
			assert.equal(response.status, status, JSON.stringify(response));
			if (error !== undefined) assert.equal(response.error, error, JSON.stringify(response));
			assert.equal(response.request_uri, undefined);
		}
	});

	it("are stored under a digest and sealed", async () => {
		const asked = await push();
		await using engine = await service.openDatabase();
		const rows = await engine.queries.all(
			"SELECT * FROM oauth_records WHERE kind = 'PushedAuthorizationRequest'",
		);
		const stored = JSON.stringify(rows);
		const [id] = (asked.url.searchParams.get("request_uri") ?? "").split(":").slice(-1);
		assert.equal(rows.length > 0, true);
		for (const value of [id ?? "", asked.state, asked.nonce, "shop.example"])
			assert.equal(stored.includes(value), false, value);
	});
});

const ADDRESS = `${ISSUER}/oauth/authorize`;
const FORM = { "content-type": "application/x-www-form-urlencoded" };

describe("POST /oauth/authorize", () => {
	const post = (body: string, headers: Record<string, string> = FORM, address = ADDRESS) =>
		fetchFrom(service)(address, { method: "POST", body, headers });

	it("redirects to the same request as GET at the issuer, with exactly its parameters", async () => {
		const { searchParams } = (
			await startAuthorization(party, { state: "a+b &ü=%2F", scope: "openid  openid" })
		).url;
		searchParams.append("state", "another");
		const headers = { ...FORM, "x-forwarded-host": "evil.example", origin: "https://shop.example" };
		const response = await post(searchParams.toString(), headers);
		assert.equal(response.status, 303);
		const { origin, pathname, searchParams: kept, hash } = new URL(response.headers.get("location") ?? "");
		assert.deepEqual([origin + pathname, [...kept], hash], [ADDRESS, [...searchParams], ""]);
		assert.equal(response.headers.get("set-cookie"), null);
		assert.equal(response.headers.get("cache-control"), "no-store");
	});

	const REFUSED: readonly (readonly [string, string, Record<string, string>, string, RegExp])[] = [
		[
			"JSON",
			"{}",
			{ "content-type": "application/json" },
			"",
			/the body must be application\/x-www-form-urlencoded/,
		],
		[
			"a form of files",
			"--a--",
			{ "content-type": "multipart/form-data; boundary=a" },
			"",
			/the body must be/,
		],
		["parameters in the URL", "scope=openid", FORM, "?prompt=none", /must be in its body/],
		["more than fits into a URL", `state=${"s".repeat(8_192)}`, FORM, "", /at most 8192 bytes/],
		["characters that grow when encoded", `state=${"ü".repeat(2_000)}`, FORM, "", /at most 8192 bytes/],
	];
	for (const [what, body, headers, query, message] of REFUSED)
		it(`refuses ${what}`, async () => {
			const response = await post(body, headers, ADDRESS + query);
			const { error, error_description } = (await response.json()) as Record<string, string>;
			assert.deepEqual([response.status, error], [400, "invalid_request"]);
			assert.match(error_description ?? "", message);
			assert.equal(response.headers.get("location"), null);
		});

	it("accepts the longest form, and the GET accepts it after the redirect", async () => {
		const response = await post(`client_id=x&state=${"s".repeat(8_192 - 18)}`);
		assert.equal(response.status, 303);
		const next = await fetchFrom(service)(response.headers.get("location") ?? "");
		const { error } = (await next.json()) as Record<string, string>;
		assert.deepEqual([next.status, error], [400, "invalid_client"]);
	});
});
