// The transfer of the OpenAPI document: plain, or compressed for callers that accept Brotli or gzip.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testService } from "../harness/runs/fixture.ts";

const PATH = "/openapi.json";

const service = testService();

/** `fetch` decodes the body, so the transferred length comes from the header. */
const fetched = (encoding: string): Promise<Response> =>
	fetch(`${service.httpUrl}${PATH}`, { headers: { "accept-encoding": encoding } });

describe("GET /openapi.json", () => {
	it("is compressed for callers that accept Brotli or gzip, with Vary for caches", async () => {
		const plain = await (await fetched("identity")).text();
		for (const [accepted, encoding] of [
			["gzip, deflate, br", "br"],
			["gzip", "gzip"],
			["br;q=0, gzip", "gzip"],
		] as const) {
			const response = await fetched(accepted);
			assert.equal(response.headers.get("content-encoding"), encoding, accepted);
			assert.equal(response.headers.get("vary"), "accept-encoding");
			assert.ok(Number(response.headers.get("content-length")) < plain.length / 6);
			assert.equal(await response.text(), plain);
		}
	});

	it("is plain for callers that accept neither", async () => {
		for (const encoding of ["identity", "gzip;q=0", "br;q=0.0", "xgzip"]) {
			const response = await fetched(encoding);
			assert.equal(response.headers.get("content-encoding"), null, encoding);
			assert.equal(((await response.json()) as { openapi: string }).openapi, "3.1.0");
		}
	});

	it("returns 304 to callers that have it in the same encoding", async () => {
		const etag = (await fetched("gzip")).headers.get("etag") ?? "";
		assert.match(etag, /^"[0-9a-f]+-gzip"$/);
		const again = (encoding: string) =>
			fetch(`${service.httpUrl}${PATH}`, {
				headers: { "accept-encoding": encoding, "if-none-match": etag },
				cache: "no-store",
			});
		assert.equal((await again("gzip")).status, 304);
		assert.equal((await again("identity")).status, 200);
	});
});
