// The digest of the body that the signature of a request covers.

import { EMPTY_BODY_SHA256 } from "../../../crypto/request-signature.ts";
import { AppError } from "../../../kernel/error.ts";
import type { AskedCall } from "./asked-call.ts";

const MEMBER = "sha-256=";
/** 32 bytes as a byte sequence (RFC 9651, section 3.3.5): 43 characters, of which the last has two unused bits. */
const SHA_256 = /^:([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=):$/;
/** Methods whose requests usually have no body; the delivered configurations drop it. */
const WITHOUT_BODY = ["GET", "HEAD", "OPTIONS", "DELETE"];

/**
 * Lower-case hex. A middleware has computed it; behind a proxy, the caller declares it in `Content-Digest` (RFC 9530) and
 * the application compares it with the body.
 *
 * @throws AppError `gate.body_unbound`, `gate.request` (malformed `Content-Digest`).
 */
export function signedBodyDigest(call: AskedCall): string {
	const declared = declaredDigest(call.headerValues("content-digest"));
	const { method, isProxied, computedBodySha256: computed } = call;
	if (isProxied) {
		if (declared !== undefined) return declared;
		if (WITHOUT_BODY.includes(method)) return EMPTY_BODY_SHA256;
		throw unbound(
			"a signed request of this method must have a Content-Digest with sha-256, even without a body",
		);
	}
	const digest = computed ?? (method === "GET" || method === "HEAD" ? EMPTY_BODY_SHA256 : undefined);
	if (digest === undefined) throw unbound("body_sha256 is required for a signed request of this method");
	if (declared !== undefined && declared !== digest)
		throw unbound("Content-Digest is not the digest of the body");
	return digest;
}

function unbound(message: string): AppError {
	return new AppError("gate.body_unbound", message);
}

/** Other members of the field are ignored. */
function declaredDigest(lines: readonly string[]): string | undefined {
	const members = lines
		.flatMap((line) => line.split(","))
		.map((member) => member.trim())
		.filter((member) => member.toLowerCase().startsWith(MEMBER));
	const [member, ...others] = members;
	if (member === undefined) return undefined;
	const [value = ""] = member.split(";", 1);
	const [, base64] = SHA_256.exec(value.slice(MEMBER.length)) ?? [];
	if (base64 === undefined || others.length > 0)
		throw new AppError("gate.request", "Content-Digest must have at most one sha-256, of 32 bytes in base64");
	return Buffer.from(base64, "base64").toString("hex");
}
