// The built pages over HTTP: revalidated documents, immutable assets, and encodings.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type PageManifest, readManifest } from "../../src/pages/page-manifest.ts";
import { testService } from "../harness/runs/fixture.ts";

describe("the built pages", () => {
	let manifest: PageManifest;
	const service = testService();
	before(async () => {
		manifest = readManifest() as PageManifest;
	});

	const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
		fetch(`${service.httpUrl}${path}`, { headers: { "accept-encoding": "identity", ...headers } });

	it("documents are revalidated, and have a restrictive CSP", async () => {
		for (const path of Object.keys(manifest.documents)) {
			const at = path.replaceAll(/\{\w+\}/g, "01980000-0000-7000-8000-000000000000");
			const first = await get(at, { accept: "text/html" });
			assert.equal(first.status, 200, at);
			assert.equal(first.headers.get("cache-control"), "no-cache");
			assert.match(
				first.headers.get("content-security-policy") ?? "",
				/^default-src 'none'; script-src 'self';/,
			);
			assert.doesNotMatch(
				await first.text(),
				/<script(?! type="module" src="\/pages\/)|<style|\sstyle=|\son\w+=/,
			);
			const etag = first.headers.get("etag") ?? "";
			const second = await get(at, { accept: "text/html", "if-none-match": etag });
			assert.deepEqual([second.status, await second.text()], [304, ""], at);
		}
	});

	it("assets are immutable, in the best encoding that the browser accepts", async () => {
		const [name = ""] =
			Object.entries(manifest.files).find(
				([file, { encodings }]) => file.endsWith(".js") && encodings.length > 0,
			) ?? [];
		const plain = await get(`/pages/${name}`);
		const text = await plain.text();
		assert.equal(plain.headers.get("cache-control"), "public, max-age=31536000, immutable");
		assert.equal(plain.headers.get("content-type"), "text/javascript; charset=utf-8");
		assert.equal(plain.headers.get("vary"), "accept-encoding");
		assert.equal(plain.headers.get("x-content-type-options"), "nosniff");
		for (const [accepted, encoding] of [
			["gzip, deflate, br", "br"],
			["gzip;q=1, br;q=0", "gzip"],
			["br;q=0, gzip;q=0.0", null],
			["deflate", null],
		] as const) {
			const response = await get(`/pages/${name}`, { "accept-encoding": accepted });
			assert.equal(response.status, 200);
			assert.equal(response.headers.get("content-encoding"), encoding, accepted);
			// `fetch` decodes it.
			assert.equal(await response.text(), text, accepted);
		}
	});

	it("unknown files and files outside the folder return 404", async () => {
		for (const path of [
			"/pages/unknown.js",
			"/pages/home.html",
			"/pages/manifest.json",
			"/pages/..%2Fapi-types.ts",
			"/pages/__proto__",
			"/pages/constructor",
			"/console/unknown",
			"/console/",
		]) {
			const response = await get(path);
			assert.equal(response.status, 404, path);
			assert.deepEqual(await response.json(), { error: "no such resource" }, path);
		}
	});

	it("a mistyped URL returns a page to a browser; a document returns 405 for other methods", async () => {
		const page = await get("/console/unknown", { accept: "text/html,*/*;q=0.8" });
		assert.equal(page.status, 404);
		assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
		assert.match(await page.text(), /<h1>Not Found<\/h1>/);
		const post = await fetch(`${service.httpUrl}/console`, { method: "POST" });
		assert.deepEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD"]);
	});
});
