// Serves the OpenAPI documents, each at its path.

import { brotliCompressSync, constants, crc32, gzipSync } from "node:zlib";
import type { HttpExchange } from "./http-exchange.ts";
import type { Service } from "./openapi.ts";
import { openApiDocuments } from "./openapi-documents.ts";
import { acceptedEncodings, type PageEncoding } from "./page-files.ts";
import type { Router } from "./router.ts";
import { sendUnlessKnown } from "./static-page.ts";

interface Created extends Readonly<Record<PageEncoding, Buffer>> {
	readonly text: string;
	readonly digest: string;
}

/** Takes some milliseconds per document; higher qualities save little more. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/**
 * Creates all documents on the first request. Compressed, a document has an eighth of its size. Clients that send its
 * ETag receive 304.
 */
export function addOpenApi(router: Router, options: Service): void {
	let created: ReadonlyMap<string, Created> | undefined;
	for (const { path } of options.about.documents) {
		const respond = (exchange: HttpExchange): void => {
			created ??= createAll(options);
			const document = created.get(path) as Created;
			const [encoding] = acceptedEncodings(exchange);
			const headers = {
				"content-type": "application/json; charset=utf-8",
				...(encoding && { "content-encoding": encoding }),
				etag: `"${document.digest}${encoding === undefined ? "" : `-${encoding}`}"`,
				vary: "accept-encoding",
				"cache-control": "no-cache",
			};
			sendUnlessKnown(exchange, {
				headers,
				body: encoding === undefined ? document.text : document[encoding],
			});
		};
		router.add("GET", path, { template: path, transport: "any", respond });
	}
}

function createAll(options: Service): ReadonlyMap<string, Created> {
	const texts = [...openApiDocuments(options)].map(
		([path, document]) => [path, JSON.stringify(document)] as const,
	);
	return new Map(
		texts.map(([path, text]) => [
			path,
			{
				text,
				br: brotliCompressSync(text, BROTLI),
				gzip: gzipSync(text),
				digest: crc32(text).toString(16),
			},
		]),
	);
}
