// Serves the OpenAPI document.

import { brotliCompressSync, constants, crc32, gzipSync } from "node:zlib";
import type { HttpExchange } from "../run/http-exchange.ts";
import type { Page } from "../serve/page.ts";
import { acceptedEncodings, type PageEncoding } from "../serve/page-files.ts";
import { sendUnlessKnown } from "../serve/static-page.ts";
import { openApiDocument, type Service } from "./openapi.ts";

interface Created extends Readonly<Record<PageEncoding, Buffer>> {
	readonly text: string;
	readonly digest: string;
}

/** Takes some milliseconds; higher qualities save little more. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/**
 * Creates the document on the first request. Compressed, it has less than a sixth of its size. Clients that send its
 * ETag receive 304.
 */
export function openApiPage(path: string, options: Service): Page {
	let created: Created | undefined;
	const respond = (exchange: HttpExchange): void => {
		created ??= create(options);
		const [encoding] = acceptedEncodings(exchange);
		const headers = {
			"content-type": "application/json; charset=utf-8",
			...(encoding && { "content-encoding": encoding }),
			etag: `"${created.digest}${encoding === undefined ? "" : `-${encoding}`}"`,
			vary: "accept-encoding",
			"cache-control": "no-cache",
		};
		sendUnlessKnown(exchange, { headers, body: encoding === undefined ? created.text : created[encoding] });
	};
	return { path, isCounted: true, respond };
}

function create(options: Service): Created {
	const text = JSON.stringify(openApiDocument(options));
	return {
		text,
		br: brotliCompressSync(text, BROTLI),
		gzip: gzipSync(text),
		digest: crc32(text).toString(16),
	};
}
