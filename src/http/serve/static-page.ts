// Serves static pages, with headers that restrict what a page can do.

import { crc32 } from "node:zlib";
import type { HttpExchange } from "../run/http-exchange.ts";
import type { Page } from "./page.ts";

/** A file as it is sent. Header names are in lower case; `etag` is strong. */
export interface StaticPage {
	readonly body: Buffer | string;
	readonly headers: Readonly<Record<string, string>> & { readonly etag: string };
}

/** A page that is created on its first request. */
export type LazyPage = () => Promise<StaticPage>;

/**
 * Pages load and run only files of this origin. They cannot be framed, submit forms elsewhere, or create HTML from text
 * (Trusted Types).
 */
const CONTENT_SECURITY_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"connect-src 'self'",
	"img-src 'self' data:",
	"font-src 'self'",
	"form-action 'none'",
	"base-uri 'none'",
	"frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
	"trusted-types 'none'",
].join("; ");

/** For files whose name changes with their content. */
export const IMMUTABLE = "public, max-age=31536000, immutable";

/** By default, browsers revalidate a page on each visit and receive 304 while it is unchanged. */
export function staticPage(body: Buffer, contentType: string, cacheControl = "no-cache"): StaticPage {
	return {
		body,
		headers: {
			...pageHeaders(contentType),
			etag: `"${body.length.toString(16)}-${crc32(body).toString(16)}"`,
			"cache-control": cacheControl,
		},
	};
}

/** The headers of every page and of each of its files. */
export function pageHeaders(contentType: string): Record<string, string> {
	return {
		"content-type": contentType,
		"content-security-policy": CONTENT_SECURITY_POLICY,
		"referrer-policy": "no-referrer",
		"x-content-type-options": "nosniff",
		"cross-origin-resource-policy": "same-origin",
	};
}

export function filePage(path: string, source: StaticPage | LazyPage): Page {
	const respond = async (exchange: HttpExchange): Promise<void> =>
		sendUnlessKnown(exchange, typeof source === "function" ? await source() : source);
	return { path, respond };
}

/** Sends a file, or 304 to a client that has it. */
export function sendUnlessKnown(exchange: HttpExchange, { headers, body }: StaticPage): void {
	const isKnown = exchange.incoming.headers["if-none-match"] === headers.etag;
	exchange.send(isKnown ? 304 : 200, headers, isKnown ? undefined : body);
}
