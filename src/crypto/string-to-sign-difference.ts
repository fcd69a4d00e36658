// Finds the first line in which two strings to sign differ, and its probable cause.

import { EMPTY_BODY_SHA256, SCHEMES } from "./request-signature.ts";

/** The content of each of the nine lines. */
export const SIGNED_LINE_NAMES = [
	"scheme",
	"method",
	"request target",
	"X-Tenant-ID",
	"X-App-ID",
	"X-API-Key",
	"X-Timestamp",
	"X-Nonce",
	"SHA-256 of the body",
] as const;

/** The first difference. The side without that line is null. */
export interface SignedDifference {
	/** 1-based. */
	readonly line: number;
	/** `""` for a surplus line. */
	readonly name: string;
	readonly expected: string | null;
	readonly given: string | null;
	/** The probable cause in a few words; `""` when unknown. */
	readonly hint: string;
}

/** `expected` is what the service signs, `given` what the caller signed; undefined when they are equal. */
export function findSignedDifference(expected: string, given: string): SignedDifference | undefined {
	if (expected === given) return undefined;
	const ours = expected.split("\n");
	const theirs = given.split("\n");
	for (let index = 0; index < Math.max(ours.length, theirs.length); index++) {
		const [our, their] = [ours[index] ?? null, theirs[index] ?? null];
		if (our === their) continue;
		const name = SIGNED_LINE_NAMES[index] ?? "";
		return { line: index + 1, name, expected: our, given: their, hint: hintFor(name, our, their) };
	}
	return undefined;
}

function hintFor(name: string, our: string | null, their: string | null): string {
	if (their === null) return "this line and all after it are missing";
	if (our === null) return their === "" ? "no line feed after the last line" : "there are only nine lines";
	if (their === "") return "this line is empty";
	if (their === `${our}\r`) return "lines are joined by LF alone, without CR";
	if (their.trim() === our.trim()) return "spaces around it matter";
	if (SCHEMES.some((scheme) => scheme === their))
		return "a Secret signs V1-HMAC-SHA256, and a key V1-ED25519";
	if (name === "request target") return targetHint(our, their);
	if (name === "SHA-256 of the body") return bodyHint(our, their);
	if (their.toLowerCase() === our.toLowerCase()) return "case matters";
	return "";
}

function targetHint(our: string, their: string): string {
	if (/^https?:\/\//i.test(their)) return "path and query only, without scheme and host";
	if (their.toLowerCase() === our.toLowerCase()) return "case matters";
	if (decoded(their) === decoded(our)) return "percent-encoding must be exactly as on the request line";
	const [ourPath, ourQuery = ""] = parted(our);
	const [theirPath, theirQuery = ""] = parted(their);
	if (ourPath === theirPath && theirQuery === "") return "the query is part of the target";
	if (ourPath === theirPath && sorted(ourQuery) === sorted(theirQuery))
		return "keep the query in the order in which it is sent";
	if (our.endsWith(their)) return "the beginning of the path is missing";
	return "";
}

function bodyHint(our: string, their: string): string {
	if (their === EMPTY_BODY_SHA256) return "this is the digest of an empty body, but the request has one";
	if (our === EMPTY_BODY_SHA256) return "the request has no body; sign the digest of an empty one";
	if (their.toLowerCase() === our) return "hex digits in lower case";
	if (!/^[0-9a-f]{64}$/.test(their)) return "64 hex digits, not the body itself";
	return "the bytes that were signed are not the bytes that were sent; sign after the last change to the body";
}

function parted(target: string): string[] {
	const mark = target.indexOf("?");
	return mark < 0 ? [target] : [target.slice(0, mark), target.slice(mark + 1)];
}

function sorted(query: string): string {
	return query.split("&").toSorted().join("&");
}

function decoded(target: string): string {
	try {
		return decodeURIComponent(target.replaceAll("+", " "));
	} catch {
		return target;
	}
}
