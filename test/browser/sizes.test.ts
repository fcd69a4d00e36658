// The compressed size of the first view of each document, with a limit. The time is only printed.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { DOCUMENTS } from "../../pages/documents.ts";
import { FONT_PATH } from "../../src/pages/guide-names.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertNothingMoved, watchMoves } from "../harness/browser/layout-shift.ts";
import { PAGES_URL } from "../harness/browser/pages.ts";
import { ADMIN } from "../harness/service/service.ts";

const KIB = 1_024;

interface Limit {
	/** HTML, scripts, styles, and the texts of one language; of the API, only its description on `/docs`. Without the font. */
	readonly bytes: number;
	readonly files: number;
}

/** Loads with the documents in `WITH_FONT`, which keeps the console within 90 KiB. */
const FONT_MAX_BYTES = 26 * KIB;
const WITH_FONT = ["/portal", "/claim", "/account", "/console", "/docs", "/support"];

const PROGRAM = `/program?request=${"a".repeat(43)}`;
const LIMITS: Readonly<Record<string, Limit>> = {
	"/": { bytes: 20 * KIB, files: 6 },
	"/sign-in": { bytes: 27 * KIB, files: 6 },
	"/sign-up": { bytes: 27 * KIB, files: 6 },
	"/sign-out": { bytes: 22 * KIB, files: 6 },
	"/support": { bytes: 32 * KIB, files: 8 },
	"/oauth/device": { bytes: 25 * KIB, files: 6 },
	[PROGRAM]: { bytes: 28 * KIB, files: 6 },
	"/consent": { bytes: 25 * KIB, files: 6 },
	"/reset": { bytes: 25 * KIB, files: 6 },
	"/portal": { bytes: 30 * KIB, files: 8 },
	"/claim": { bytes: 40 * KIB, files: 8 },
	"/account": { bytes: 60 * KIB, files: 8 },
	"/console": { bytes: 61 * KIB, files: 10 },
	/** Includes the OpenAPI document, which the search reads. */
	"/docs": { bytes: 120 * KIB, files: 10 },
};
const SIGNED_IN = ["/account", "/support", "/console", "/oauth/device", PROGRAM];

describePages("the first view", (pages) => {
	const served = new Set(DOCUMENTS.flatMap(({ paths }) => paths));
	for (const [path, limit] of Object.entries(LIMITS)) {
		if (!served.has(path.split("?", 1)[0] ?? "")) continue;
		test(`of ${path} stays within ${limit.bytes / KIB} KiB in ${limit.files} files`, async (t) => {
			const { page } = SIGNED_IN.includes(path) ? await pages.openAs(ADMIN) : await pages.open();
			await watchMoves(page);
			const sizes = staticBytes(page);
			await page.goto(`${PAGES_URL}${path}`, { waitUntil: "networkidle" });
			await page.getByRole("heading", { level: 1 }).first().waitFor();
			const all = await Promise.all(sizes);
			const isFont = ({ url }: { readonly url: string }) => url === `${PAGES_URL}${FONT_PATH}`;
			const fonts = all.filter(isFont).map(({ bytes: size }) => size);
			const files = all.filter((file) => !isFont(file));
			const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
			const firstPaintMs = await page.evaluate<number>(
				`performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0`,
			);
			t.diagnostic(
				`${path}: ${(bytes / KIB).toFixed(1)} KiB in ${files.length} files, painted after ${Math.round(firstPaintMs)} ms`,
			);
			await assertNothingMoved(page);
			assert.equal(fonts.length, WITH_FONT.includes(path) ? 1 : 0, "the font is loaded");
			assert.ok(
				fonts.every((size) => size > KIB && size <= FONT_MAX_BYTES),
				String(fonts),
			);
			assert.ok(files.length >= 3, "files are counted");
			assert.ok(files.length <= limit.files, files.map(({ url }) => url).join("\n"));
			assert.ok(bytes <= limit.bytes, files.map((file) => `${file.bytes} ${file.url}`).join("\n"));
		});
	}
});

/** Bytes as transferred, without headers, of everything but the API. */
function staticBytes(page: Page): Promise<{ readonly url: string; readonly bytes: number }>[] {
	const sizes: Promise<{ readonly url: string; readonly bytes: number }>[] = [];
	page.on("requestfinished", (request) => {
		const url = request.url();
		if (!url.startsWith(PAGES_URL) || url.includes("/api/")) return;
		sizes.push(request.sizes().then(({ responseBodySize }) => ({ url, bytes: responseBodySize })));
	});
	return sizes;
}
