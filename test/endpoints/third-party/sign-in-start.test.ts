// The start of a third-party sign-in: the list of providers, and the start.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ABSENT_ID } from "../../harness/access/applications.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { addProvider } from "../../harness/providers/identity-providers.ts";
import {
	newJar,
	openStage,
	outcomeOf,
	PUBLIC_URL,
	RETURN_TO,
	THIRD_PARTY,
} from "../../harness/providers/third-party.ts";
import { fixture, setup } from "../../harness/runs/fixture.ts";
import type { TestService } from "../../harness/service/service.ts";

const PROVIDERS = `${THIRD_PARTY}/providers`;
const COOKIE = "__Host-latchkey-browser";

let service: TestService;
const stage = fixture(() => openStage([{ sub: "one" }, { sub: "two" }]));
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
			const { issuer } = stage.provider;
			const zeta = { provider: "zeta", display_name: "Zeta", issuer };
			const github = { provider: "gh", kind: "github", display_name: "alpha", issuer: null };
			for (const fields of [zeta, github, { provider: "off", enabled: false, issuer }])
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
});

describe("POST /api/v1/auth/third-party/{provider}/start", () => {
	before(async () => {
		await stage.addProvider("open", { sign_up: true });
		await addProvider(service, { provider: "dormant", enabled: false, issuer: stage.provider.issuer });
	});

	const start = (body: unknown, slug = "open", headers: Record<string, string> = {}) =>
		service.call("POST", `/api/v1/auth/third-party/${slug}/start`, {
			body,
			headers: { accept: "application/problem+json", ...headers },
		});

	describe("200", () => {
		it("marks the browser and returns the provider's URL with state, nonce, and PKCE", async () => {
			const response = await start({ return_to: RETURN_TO }, "open", { host: "evil.example" });
			assert.equal(response.status, 200, JSON.stringify(response.body));
			const { authorization_url, ...rest } = response.body.data;
			assert.deepEqual([rest, response.headers["cache-control"]], [{ expires_in: 600 }, "no-store"]);
			const cookie = String(response.headers["set-cookie"]);
			assert.match(
				cookie,
				/^__Host-latchkey-browser=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=660; Secure; HttpOnly; SameSite=Lax$/,
			);
			const url = new URL(authorization_url);
			assert.equal(url.origin, stage.provider.issuer);
			const { state, nonce, code_challenge, code_challenge_method, response_type, redirect_uri } =
				Object.fromEntries(url.searchParams);
			for (const random of [state, nonce, code_challenge])
				assert.match(String(random), /^[A-Za-z0-9_-]{43}$/);
			assert.equal(new Set([state, nonce, code_challenge, cookie.slice(24, 67)]).size, 4);
			assert.deepEqual([code_challenge_method, response_type], ["S256", "code"]);
			assert.equal(redirect_uri, `https://id.latchkey.example${THIRD_PARTY}/open/callback`);
			const again = new URL((await start({ return_to: RETURN_TO })).body.data.authorization_url);
			assert.notEqual(again.searchParams.get("state"), state);
		});

		it("keeps the cookie of a browser with several sign-ins in progress, and replaces a broken one", async () => {
			const jar = newJar();
			const callbacks = [await stage.depart(jar, "open", "one"), await stage.depart(jar, "open", "two")];
			assert.equal(jar.cookies.size, 1);
			for (const callback of callbacks) assert.equal(outcomeOf(await stage.visit(jar, callback)), "finish");
			jar.cookies.set(COOKIE, "broken");
			await stage.start(jar, "open");
			assert.match(String(jar.cookies.get(COOKIE)), /^[A-Za-z0-9_-]{43}$/);
		});

		it("accepts the pages of the service, with any query", async () => {
			for (const return_to of [
				"/sign-in",
				"/sign-in?interaction=a&tenant=b",
				"/account",
				"/account/security",
				"/console/people?q=%C3%A4",
				"/portal",
			])
				assert.equal((await start({ return_to })).status, 200, return_to);
		});
	});

	describe("400", () => {
		it("refuses to return anywhere but to a page of the service", async () => {
			for (const return_to of [
				"https://evil.example/",
				"//evil.example",
				"//evil.example/sign-in",
				"/\\evil.example",
				"/.//evil.example",
				"/sign-in/../../evil",
				"/sign-in/..//evil.example",
				"/account/..//evil.example",
				"/account/%2e%2e//evil.example",
				"/account/../oauth/end-session",
				"/account\\..\\x",
				"/account/\t/x",
				`${PUBLIC_URL}/sign-in`,
				`${PUBLIC_URL}@evil.example/sign-in`,
				"sign-in",
				"@evil.example",
				".evil.example/sign-in",
				"",
				"/",
				"/api/v1/auth/third-party/open/callback?state=x",
				"/oauth/end-session",
				"/docs",
				"/Sign-In",
				"/sign-in/",
				"/sign-in#finish",
				"/sign-in?a#finish",
				"/sign-in?a\r\nset-cookie: b=c",
				"/sign-in?ä",
				"/sign-in?a b",
				" /sign-in",
				"/sign-in ",
				"/sign-inx",
				"/accounts",
				"javascript:alert(1)",
			]) {
				const { status, body } = await start({ return_to });
				assert.deepEqual([status, body.code], [400, "request.invalid"], return_to);
				assert.equal(body.errors[0]?.field, "return_to");
			}
		});
	});

	describe("404", () => {
		it("refuses disabled, foreign, absent and malformed providers, and an absent tenant", async () => {
			const tenant = await addSecondTenant(service);
			await addProvider(service, { provider: "theirs", issuer: stage.provider.issuer }, tenant.adminToken);
			const body = { return_to: RETURN_TO };
			for (const slug of ["dormant", "theirs", "none", "Open", "open%20", "-"]) {
				const response = await start(body, slug);
				assert.deepEqual([response.status, response.body.code], [404, "identity_provider.not_found"], slug);
			}
			assert.equal((await start(body, "open", { "x-tenant-id": ABSENT_ID })).status, 404);
		});
	});

	describe("503", () => {
		it("reports a provider that cannot be reached, and records it", async () => {
			await stage.addProvider("off", { issuer: "https://127.0.0.1:9", force: true });
			const { status, body, headers } = await start({ return_to: RETURN_TO }, "off");
			assert.deepEqual([status, body.code], [503, "identity_provider.unavailable"]);
			assert.equal(headers["set-cookie"], undefined);
			assert.match(service.logs(), /provider failed/);
			const [event] = await service.asAdmin("GET", "/api/v1/audit-events?page_size=1");
			assert.deepEqual(
				[event?.action, event?.details],
				["user.sign_in_failed", { reason: "provider_error: unreachable", provider: "off" }],
			);
		});
	});
});
