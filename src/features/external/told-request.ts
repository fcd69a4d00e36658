// A signed request that did not arrive but is told of: as somebody says it was sent, and as the steps read it.

import { sha256Hex } from "../../crypto/digest.ts";
import { EMPTY_BODY_SHA256, type SignedParts } from "../../crypto/request-signature.ts";
import type { SignedMessage } from "./signed-steps.ts";

/** A request as somebody says it was sent. */
export interface ToldRequest {
	readonly method: string;
	readonly target: string;
	readonly scheme: "http" | "https";
	/** Undefined: not known, and so the allowlist is not checked. */
	readonly ip: string | undefined;
	readonly headers: readonly (readonly [name: string, value: string])[];
	/** Undefined when only its digest is known. */
	readonly body: Buffer | undefined;
	/** Lower-case hex; counts when there is no `body`. */
	readonly bodySha256: string | undefined;
	/** When it came; now unless told. */
	readonly receivedAtMs: number | undefined;
	/** What its sender signed. */
	readonly stringToSign: string | undefined;
}

/** Of no bytes where nothing is known of a body. */
export function bodyDigest({ body, bodySha256 }: ToldRequest): string {
	return body === undefined ? (bodySha256 ?? EMPTY_BODY_SHA256) : sha256Hex(body);
}

/** As the service would have seen it: names in any case, spaces around a value are not part of it. */
export function messageOf({ method, target, scheme, ip, headers, body }: ToldRequest): SignedMessage {
	const sent = headers.map(([name, value]) => [name.toLowerCase(), value.replace(/^[ \t]+|[ \t]+$/g, "")]);
	const headerValues = (name: string): string[] =>
		sent.flatMap(([candidate, value]) => (candidate === name && value !== undefined ? [value] : []));
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

/** With an empty line for a header that was not sent. */
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
