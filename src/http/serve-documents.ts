// Serves the OpenAPI documents, each at its path.

import { crc32, gzipSync } from "node:zlib";
import type { HttpExchange } from "./http-exchange.ts";
import type { Service } from "./openapi.ts";
import { openApiDocuments } from "./openapi-documents.ts";
import { acceptedEncodings } from "./page-files.ts";
import type { Router } from "./router.ts";
import { sendUnlessKnown } from "./static-page.ts";

interface Created {
	readonly text: string;
	readonly gzip: Buffer;
	readonly digest: string;
}

/**
 * Creates all documents on the first request. Compressed with gzip, a document has a seventh of its size. Clients that
 * send its ETag receive 304.
 */
export function addOpenApi(router: Router, options: Service): void {
	let created: ReadonlyMap<string, Created> | undefined;
	for (const { path } of options.about.documents) {
		const respond = (exchange: HttpExchange): void => {
			created ??= createAll(options);
			const { text, gzip, digest } = created.get(path) as Created;
			const takesGzip = acceptedEncodings(exchange).includes("gzip");
			const headers = {
				"content-type": "application/json; charset=utf-8",
				...(takesGzip && { "content-encoding": "gzip" }),
				etag: `"${digest}${takesGzip ? "-gzip" : ""}"`,
				vary: "accept-encoding",
				"cache-control": "no-cache",
			};
			sendUnlessKnown(exchange, { headers, body: takesGzip ? gzip : text });
		};
		router.add("GET", path, { template: path, transport: "any", respond });
	}
}

function createAll(options: Service): ReadonlyMap<string, Created> {
	const texts = [...openApiDocuments(options)].map(
		([path, document]) => [path, JSON.stringify(document)] as const,
	);
	return new Map(
		texts.map(([path, text]) => [path, { text, gzip: gzipSync(text), digest: crc32(text).toString(16) }]),
	);
}
