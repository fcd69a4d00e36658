// The start of a third-party sign-in: the list of providers, the start, and the redirect to the provider.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ABSENT_ID, addApplication } from "../../harness/applications.ts";
import { fixture, setup } from "../../harness/fixture.ts";
import { addProvider } from "../../harness/identity-providers.ts";
import { putOAuthClient } from "../../harness/oauth-clients.ts";
import { addPerson } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import type { CallResponse, TestService } from "../../harness/service.ts";
import { newJar, openStage, PUBLIC_URL, parametersOf, THIRD_PARTY } from "../../harness/third-party.ts";

const PROVIDERS = `${THIRD_PARTY}/providers`;
const URI = "https://app.example.com/Back?a=1%20b_c";
const COOKIE = "__Host-latchkey-browser";

let service: TestService;
const stage = fixture(() => openStage([{ sub: "one" }, { sub: "two" }, { sub: "three" }]));
setup(async () => {
	service = stage.service;
});
after(() => stage?.stop());

describe("GET /api/v1/auth/third-party/providers", () => {
	describe("200", () => {
		it("lists the enabled providers of the requested tenant by name, without credentials", async () => {
			const { id, adminToken } = await addSecondTenant(service);
			const headers = { "x-tenant-id": id };
			assert.deepEqual((await service.call("GET", PROVIDERS, { headers })).body, { data: [] });
			const zeta = { provider: "zeta", display_name: "Zeta" };
			const github = { provider: "gh", kind: "github", display_name: "alpha", issuer: null };
			for (const fields of [zeta, github, { provider: "off", enabled: false }])
				await addProvider(service, fields, adminToken);
			const { status, body } = await service.call("GET", PROVIDERS, { headers });
			assert.equal(status, 200);
			assert.deepEqual(body, {
				data: [
					{ provider: "gh", kind: "github", display_name: "alpha" },
					{ provider: "zeta", kind: "oidc", display_name: "Zeta" },
				],
			});
		});
	});

	describe("404", () => {
		it("refuses a tenant that does not exist", async () => {
			assert.equal(
				(await service.call("GET", PROVIDERS, { headers: { "x-tenant-id": ABSENT_ID } })).status,
				404,
			);
		});
	});
});

