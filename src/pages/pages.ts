// Static files that need no build: the stylesheet of the guides and of responses shown in a browser, the script of the
// guides, and the font.

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { STYLESHEET_PATH } from "../http/run/browser-page.ts";
import { IMMUTABLE, type StaticPage, staticPage } from "../http/serve/static-page.ts";
import { FONT_PATH, GUIDE_SCRIPT_PATH } from "./guide-names.ts";

/** URL path → file in this folder and its content type. The build copies these files next to the compiled module. */
export const PAGE_FILES: Readonly<Record<string, { readonly file: string; readonly contentType: string }>> = {
	[STYLESHEET_PATH]: { file: "page.css", contentType: "text/css; charset=utf-8" },
	[GUIDE_SCRIPT_PATH]: { file: "guide.js", contentType: "text/javascript; charset=utf-8" },
	[FONT_PATH]: { file: basename(FONT_PATH), contentType: "font/woff2" },
};

/**
 * Reads every page once, by URL path.
 *
 * @throws Error if a file is missing: the package is broken and the service must not start.
 */
export function loadPages(): Map<string, StaticPage> {
	const pages = new Map<string, StaticPage>();
	for (const [path, { file, contentType }] of Object.entries(PAGE_FILES))
		pages.set(
			path,
			staticPage(
				readFileSync(new URL(file, import.meta.url)),
				contentType,
				path === FONT_PATH ? IMMUTABLE : undefined,
			),
		);
	return pages;
}
