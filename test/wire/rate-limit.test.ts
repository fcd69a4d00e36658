// At most 100 requests in any minute per IP address, across all responses except static pages.

import assert from "node:assert/strict";
import { after, beforeEach, describe, test } from "node:test";
import { fixture } from "../harness/runs/fixture.ts";
import { exchange } from "../harness/service/raw-connection.ts";
import { type CallResponse, startTestService } from "../harness/service/service.ts";

const LIMIT = 100;

const service = fixture(() =>
	startTestService({
		env: { LATCHKEY_RATE_LIMIT_PER_MINUTE: String(LIMIT), LATCHKEY_TRUSTED_PROXIES: "127.0.0.1/32" },
	}),
);
// Every test starts without counted requests.
beforeEach(() => service.clock.advance(120_000));
after(() => service.stop());

let addresses = 0;

/** A new IP address behind the trusted proxy. */
function newAddress(): string {
	addresses += 1;
	return `198.51.100.${addresses}`;
}

interface Request {
	readonly from: string;
	readonly method?: string;
	readonly path?: string;
	readonly https?: boolean;
}

const ask = ({ from, method = "GET", path = "/nothing", https = false }: Request): Promise<CallResponse> =>
	service.call(method, path, { https, headers: { "x-forwarded-for": from } });

/** How many of `count` concurrent requests are admitted. */
async function admitted(count: number, request: Request): Promise<number> {
	const responses = await Promise.all(Array.from({ length: count }, () => ask(request)));
	return responses.filter(({ status }) => status !== 429).length;
}

describe("the 101st request in a minute", () => {
	test("returns 429 with the time of the next attempt", async () => {
		const from = newAddress();
		assert.equal(await admitted(LIMIT, { from, path: "/health" }), LIMIT);
		service.clock.advance(30_000);
		const response = await ask({ from, path: "/health" });
		assert.equal(response.status, 429);
		const retryAfter = Number(response.headers["retry-after"]);
		assert.ok(retryAfter > 20 && retryAfter <= 30, String(retryAfter));
		assert.equal(response.headers["ratelimit-limit"], "100");
		assert.equal(response.headers["ratelimit-remaining"], "0");
		assert.equal(response.headers["ratelimit-reset"], String(retryAfter));
		assert.ok(response.headers["x-request-id"]);
		assert.deepEqual(response.body, {
			error: `too many requests: at most 100 a minute, try again in ${retryAfter} s`,
		});
		service.clock.advance(retryAfter * 1000);
		assert.equal((await ask({ from, path: "/health" })).status, 200);
	});

	test("has its own code in problem details", async () => {
		const from = newAddress();
		await admitted(LIMIT, { from });
		const headers = { accept: "application/problem+json", "x-forwarded-for": from };
		const { body } = await service.call<{ readonly status: number; readonly code: string }>(
			"GET",
			"/health",
			{ headers },
		);
		assert.deepEqual([body.status, body.code], [429, "request.too_many"]);
	});

	test("returns 429 before any other check", async () => {
		const from = newAddress();
		await admitted(LIMIT, { from });
		for (const [method, path] of [
			["GET", "/api/v1/external/whoami"],
			["GET", "/nothing"],
			["PATCH", "/health"],
			["GET", "/api/v1/users/%zz"],
			["GET", "/api/v1/users/me"],
			["PUT", "/api/v1/users/me"],
			["POST", "/api/v1/auth/login"],
			["GET", "/openapi.json"],
		] as const) {
			assert.equal((await ask({ from, method, path })).status, 429, `${method} ${path}`);
		}
		const noHost = `GET /health HTTP/1.1\r\nX-Forwarded-For: ${from}\r\n\r\n`;
		assert.equal((await exchange(service, noHost)).status, 429);
	});

	test("is refused under concurrency", async () => {
		assert.equal(await admitted(200, { from: newAddress() }), LIMIT);
	});
});

