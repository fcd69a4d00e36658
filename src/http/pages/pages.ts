// The small pages mails and developers lead to, with the headers that keep them harmless; no framework, no build.

import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";

/** A file as it is answered. Header names are in lower case; `etag` is a strong one. */
export interface StaticPage {
	readonly body: Buffer;
	readonly headers: Readonly<Record<string, string>> & { readonly etag: string };
}

const HTML = "text/html; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";

/** Path to file, beside this module, and its type. A build copies these files beside the compiled module. */
export const PAGE_FILES: Readonly<Record<string, { readonly file: string; readonly contentType: string }>> = {
	"/claim": { file: "claim.html", contentType: HTML },
	"/withdraw": { file: "withdraw.html", contentType: HTML },
	"/reset": { file: "reset.html", contentType: HTML },
	"/restore-email": { file: "restore-email.html", contentType: HTML },
	"/docs": { file: "docs.html", contentType: HTML },
	"/pages/page.css": { file: "page.css", contentType: STYLE },
	"/pages/page.js": { file: "page.js", contentType: SCRIPT },
	"/pages/press.js": { file: "press.js", contentType: SCRIPT },
	"/pages/claim.js": { file: "claim.js", contentType: SCRIPT },
	"/pages/claim-words.js": { file: "claim-words.js", contentType: SCRIPT },
	"/pages/withdraw.js": { file: "withdraw.js", contentType: SCRIPT },
	"/pages/reset.js": { file: "reset.js", contentType: SCRIPT },
	"/pages/reset-words.js": { file: "reset-words.js", contentType: SCRIPT },
	"/pages/restore-email.js": { file: "restore-email.js", contentType: SCRIPT },
	"/pages/docs.js": { file: "docs.js", contentType: SCRIPT },
	"/pages/docs-schema.js": { file: "docs-schema.js", contentType: SCRIPT },
	"/pages/docs-words.js": { file: "docs-words.js", contentType: SCRIPT },
};

/** Only our own files run and load; nothing is framed, submitted elsewhere, or made of text (Trusted Types). */
const CONTENT_SECURITY_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"connect-src 'self'",
	"img-src 'self' data:",
	"form-action 'none'",
	"base-uri 'none'",
	"frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
	"trusted-types 'none'",
].join("; ");

/**
 * Reads every page once. Browsers ask again each time (`no-cache`) and are told by the ETag that nothing changed.
 *
 * @throws Error when a file is missing: the package is broken, the service must not start.
 */
export function loadPages(): Map<string, StaticPage> {
	const pages = new Map<string, StaticPage>();
	for (const [path, { file, contentType }] of Object.entries(PAGE_FILES)) {
		const body = readFileSync(new URL(file, import.meta.url));
		pages.set(path, {
			body,
			headers: {
				"content-type": contentType,
				etag: `"${body.length.toString(16)}-${crc32(body).toString(16)}"`,
				"cache-control": "no-cache",
				"content-security-policy": CONTENT_SECURITY_POLICY,
				"referrer-policy": "no-referrer",
				"x-content-type-options": "nosniff",
				"cross-origin-resource-policy": "same-origin",
			},
		});
	}
	return pages;
}
