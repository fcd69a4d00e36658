// The guides for integrators that the service serves.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { testService } from "../harness/runs/fixture.ts";

const service = testService();

describe("GET /docs/{guide}", () => {
	test("returns the guide with a restrictive CSP, and 304 while it is unchanged", async () => {
		const response = await service.call("GET", "/docs/signing");
		assert.equal(response.status, 200);
		assert.equal(response.headers["content-type"], "text/html; charset=utf-8");
		assert.match(
			String(response.headers["content-security-policy"]),
			/^default-src 'none'; script-src 'self';/,
		);
		const headers = { "if-none-match": String(response.headers.etag) };
		assert.equal((await service.call("GET", "/docs/signing", { headers })).status, 304);
	});

	test("returns 404 for an unknown guide, and compares names exactly", async () => {
		for (const path of [
			"/docs/nothing",
			"/docs/operations",
			"/docs/signing.md",
			"/docs/signing/",
			"/docs/Signing",
			"/docs/",
			"/docs/../docs/signing",
			"/docs/..%2fREADME",
			"/docs/%73igning/x",
		])
			assert.equal((await service.call("GET", path)).status, 404, path);
	});

	test("returns 405 for another method", async () => {
		const response = await service.call("POST", "/docs/signing");
		assert.deepEqual([response.status, response.headers.allow], [405, "GET, HEAD"]);
	});
});