describe("what counts", () => {
	test("every request with any status, over HTTP and HTTPS together", async () => {
		const from = newAddress();
		const kinds: Omit<Request, "from">[] = [
			{ path: "/health" },
			{ path: "/health", https: true },
			{ path: "/nothing" },
			{ path: "/api/v1/nothing", method: "POST" },
			{ path: "/api/v1/users/%zz" },
			{ path: `/api/v1/users/${"a".repeat(200)}` },
			{ path: "/api/v1/users/me" },
			{ path: "/api/v1/users/me", method: "PUT" },
			{ path: "/api/v1/external/whoami" },
			{ path: "/api/v1/external/whoami", https: true },
			{ path: "/api/v1/external/nothing" },
			{ path: "/openapi.json" },
			{ path: "/.well-known/jwks.json" },
			{ path: "/health", method: "OPTIONS" },
			{ path: "/api/v1/access-requests", method: "POST" },
			{ path: "/claim", method: "POST" },
			{ path: "/api/v1/auth/login", method: "POST" },
			{ path: "/health", method: "HEAD" },
		];
		for (const kind of kinds) assert.notEqual((await ask({ from, ...kind })).status, 429);
		assert.equal(await admitted(LIMIT, { from }), LIMIT - kinds.length);
	});

	test("no request for a static page", async () => {
		const from = newAddress();
		for (const path of ["/claim", "/withdraw", "/docs", "/pages/page.css"])
			assert.equal(await admitted(LIMIT + 1, { from, path }), LIMIT + 1, path);
		assert.equal(await admitted(LIMIT + 1, { from }), LIMIT);
		assert.equal((await ask({ from, path: "/claim" })).status, 200);
	});

	test("no refused request: retries do not prolong the wait", async () => {
		const from = newAddress();
		assert.equal(await admitted(LIMIT, { from }), LIMIT);
		service.clock.advance(30_000);
		assert.equal(await admitted(150, { from }), 0);
		service.clock.advance(30_000);
		assert.equal(await admitted(150, { from }), LIMIT);
	});

	test("requests in any 60 seconds, not in a clock minute: the limit does not double at its edge", async () => {
		const from = newAddress();
		assert.equal(await admitted(60, { from }), 60);
		service.clock.advance(40_000);
		assert.equal(await admitted(60, { from }), 40);
		service.clock.advance(20_000);
		assert.equal(await admitted(LIMIT, { from }), 60);
		service.clock.advance(40_000);
		assert.equal(await admitted(LIMIT, { from }), 40);
	});
});

describe("the limit applies to", () => {
	test("each IPv4 address, in any notation", async () => {
		const [one, other] = [newAddress(), newAddress()];
		assert.equal(await admitted(LIMIT, { from: one }), LIMIT);
		assert.equal((await ask({ from: `::ffff:${one}` })).status, 429);
		assert.equal((await ask({ from: `10.9.9.9, ${one}` })).status, 429);
		assert.equal((await ask({ from: other })).status, 404);
		assert.equal((await ask({ from: `${one}, ${other}` })).status, 404);
	});

	test("each /64 of IPv6 addresses", async () => {
		for (let host = 1; host <= LIMIT; host++)
			assert.equal((await ask({ from: `2001:db8:1:1:${host.toString(16)}::${host}` })).status, 404);
		assert.equal((await ask({ from: "2001:db8:1:1:ffff::1" })).status, 429);
		assert.equal((await ask({ from: "2001:0DB8:0001:0001::" })).status, 429);
		assert.equal((await ask({ from: "2001:db8:1:2::1" })).status, 404);
		assert.equal((await ask({ from: "2001:db8:1::1" })).status, 404);
	});

	test("the proxy itself if it reports no address or an invalid one", async () => {
		const sent: (string | undefined)[] = [
			undefined,
			"",
			"unknown",
			"1.2.3",
			"1.2.3.4:80",
			"[::1]",
			"fe80::1%eth0",
		];
		for (let count = 0; count < LIMIT; count++) {
			const from = sent[count % sent.length];
			const headers = from === undefined ? {} : { "x-forwarded-for": from };
			assert.equal((await service.call("GET", "/nothing", { headers })).status, 404, String(from));
		}
		assert.equal((await service.call("GET", "/nothing")).status, 429);
		assert.equal((await ask({ from: "1.2.3.4.5, nonsense" })).status, 429);
		assert.equal((await ask({ from: newAddress() })).status, 404);
	});
});

describe("a trusted proxy's own probes", () => {
	test("of /health do not count without a forwarded address; other requests do", async () => {
		const probe = async (path: string, headers = {}): Promise<number> => {
			const responses = Array.from({ length: LIMIT + 20 }, () => service.call("GET", path, { headers }));
			return (await Promise.all(responses)).filter(({ status }) => status === 429).length;
		};
		assert.equal(await probe("/health"), 0);
		assert.equal(await probe("/health", { "x-forwarded-for": newAddress() }), 20);
		assert.equal(await probe("/health", { "x-forwarded-for": "nobody" }), 20);
		service.clock.advance(120_000);
		assert.equal(await probe("/nothing"), 20);
	});
});
