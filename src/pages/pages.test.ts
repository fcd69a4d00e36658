// The static files: confined by their headers, with nothing inline and nothing from another origin.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadPages, PAGE_FILES } from "./pages.ts";

const pages = loadPages();

describe("files", () => {
	test("every page is served with headers that confine it", () => {
		assert.deepEqual([...pages.keys()], Object.keys(PAGE_FILES));
		for (const [path, { headers, body }] of pages) {
			assert.ok(body.length > 100, path);
			assert.match(headers.etag, /^"[0-9a-f]+-[0-9a-f]+"$/);
			const policy = headers["content-security-policy"] ?? "";
			assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
			assert.match(policy, /form-action 'none'; base-uri 'none'; frame-ancestors 'none'/);
			assert.doesNotMatch(policy, /unsafe|\*/);
			assert.equal(headers["referrer-policy"], "no-referrer");
			assert.equal(headers["x-content-type-options"], "nosniff");
			assert.equal(headers["cache-control"], "no-cache");
		}
		for (const [path, { contentType }] of Object.entries(PAGE_FILES))
			assert.equal(pages.get(path)?.headers["content-type"], contentType);
	});

	test("no page contains inline script or style, or a URL of another origin", () => {
		for (const [path, { body }] of pages) {
			const text = body.toString().replaceAll("http://www.w3.org/2000/svg", "");
			assert.doesNotMatch(
				text,
				/<script(?![^>]* src="\/pages\/)|<style|\sstyle=|\son[a-z]+=|https?:\/\/(?!example\.com)/,
				path,
			);
		}
	});
});
