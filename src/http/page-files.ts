// Serves built pages: documents by path, assets by name, each in an encoding that the browser accepts.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../kernel/error.ts";
import { pageHeaders } from "./static-page.ts";

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

const STATIC = { config: { transport: "any", uncounted: true } } as const;
/** Asset names contain a hash of the content. */
const IMMUTABLE = "public, max-age=31536000, immutable";

/** Serves all documents but `/`, and the assets, without a rate limit. */
export function addPageFiles(fastify: FastifyInstance, files: PageFiles): void {
	for (const path of files.paths)
		if (path !== "/")
			fastify.get(path.replaceAll(/\{(\w+)\}/g, ":$1"), STATIC, async (request, reply) =>
				sendFile(request, reply, await files.findDocument(path, acceptedEncodings(request)), "no-cache"),
			);
	fastify.get<{ Params: { name: string } }>(`${files.assetFolder}:name`, STATIC, async (request, reply) =>
		sendFile(
			request,
			reply,
			await files.findAsset(request.params.name, acceptedEncodings(request)),
			IMMUTABLE,
		),
	);
}

/**
 * `GET /` returns the document for `/` to browsers, or redirects them to `fallback` if there is none. Other callers get
 * `route.not_found`. `fallback` is relative, so that neither `Host` nor a proxy can change the target.
 */
export function addStartPage(fastify: FastifyInstance, files: PageFiles, fallback: string): void {
	fastify.get("/", { config: { transport: "any" } }, async (request, reply) => {
		reply.header("vary", "accept, accept-encoding");
		if (!request.incoming.accept.includes("text/html"))
			throw new AppError("route.not_found", "no such resource");
		const document = await files.findDocument("/", acceptedEncodings(request));
		if (document === undefined) return reply.header("cache-control", "no-store").redirect(fallback, 302);
		return sendFile(request, reply, document, "no-cache");
	});
}

function sendFile(
	request: FastifyRequest,
	reply: FastifyReply,
	file: PageFile | undefined,
	cacheControl: string,
): FastifyReply {
	if (file === undefined) throw new AppError("route.not_found", "no such resource");
	const { body, contentType, digest, encoding } = file;
	const etag = `"${digest}${encoding === undefined ? "" : `-${encoding}`}"`;
	reply.headers({ ...pageHeaders(contentType), etag, "cache-control": cacheControl });
	if (!reply.hasHeader("vary")) reply.header("vary", "accept-encoding");
	if (request.headers["if-none-match"] === etag) return reply.code(304).send();
	if (encoding !== undefined) reply.header("content-encoding", encoding);
	return reply.send(body);
}

/** RFC 9110, section 12.5.3, for the encodings of built files; a weight of 0 refuses an encoding. */
function acceptedEncodings({ headers }: FastifyRequest): PageEncoding[] {
	const accepted = new Set(
		String(headers["accept-encoding"] ?? "")
			.split(",")
			.filter((item) => !/;\s*q=0(?:\.0*)?\s*$/.test(item))
			.map((item) => (item.split(";")[0] ?? "").trim().toLowerCase()),
	);
	return (["br", "gzip"] as const).filter((encoding) => accepted.has(encoding));
}
