// The static files: confined by their headers, with nothing inline and nothing from another origin.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { crc32 } from "node:zlib";
import { IMMUTABLE } from "../http/serve/static-page.ts";
import { FONT_PATH } from "./guide-names.ts";
import { loadPages, PAGE_FILES } from "./pages.ts";

const pages = loadPages();

describe("files", () => {
	test("every page is served with headers that confine it", () => {
		assert.deepEqual([...pages.keys()], Object.keys(PAGE_FILES));
		for (const [path, { headers, body }] of pages) {
			assert.ok(body.length > 100, path);
			assert.match(headers.etag, /^"[0-9a-f]+-[0-9a-f]+"$/);
			const policy = headers["content-security-policy"] ?? "";
			assert.match(
				policy,
				/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self';/,
			);
			assert.match(policy, /form-action 'none'; base-uri 'none'; frame-ancestors 'none'/);
			assert.doesNotMatch(policy, /unsafe|\*/);
			assert.equal(headers["referrer-policy"], "no-referrer");
			assert.equal(headers["x-content-type-options"], "nosniff");
			const lifetime = path === FONT_PATH ? IMMUTABLE : "no-cache";
			assert.equal(headers["cache-control"], lifetime);
		}
		for (const [path, { contentType }] of Object.entries(PAGE_FILES))
			assert.equal(pages.get(path)?.headers["content-type"], contentType);
	});

	test("the name of the font changes with its content, and every stylesheet names the same file", () => {
		const body = pages.get(FONT_PATH)?.body ?? "";
		assert.equal(FONT_PATH, `/pages/inter-${crc32(body).toString(16)}.woff2`);
		const sheet = readFileSync(new URL("../../pages/ui/inter.css", import.meta.url), "utf8");
		for (const text of [sheet, pages.get("/pages/page.css")?.body.toString()])
			assert.ok(text?.includes(`url("${FONT_PATH}")`));
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
