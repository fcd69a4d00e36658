// Converts a signed request that an administrator reports into the form that the steps of the guard read.

import { sha256Hex } from "../../../crypto/digest.ts";
import { EMPTY_BODY_SHA256, type SignedParts } from "../../../crypto/request-signature.ts";
import type { SignedMessage } from "./signed-steps.ts";

/** A request as the administrator says it was sent. */
export interface ReportedRequest {
	readonly method: string;
	readonly target: string;
	readonly scheme: "http" | "https";
	/** Undefined if unknown; the allowlist is then not checked. */
	readonly ip: string | undefined;
	readonly headers: readonly (readonly [name: string, value: string])[];
	/** Undefined if only its digest is known. */
	readonly body: Buffer | undefined;
	/** Lower-case hex, used without `body`. */
	readonly bodySha256: string | undefined;
	/** The time of receipt; undefined means now. */
	readonly receivedAtMs: number | undefined;
	/** The string that the client signed. */
	readonly stringToSign: string | undefined;
}

/** Assumes an empty body if neither the body nor its digest is known. */
export function bodyDigest({ body, bodySha256 }: ReportedRequest): string {
	return body === undefined ? (bodySha256 ?? EMPTY_BODY_SHA256) : sha256Hex(body);
}

/** Reads the request like the HTTP server: header names in any case, values trimmed. */
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

/** A missing header becomes `""`. */
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

/** Trims spaces and tabs in linear time (RFC 9110, section 5.5). */
function trimBlanks(value: string): string {
	let [start, end] = [0, value.length];
	while (start < end && isBlank(value[start])) start++;
	while (end > start && isBlank(value[end - 1])) end--;
	return value.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
	return character === " " || character === "\t";
}
