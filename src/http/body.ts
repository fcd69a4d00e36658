// Parses the raw bytes of a body as JSON.

import sjson from "secure-json-parse";
import { AppError } from "../kernel/error.ts";

/** Maximum size of a body, in bytes. */
export const BODY_LIMIT_BYTES = 65_536;

const JSON_CONTENT_TYPE = /^application\/json\s*(?:;|$)/i;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses a JSON body. `__proto__` and `constructor` keys are dropped like every unknown field. An empty body is
 * `undefined`, for any content type.
 *
 * @throws AppError `request.content_type`, `request.malformed`.
 */
export function parseJsonBody(raw: Buffer, contentType: string | undefined): unknown {
	if (raw.length === 0) return undefined;
	if (contentType === undefined || !JSON_CONTENT_TYPE.test(contentType)) {
		throw new AppError("request.content_type", "content type must be application/json");
	}
	try {
		return sjson.parse(utf8.decode(raw), undefined, { protoAction: "remove", constructorAction: "remove" });
	} catch (cause) {
		throw new AppError("request.malformed", "body must be valid JSON in UTF-8", { cause });
	}
}