describe("POST /api/v1/auth/third-party/{provider}/start", () => {
	let appId: string;
	before(async () => {
		await addProvider(service, { provider: "corp" });
		await addProvider(service, { provider: "dormant", enabled: false });
		appId = (await addApplication(service, { redirect_uris: [URI, "http://localhost:3000/back"] })).id;
	});

	const start = (body: unknown, slug = "corp", headers: Record<string, string> = {}) =>
		service.call("POST", `/api/v1/auth/third-party/${slug}/start`, {
			body,
			headers: { accept: "application/problem+json", ...headers },
		});

	describe("200", () => {
		it("returns an address of this service, new each time, for any Host", async () => {
			const response = await start({ redirect_uri: URI }, "corp", { host: "evil.example" });
			assert.equal(response.status, 200);
			const { authorization_url, ...rest } = response.body.data;
			assert.deepEqual(rest, { expires_in: 600 });
			const url = new URL(authorization_url);
			assert.equal(url.origin + url.pathname, `${PUBLIC_URL}/api/v1/auth/third-party/corp/begin`);
			assert.match(url.search, /^\?attempt=[A-Za-z0-9_-]{43}$/);
			assert.equal(response.headers["cache-control"], "no-store");
			assert.equal(response.headers["set-cookie"], undefined);
			const again = await start({ redirect_uri: URI, app_id: appId });
			assert.notEqual(again.body.data.authorization_url, authorization_url);
		});

		it("accepts http on a loopback host, and a code challenge", async () => {
			const body = { redirect_uri: "http://localhost:3000/back", code_challenge: "x".repeat(43) };
			assert.equal((await start(body)).status, 200);
		});
	});

	describe("400", () => {
		it("refuses every URI that differs from the registered one", async () => {
			for (const redirect_uri of [
				"https://evil.example/",
				`${URI}&x=1`,
				`${URI} `,
				` ${URI}`,
				URI.replace("Back", "back"),
				URI.replace("b_c", "bXc"),
				URI.replace("https", "http"),
				URI.replace("app.example.com", "app.example.com.evil.example"),
				URI.replace("https://", "https://a@"),
				`${URI}#`,
				"javascript:alert(1)",
				"%",
				'","',
			]) {
				const { status, body } = await start({ redirect_uri });
				assert.deepEqual([status, body.code], [400, "redirect_uri.not_registered"], redirect_uri);
			}
		});

		it("refuses the address of another or a disabled application, and an unknown application", async () => {
			const uri = "https://other.example.com/back";
			const other = await addApplication(service, { redirect_uris: [uri] });
			const disabled = "https://disabled.example.com/back";
			await addApplication(service, { redirect_uris: [disabled], status: "disabled" });
			for (const body of [
				{ redirect_uri: URI, app_id: other.id },
				{ redirect_uri: uri, app_id: appId },
				{ redirect_uri: URI, app_id: ABSENT_ID },
				{ redirect_uri: disabled },
			])
				assert.equal((await start(body)).body.code, "redirect_uri.not_registered");
		});

		it("refuses the address of another tenant", async () => {
			const tenant = await addSecondTenant(service);
			await addProvider(service, { provider: "corp" }, tenant.adminToken);
			const { status, body } = await start({ redirect_uri: URI }, "corp", { "x-tenant-id": tenant.id });
			assert.deepEqual([status, body.code], [400, "redirect_uri.not_registered"]);
		});

		it("names the field that is missing or malformed", async () => {
			for (const [body, field] of [
				[{}, "redirect_uri"],
				[{ redirect_uri: "x".repeat(2049) }, "redirect_uri"],
				[{ redirect_uri: URI, app_id: "none" }, "app_id"],
				[{ redirect_uri: URI, code_challenge: "short" }, "code_challenge"],
				[{ redirect_uri: URI, code_challenge: "+".repeat(43) }, "code_challenge"],
			] as const) {
				const response = await start(body);
				assert.equal(response.status, 400);
				assert.deepEqual(
					response.body.errors.map((error: { field: string }) => error.field),
					[field],
				);
			}
		});
	});

	describe("404", () => {
		it("refuses disabled, foreign, absent and malformed providers, and an absent tenant", async () => {
			const tenant = await addSecondTenant(service);
			await addProvider(service, { provider: "theirs" }, tenant.adminToken);
			for (const slug of ["dormant", "theirs", "none", "Corp", "corp%20", "-"]) {
				const { status, body } = await start({ redirect_uri: URI }, slug);
				assert.deepEqual([status, body.code], [404, "identity_provider.not_found"], slug);
			}
			assert.equal((await start({ redirect_uri: URI }, "corp", { "x-tenant-id": ABSENT_ID })).status, 404);
		});
	});

	describe("409", () => {
		it("refuses an application with an OAuth client, and its address without an application", async () => {
			const redirect_uri = "https://connected.example.com/back";
			const [connected, plain] = [
				await addApplication(service, { redirect_uris: [redirect_uri] }),
				await addApplication(service, { redirect_uris: [redirect_uri] }),
			];
			await putOAuthClient(service, { type: "native" }, connected.id);
			for (const body of [{ redirect_uri, app_id: connected.id }, { redirect_uri }]) {
				const { status, body: problem } = await start(body);
				assert.deepEqual([status, problem.code], [409, "oauth_client.exists"]);
			}
			assert.equal((await start({ redirect_uri, app_id: plain.id })).status, 200);
			await putOAuthClient(service, { type: "service" }, plain.id);
			assert.equal((await start({ redirect_uri, app_id: plain.id })).status, 200);
		});
	});
});

