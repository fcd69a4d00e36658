// Reads the raw bytes of a body, and parses them as JSON.

import type { IncomingMessage } from "node:http";
import sjson from "secure-json-parse";
import { AppError, type ErrorCode } from "../../kernel/error.ts";
import type { Incoming } from "./incoming.ts";

/** Maximum size of a body, in bytes. */
export const BODY_LIMIT_BYTES = 65_536;

/**
 * How much of a body above the limit is read, and for how long, before it is refused: closing a connection while the client
 * or a proxy still sends resets it, and the response may be lost.
 */
const DISCARDED_MAX_BYTES = 1_048_576;
const DISCARD_MS = 500;

const JSON_CONTENT_TYPE = /^application\/json\s*(?:;|$)/i;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Their body, if any, is discarded. */
const BODILESS_METHODS: readonly string[] = ["GET", "HEAD", "TRACE"];

/** Whether the message may have a body that the service reads. */
export function hasBody({ method = "", headers }: IncomingMessage): boolean {
	if (BODILESS_METHODS.includes(method)) return false;
	return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

/**
 * Reads a body of at most `limitBytes`; never holds more.
 *
 * @throws AppError `request.too_large`, also if a body that announces its length does not arrive; `request.malformed` if
 * the client disconnects before the end.
 */
export function readBody(message: IncomingMessage, limitBytes = BODY_LIMIT_BYTES): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		// More of the body may still arrive.
		const refuse = (code: ErrorCode, text: string) => (): void =>
			reject(new AppError(code, text, { headers: { connection: "close" } }));
		const refuseLength = refuse("request.too_large", `body must be at most ${limitBytes} bytes`);
		const refuseAborted = refuse("request.malformed", "the request is malformed");
		if (message.destroyed) return refuseAborted();
		const discardedMax = Math.max(limitBytes, DISCARDED_MAX_BYTES);
		const announced = Number(message.headers["content-length"]);
		if (announced > discardedMax) return refuseLength();
		const chunks: Buffer[] = [];
		let length = 0;
		let patience: NodeJS.Timeout | undefined;
		const isTooLarge = () => announced > limitBytes || length > limitBytes;
		if (isTooLarge()) patience = setTimeout(refuseLength, DISCARD_MS);
		message
			.on("data", (chunk: Buffer) => {
				length += chunk.length;
				if (!isTooLarge()) chunks.push(chunk);
				else if (length > discardedMax) refuseLength();
				else {
					chunks.length = 0;
					patience ??= setTimeout(refuseLength, DISCARD_MS);
				}
			})
			.on("end", () => (isTooLarge() ? refuseLength() : resolve(Buffer.concat(chunks, length))))
			.on("error", refuseAborted)
			.on("close", () => clearTimeout(patience));
	});
}

/** @throws AppError `request.content_encoding` for a compressed body, which would escape the limit of its size. */
export function checkEncoding({ rawBody, contentEncoding }: Incoming): void {
	if (rawBody.length === 0 || /^(?:identity)?$/i.test(contentEncoding)) return;
	const message = "header Content-Encoding must be absent: send the body without compression";
	throw new AppError("request.content_encoding", message, { headers: { "accept-encoding": "identity" } });
}

/**
 * Parses a JSON body. `__proto__` and `constructor` keys are dropped like every unknown field. An empty body is
 * `undefined`, for any content type.
 *
 * @param accepted the content types of JSON
 * @throws AppError `request.content_type`, `request.malformed`.
 */
export function parseJsonBody(
	raw: Buffer,
	contentType: string | undefined,
	accepted = JSON_CONTENT_TYPE,
): unknown {
	if (raw.length === 0) return undefined;
	if (contentType === undefined || !accepted.test(contentType)) {
		throw new AppError("request.content_type", "content type must be application/json");
	}
	try {
		return sjson.parse(utf8.decode(raw), undefined, { protoAction: "remove", constructorAction: "remove" });
	} catch (cause) {
		throw new AppError("request.malformed", "body must be valid JSON in UTF-8", { cause });
	}
}
