// The API over plain HTTP: served to this machine, 426 for others, whose passwords would cross a network unencrypted.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { testService } from "../harness/runs/fixture.ts";
import { mapOfRoutes } from "../harness/service/routes.ts";
import { ADMIN, type CallResponse, startTestService } from "../harness/service/service.ts";

const LOGIN = "/api/v1/auth/login";
const body = { username: ADMIN.username, password: ADMIN.password };
const ELSEWHERE = "203.0.113.7";

const service = testService({
	env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1", LATCHKEY_PLAIN_HTTP_NETWORKS: "10.40.0.0/16, fd12::/16" },
});

/** A sign-in forwarded by a trusted proxy. */
function signIn(from: string, proto?: string): Promise<CallResponse> {
	const scheme: Record<string, string> = proto === undefined ? {} : { "x-forwarded-proto": proto };
	return service.call("POST", LOGIN, { body, headers: { "x-forwarded-for": from, ...scheme } });
}

describe("over plain HTTP", () => {
	test("a sign-in from another machine returns 426 with instructions", async () => {
		for (const from of [ELSEWHERE, "2001:db8::1", "192.168.0.9", "::ffff:203.0.113.7"]) {
			const { status, headers, body: problem } = await signIn(from, "http");
			assert.equal(status, 426, from);
			assert.equal(headers.upgrade, "TLS/1.2, HTTP/1.1");
			assert.equal(headers.location, undefined);
			assert.match(problem.error, /HTTPS is required/);
		}
	});

	test("this machine and the networks of LATCHKEY_PLAIN_HTTP_NETWORKS can sign in", async () => {
		for (const from of ["127.0.0.1", "127.9.9.9", "::1", "10.40.1.1", "fd12::7"])
			assert.equal((await signIn(from, "http")).status, 200, from);
		assert.equal((await service.call("POST", LOGIN, { body })).status, 200);
	});

	test("a caller behind a trusted proxy that reports no scheme can sign in", async () => {
		assert.equal((await signIn(ELSEWHERE)).status, 200);
	});

	test("a caller that uses HTTPS to the trusted proxy can sign in", async () => {
		assert.equal((await signIn(ELSEWHERE, "https")).status, 200);
	});

	test("every API route returns 426 to another machine before its body is read, even for a decoded path", async () => {
		const headers = { "x-forwarded-for": ELSEWHERE, "x-forwarded-proto": "http" };
		for (const { method, path } of await mapOfRoutes()) {
			const target = path.replaceAll(/\{\w+\}/g, "01900000-0000-7000-8000-000000000000");
			const { status } = await service.call(method, target, { headers, body: "no JSON" });
			if (path.startsWith("/api/") || path.startsWith("/access/"))
				assert.equal(status, 426, `${method} ${path}`);
			else assert.notEqual(status, 426, `${method} ${path}`);
		}
		const hidden = await service.call("POST", "/%61pi/v1/auth/%6cogin", { headers, body });
		assert.equal(hidden.status, 426);
	});

	test("health, documents, and pages contain no secret and are served to every caller", async () => {
		for (const path of ["/health", "/openapi.json", "/docs", "/claim", "/.well-known/jwks.json"]) {
			const { status } = await service.call("GET", path, { headers: { "x-forwarded-for": ELSEWHERE } });
			assert.equal(status, 200, path);
		}
	});
});

describe("the start", () => {
	/** Whether it warns with these settings. */
	async function warns(env: Record<string, string>): Promise<boolean> {
		const started = await startTestService({ env });
		await started.stop();
		return started.logs().includes("that call the API over plain HTTP get status 426");
	}

	test("warns if other machines can reach a listener that refuses them", async () => {
		assert.equal(await warns({ LATCHKEY_HOST: "0.0.0.0" }), true);
		assert.equal(await warns({ LATCHKEY_HOST: "::" }), true);
	});

	test("does not warn if they cannot, or if a proxy or a network is configured", async () => {
		for (const host of ["127.0.0.1", "::1", "localhost"])
			assert.equal(await warns({ LATCHKEY_HOST: host }), false, host);
		assert.equal(await warns({ LATCHKEY_HOST: "::", LATCHKEY_TRUSTED_PROXIES: "10.0.0.1" }), false);
		assert.equal(await warns({ LATCHKEY_HOST: "::", LATCHKEY_PLAIN_HTTP_NETWORKS: "10.0.0.0/8" }), false);
	});
});

describe("a start with an http URL as LATCHKEY_PUBLIC_URL", () => {
	for (const [url, isWarned] of [
		["http://auth.partner.test", true],
		["http://10.0.0.5:8080", true],
		["http://localhost:8080", false],
		["http://[::1]:8080", false],
		["https://auth.partner.test", false],
	] as const)
		test(`${isWarned ? "warns" : "does not warn"} for ${url}`, async () => {
			const started = await startTestService({ env: { LATCHKEY_PUBLIC_URL: url } });
			await started.stop();
			assert.equal(started.logs().includes("LATCHKEY_PUBLIC_URL is an http URL"), isWarned);
		});
});

describe("Strict-Transport-Security", () => {
	/** The response to a request with this Host; default: over HTTPS. */
	async function strictness(publicUrl: string, host: string, https = true): Promise<unknown> {
		const strict = await startTestService({ env: { LATCHKEY_PUBLIC_URL: publicUrl } });
		try {
			const responses = [];
			for (const path of ["/health", "/nothing", "/docs"])
				responses.push(await strict.call("GET", path, { https, headers: { host } }));
			const values = new Set(responses.map(({ headers }) => headers["strict-transport-security"]));
			assert.equal(values.size, 1);
			return [...values][0];
		} finally {
			await strict.stop();
		}
	}

	test("is in every HTTPS response of the public host, and in none over plain HTTP", async () => {
		assert.equal(await strictness("https://auth.example.com", "Auth.Example.com"), "max-age=31536000");
		assert.equal(await strictness("https://auth.example.com", "auth.example.com:443"), "max-age=31536000");
		assert.equal(await strictness("https://auth.example.com", "auth.example.com", false), undefined);
	});

	test("is not sent for another host, localhost, an IP address, or a host with a port", async () => {
		for (const [publicUrl, host] of [
			["https://auth.example.com", "localhost"],
			["https://localhost", "localhost"],
			["https://login.localhost", "login.localhost"],
			["https://192.0.2.1", "192.0.2.1"],
			["https://auth.example.com:8443", "auth.example.com:8443"],
			["http://auth.example.com", "auth.example.com"],
		] as const)
			assert.equal(await strictness(publicUrl, host), undefined, publicUrl);
	});
});