describe("GET /api/v1/auth/third-party/{provider}/begin", () => {
	before(async () => {
		await stage.addProvider("open", { sign_up: true, display_name: `<b>"Corp" & Co</b>` });
		await stage.addProvider("closed");
	});
	const ada = fixture(() => addPerson(service, "ada"));

	const whereTo = (response: CallResponse): URL => {
		assert.equal(response.status, 303, JSON.stringify(response.body));
		return new URL(String(response.headers.location));
	};

	describe("303", () => {
		it("marks the browser and redirects to the provider with state, nonce and PKCE", async () => {
			const jar = newJar();
			const response = await stage.visit(jar, await stage.start("open"));
			const cookie = String(response.headers["set-cookie"]);
			assert.match(
				cookie,
				/^__Host-latchkey-browser=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/,
			);
			assert.deepEqual(
				[response.headers["referrer-policy"], response.headers["cache-control"]],
				["no-referrer", "no-store"],
			);
			const url = whereTo(response);
			assert.equal(url.origin, stage.provider.issuer);
			const { state, nonce, code_challenge, code_challenge_method, response_type, redirect_uri } =
				Object.fromEntries(url.searchParams);
			for (const random of [state, nonce, code_challenge])
				assert.match(String(random), /^[A-Za-z0-9_-]{43}$/);
			assert.equal(new Set([state, nonce, code_challenge, cookie.slice(24, 67)]).size, 4);
			assert.deepEqual([code_challenge_method, response_type], ["S256", "code"]);
			assert.equal(redirect_uri, `https://id.latchkey.example${THIRD_PARTY}/open/callback`);
		});

		it("accepts the callback of the last of two visits of a browser", async () => {
			const jar = newJar();
			const start = await stage.start("open");
			const first = await stage.goThrough(jar, start, "one");
			const second = await stage.goThrough(jar, start, "one");
			assert.equal((await stage.visit(jar, first)).status, 400);
			assert.ok(parametersOf(await stage.visit(jar, second)).has("ticket"));
			// A completed attempt cannot begin again.
			assert.equal((await stage.visit(jar, start)).status, 400);
		});

		it("keeps the cookie of a browser with several sign-ins in progress, and replaces a broken one", async () => {
			const jar = newJar();
			const callbacks = [];
			for (const sub of ["one", "two"])
				callbacks.push(await stage.goThrough(jar, await stage.start("open"), sub));
			assert.equal(jar.cookies.size, 1);
			for (const callback of callbacks)
				assert.ok(parametersOf(await stage.visit(jar, callback)).has("ticket"));
			jar.cookies.set(COOKIE, "broken");
			await stage.visit(jar, await stage.start("open"));
			assert.match(String(jar.cookies.get(COOKIE)), /^[A-Za-z0-9_-]{43}$/);
		});

		it("returns to the application with provider_error if the provider is unreachable", async () => {
			await stage.addProvider("off", { issuer: "https://127.0.0.1:9" });
			const jar = newJar();
			const start = await stage.start("off");
			const response = await stage.visit(jar, start);
			assert.equal(parametersOf(response).get("error"), "provider_error");
			assert.equal((await stage.visit(jar, start)).status, 400);
			assert.match(service.logs(), /provider failed/);
		});

		it("links without confirmation in the browser that started, recognized by its cookie", async () => {
			const back = await stage.comeBack("open", "three", { linkTo: ada });
			assert.ok(back.has("ticket"));
		});
	});

	describe("200", () => {
		it("requires a confirmation in a browser that did not start, and only from that browser", async () => {
			const start = await stage.start("closed", {}, ada);
			const [victim, other] = [newJar(), newJar()];
			const page = await stage.visit(victim, start);
			assert.equal(page.status, 200);
			assert.match(String(page.headers["content-type"]), /^text\/html/);
			assert.match(
				String(page.headers["content-security-policy"]),
				/default-src 'none'.*frame-ancestors 'none'/,
			);
			assert.match(String(page.body), /linked to the account ada here/);
			const href = String(/href="(\/api[^"]*)"/.exec(String(page.body))?.[1]).replaceAll("&amp;", "&");
			assert.equal((await stage.visit(other, start)).status, 200);
			assert.equal((await stage.visit(other, href)).status, 200);
			assert.equal((await stage.visit(victim, `${start}&confirm=yes`)).status, 200);
			const callback = await stage.goThrough(victim, href, "one");
			assert.ok(parametersOf(await stage.visit(victim, callback)).has("ticket"));
		});

		it("escapes names", async () => {
			const page = await stage.visit(newJar(), await stage.start("open", {}, ada));
			assert.match(String(page.body), /Your account at &lt;b&gt;&quot;Corp&quot; &amp; Co&lt;\/b&gt;/);
			assert.doesNotMatch(String(page.body), /<b>/);
		});
	});

	describe("400", () => {
		it("refuses a second browser, and a late, misdirected, forged or missing attempt", async () => {
			const jar = newJar();
			const start = await stage.start("open");
			await stage.visit(jar, start);
			assert.equal((await stage.visit(newJar(), start)).status, 400);
			assert.equal((await stage.visit(jar, start.replace("/open/", "/closed/"))).status, 400);
			for (const query of [
				"",
				"?attempt=",
				"?attempt=none",
				`?attempt=${"x".repeat(200)}`,
				"?attempt=a&attempt=b",
			])
				assert.equal((await stage.visit(jar, `${THIRD_PARTY}/open/begin${query}`)).status, 400, query);
			service.clock.advance(601_000);
			const late = await stage.visit(jar, start);
			assert.equal(late.status, 400);
			assert.match(String(late.body), /<h1>Bad Request<\/h1>/);
		});
	});

	describe("404", () => {
		it("refuses a malformed provider name", async () => {
			const { status } = await stage.visit(newJar(), `${THIRD_PARTY}/-/begin?attempt=x`);
			assert.equal(status, 404);
		});
	});
});
