// A signed request as an administrator reports it, and as the steps of the guard read it.

import { sha256Hex } from "../../../crypto/digest.ts";
import { EMPTY_BODY_SHA256, type SignedParts } from "../../../crypto/request-signature.ts";
import type { SignedMessage } from "./signed-steps.ts";

/** A request as it was sent, according to the report. */
export interface ReportedRequest {
	readonly method: string;
	readonly target: string;
	readonly scheme: "http" | "https";
	/** Undefined: unknown, so the allowlist is not checked. */
	readonly ip: string | undefined;
	readonly headers: readonly (readonly [name: string, value: string])[];
	/** Undefined if only its digest is known. */
	readonly body: Buffer | undefined;
	/** Lower-case hex; used if there is no `body`. */
	readonly bodySha256: string | undefined;
	/** When it was received; undefined means now. */
	readonly receivedAtMs: number | undefined;
	/** The string the client signed. */
	readonly stringToSign: string | undefined;
}

/** The digest of an empty body if neither body nor digest is known. */
export function bodyDigest({ body, bodySha256 }: ReportedRequest): string {
	return body === undefined ? (bodySha256 ?? EMPTY_BODY_SHA256) : sha256Hex(body);
}

/** The request as the service would read it: header names in any case, values trimmed. */
export function messageOf({ method, target, scheme, ip, headers, body }: ReportedRequest): SignedMessage {
	const trimmed = headers.map(([name, value]) => [name.toLowerCase(), trimBlanks(value)]);
	const headerValues = (name: string): string[] =>
		trimmed.flatMap(([candidate, value]) => (candidate === name && value !== undefined ? [value] : []));
	const length = body === undefined || body.length === 0 ? undefined : String(body.length);
	return {
		method,
		target,
		scheme,
		ip: ip ?? "",
		headers: {
			"transfer-encoding": headerValues("transfer-encoding")[0],
			"content-length": headerValues("content-length")[0] ?? length,
		},
		headerValues,
	};
}

/** With an empty text for a missing header. */
export function partsOf(message: SignedMessage, bodySha256: string): SignedParts {
	const first = (name: string): string => message.headerValues(name)[0] ?? "";
	return {
		method: message.method,
		target: message.target,
		tenantId: first("x-tenant-id"),
		appId: first("x-app-id"),
		apiKey: first("x-api-key"),
		timestamp: first("x-timestamp"),
		nonce: first("x-nonce"),
		bodySha256,
	};
}

/** Trims spaces and tabs (RFC 9110, section 5.5) in linear time. */
function trimBlanks(value: string): string {
	let [start, end] = [0, value.length];
	while (start < end && isBlank(value[start])) start++;
	while (end > start && isBlank(value[end - 1])) end--;
	return value.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
	return character === " " || character === "\t";
}
