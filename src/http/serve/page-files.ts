// Serves built pages: documents by path, assets by name, each in an encoding that the browser accepts.

import { AppError } from "../../kernel/error.ts";
import type { HttpExchange } from "../run/http-exchange.ts";
import type { Page } from "./page.ts";
import { IMMUTABLE, pageHeaders, sendUnlessKnown } from "./static-page.ts";

export type PageEncoding = "br" | "gzip";

/** A built file in one encoding. `digest` identifies the content before it is encoded. */
export interface PageFile {
	readonly body: Buffer;
	readonly contentType: string;
	readonly digest: string;
	/** Undefined: not encoded. */
	readonly encoding: PageEncoding | undefined;
}

export interface PageFiles {
	/** Paths of documents; `{id}` is one segment. */
	readonly paths: readonly string[];
	/** Path prefix of the assets. */
	readonly assetFolder: string;
	/** `accepted`: the encodings that the browser accepts, the best first. Undefined: no such document. */
	findDocument(path: string, accepted: readonly PageEncoding[]): Promise<PageFile | undefined>;
	findAsset(name: string, accepted: readonly PageEncoding[]): Promise<PageFile | undefined>;
}

/** The documents, except that of `/`, and the assets. */
export function builtPages(files: PageFiles): Page[] {
	const documents = files.paths
		.filter((path) => path !== "/")
		.map((path): Page => {
			const respond = async (exchange: HttpExchange): Promise<void> =>
				sendFile(exchange, await files.findDocument(path, acceptedEncodings(exchange)), "no-cache");
			return { path, respond };
		});
	const respond = async (exchange: HttpExchange): Promise<void> => {
		const name = exchange.found.params.name ?? "";
		sendFile(exchange, await files.findAsset(name, acceptedEncodings(exchange)), IMMUTABLE);
	};
	return [...documents, { path: `${files.assetFolder}{name}`, mayBeAbsent: true, respond }];
}

/**
 * `GET /` returns the document for `/` to browsers, or redirects them to `fallback` if there is none. Other callers get
 * `route.not_found`. `fallback` is relative, so that neither `Host` nor a proxy can change the target.
 */
export function startPage(files: PageFiles, fallback: string): Page {
	const vary = "accept, accept-encoding";
	const respond = async (exchange: HttpExchange): Promise<void> => {
		if (!exchange.incoming.accept.includes("text/html"))
			throw new AppError("route.not_found", "no such resource", { headers: { vary } });
		const document = await files.findDocument("/", acceptedEncodings(exchange));
		if (document !== undefined) return sendFile(exchange, document, "no-cache", vary);
		exchange.send(302, { vary, "cache-control": "no-store", location: fallback });
	};
	return { path: "/", isCounted: true, mayBeAbsent: true, respond };
}

function sendFile(
	exchange: HttpExchange,
	file: PageFile | undefined,
	cacheControl: string,
	vary = "accept-encoding",
): void {
	if (file === undefined) throw new AppError("route.not_found", "no such resource");
	const { body, contentType, digest, encoding } = file;
	const headers = {
		...pageHeaders(contentType),
		...(encoding && { "content-encoding": encoding }),
		etag: `"${digest}${encoding === undefined ? "" : `-${encoding}`}"`,
		"cache-control": cacheControl,
		vary,
	};
	sendUnlessKnown(exchange, { headers, body });
}

/** RFC 9110, section 12.5.3, for the encodings of built files; a weight of 0 refuses an encoding. */
export function acceptedEncodings({ incoming }: HttpExchange): PageEncoding[] {
	const accepted = new Set(
		String(incoming.headers["accept-encoding"] ?? "")
			.split(",")
			.filter((item) => !/;\s*q=0(?:\.0*)?\s*$/.test(item))
			.map((item) => (item.split(";")[0] ?? "").trim().toLowerCase()),
	);
	return (["br", "gzip"] as const).filter((encoding) => accepted.has(encoding));
}
