import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testService } from "../harness/runs/fixture.ts";
import { exchange } from "../harness/service/raw-connection.ts";
import type { CallResponse } from "../harness/service/service.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("GET /", () => {
	const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });

	const get = (accept: string | undefined, headers = {}, method = "GET", path = "/"): Promise<CallResponse> =>
		service.call(method, path, { headers: { ...(accept && { accept }), ...headers } });

	describe("200", () => {
		it("shows the home page to a browser, with any Host", async () => {
			for (const headers of [
				{},
				{ host: "evil.example" },
				{ "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
			]) {
				const { status, headers: answered, body } = await get(BROWSER, headers);
				assert.equal(status, 200);
				assert.equal(answered["cache-control"], "no-cache");
				assert.equal(answered.vary, "accept, accept-encoding");
				assert.match(answered["content-type"] ?? "", /^text\/html/);
				assert.match(String(body), /<div id="app">/);
				assert.doesNotMatch(String(body), /evil/);
			}
		});

		it("serves HEAD the same way, and ignores a query", async () => {
			const head = await exchange(
				service,
				`HEAD /?next=//evil.example HTTP/1.1\r\nHost: a\r\nAccept: ${BROWSER}\r\n\r\n`,
				{ head: true },
			);
			assert.deepEqual([head.status, head.headers.location], [200, undefined]);
		});
	});

	describe("404", () => {
		it("is returned to every other caller", async () => {
			for (const accept of [undefined, "*/*", "application/json"]) {
				const { status, body } = await get(accept);
				assert.deepEqual([status, body], [404, { error: "no such resource" }]);
			}
			const { status, body } = await get("application/problem+json");
			assert.deepEqual([status, body.code], [404, "route.not_found"]);
		});

		it("is returned for other methods and paths, even to a browser", async () => {
			for (const [method, path] of [
				["POST", "/"],
				["DELETE", "/"],
				["GET", "//"],
				["GET", "/index.html"],
			])
				assert.equal((await get(BROWSER, {}, method, path)).status, 404, `${method} ${path}`);
		});
	});
});
