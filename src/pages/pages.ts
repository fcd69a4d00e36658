// The pages that mails and developers open: static files, no framework, no build step.

import { readFileSync } from "node:fs";
import { STYLESHEET_PATH } from "../http/browser-page.ts";
import { type StaticPage, staticPage } from "../http/static-page.ts";

const HTML = "text/html; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";

/** URL path → file in this folder and its content type. The build copies these files next to the compiled module. */
export const PAGE_FILES: Readonly<Record<string, { readonly file: string; readonly contentType: string }>> = {
	"/claim": { file: "claim.html", contentType: HTML },
	"/withdraw": { file: "withdraw.html", contentType: HTML },
	"/reset": { file: "reset.html", contentType: HTML },
	"/invite": { file: "invite.html", contentType: HTML },
	"/restore-email": { file: "restore-email.html", contentType: HTML },
	"/docs": { file: "docs.html", contentType: HTML },
	[STYLESHEET_PATH]: { file: "page.css", contentType: STYLE },
	"/pages/page.js": { file: "page.js", contentType: SCRIPT },
	"/pages/press.js": { file: "press.js", contentType: SCRIPT },
	"/pages/claim.js": { file: "claim.js", contentType: SCRIPT },
	"/pages/claim-words.js": { file: "claim-words.js", contentType: SCRIPT },
	"/pages/withdraw.js": { file: "withdraw.js", contentType: SCRIPT },
	"/pages/reset.js": { file: "reset.js", contentType: SCRIPT },
	"/pages/reset-words.js": { file: "reset-words.js", contentType: SCRIPT },
	"/pages/invite.js": { file: "invite.js", contentType: SCRIPT },
	"/pages/invite-words.js": { file: "invite-words.js", contentType: SCRIPT },
	"/pages/restore-email.js": { file: "restore-email.js", contentType: SCRIPT },
	"/pages/docs.js": { file: "docs.js", contentType: SCRIPT },
	"/pages/docs-search.js": { file: "docs-search.js", contentType: SCRIPT },
	"/pages/docs-schema.js": { file: "docs-schema.js", contentType: SCRIPT },
	"/pages/docs-words.js": { file: "docs-words.js", contentType: SCRIPT },
};

/**
 * Reads every page once, by URL path.
 *
 * @throws Error when a file is missing: the package is broken and the service must not start.
 */
export function loadPages(): Map<string, StaticPage> {
	const pages = new Map<string, StaticPage>();
	for (const [path, { file, contentType }] of Object.entries(PAGE_FILES))
		pages.set(path, staticPage(readFileSync(new URL(file, import.meta.url)), contentType));
	return pages;
}
