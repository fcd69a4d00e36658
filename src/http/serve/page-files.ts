// Serves built pages: documents by path, assets by name, each in an encoding that the browser accepts.

import { AppError } from "../../kernel/error.ts";
import type { HttpExchange } from "../run/http-exchange.ts";
import { STATIC } from "../run/resource.ts";
import type { Router } from "../run/router.ts";
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

/** Serves the assets and all documents except `/` without a rate limit. */
export function addPageFiles(router: Router, files: PageFiles): void {
	type Find = (exchange: HttpExchange) => Promise<PageFile | undefined>;
	const add = (path: string, cacheControl: string, find: Find): void => {
		const respond = async (exchange: HttpExchange): Promise<void> =>
			sendFile(exchange, await find(exchange), cacheControl);
		router.add("GET", path, { ...STATIC, template: path, respond });
	};
	for (const path of files.paths)
		if (path !== "/")
			add(path, "no-cache", (exchange) => files.findDocument(path, acceptedEncodings(exchange)));
	add(`${files.assetFolder}{name}`, IMMUTABLE, (exchange) =>
		files.findAsset(exchange.found.params.name ?? "", acceptedEncodings(exchange)),
	);
}

/**
 * `GET /` returns the document for `/` to browsers, or redirects them to `fallback` if there is none. Other callers get
 * `route.not_found`. `fallback` is relative, so that neither `Host` nor a proxy can change the target.
 */
export function addStartPage(router: Router, files: PageFiles, fallback: string): void {
	const vary = "accept, accept-encoding";
	const respond = async (exchange: HttpExchange): Promise<void> => {
		if (!exchange.incoming.accept.includes("text/html"))
			throw new AppError("route.not_found", "no such resource", { headers: { vary } });
		const document = await files.findDocument("/", acceptedEncodings(exchange));
		if (document !== undefined) return sendFile(exchange, document, "no-cache", vary);
		exchange.send(302, { vary, "cache-control": "no-store", location: fallback });
	};
	router.add("GET", "/", { template: "/", transport: "any", respond });
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
