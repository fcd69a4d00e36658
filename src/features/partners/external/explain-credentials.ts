// Explains to an administrator what the single message of a refused signature hides from callers.

import { alteredSecrets } from "../../../crypto/altered-secret.ts";
import { ed25519PublicKey } from "../../../crypto/client-jwks.ts";
import {
	type HmacKey,
	type Scheme,
	type SignedParts,
	stringToSign,
	verifyEd25519,
	verifyHmac,
	verifyTextSignature,
} from "../../../crypto/request-signature.ts";
import type { ApiClient } from "../../../domain/api-client.ts";
import type { SigningClient } from "../../../domain/signing-client.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { type ClientCache, checkCredentials } from "./credentials.ts";

export interface CredentialsCase {
	readonly client: ApiClient;
	/** The same client as the guard loads it. */
	readonly signing: SigningClient;
	readonly parts: SignedParts;
	readonly signature: string;
	/** Of `string_to_sign`. */
	readonly scheme: Scheme;
	/** The string that the client signed, according to the report. */
	readonly reported: string | undefined;
	readonly nowMs: number;
}

/** Returns one sentence per failed check, then one about the signature. Reveals no Secret and no valid signature. */
export function explainCredentials(cache: ClientCache, reportedCase: CredentialsCase): string[] {
	const { client, signing, parts, signature, nowMs } = reportedCase;
	const checks = checkCredentials(cache, signing, parts, signature, nowMs);
	const problems: string[] = [];
	if (parts.apiKey !== client.apiKey)
		problems.push(`X-API-Key is not the API key of this client, which is ${client.apiKey}`);
	if (!checks.tenantMatches)
		problems.push(`X-Tenant-ID is not the tenant of this client, which is ${client.tenantId}`);
	if (!checks.appMatches)
		problems.push(`X-App-ID is not the application of this client, which is ${client.appId}`);
	if (client.status !== "active") problems.push(`the client is ${client.status}`);
	if (signing.appStatus !== "active")
		problems.push(
			client.mode === "test"
				? "the tenant allows no test clients"
				: `the client's application is ${signing.appStatus}`,
		);
	if (client.expiresAtMs !== null && client.expiresAtMs <= nowMs)
		problems.push(`the client expired at ${isoTime(client.expiresAtMs)}`);
	const explain = reportedCase.scheme === "V1-ED25519" ? explainKeySignature : explainSignature;
	return [...problems, ...explain(cache, reportedCase, checks.signedWith)];
}

function explainSignature(
	cache: ClientCache,
	reportedCase: CredentialsCase,
	verifiedBy: string | undefined,
): string[] {
	const { client, signing, parts, nowMs } = reportedCase;
	const { publicKeys } = client;
	if (signing.secretSealed === null && publicKeys.length === 0)
		return ["the client has no Secret yet: it has not been claimed"];
	const current = `the current Secret, which ends in ${client.secretHint}`;
	const until = client.previousSecretExpiresAtMs;
	if (verifiedBy === signing.secretSealed) return [`X-Signature matches string_to_sign with ${current}`];
	if (verifiedBy !== undefined)
		return [
			`X-Signature matches string_to_sign with the previous Secret, which is valid until ${until === null ? "now" : isoTime(until)}`,
		];
	const expected = stringToSign(parts);
	const match = findMatch(cache, reportedCase, expected);
	if (match !== undefined) return [match];
	if (signing.secretSealed === null)
		return [
			"X-Signature has 64 hex digits, which a Secret creates: the client signs with a key, whose signature has 128",
		];
	const overlaps = until !== null && nowMs < until;
	return [
		overlaps
			? "X-Signature matches string_to_sign with neither the current nor the previous Secret"
			: `X-Signature does not match string_to_sign with ${current}`,
		explainLines(expected, reportedCase.reported),
	];
}

function explainKeySignature(
	_cache: ClientCache,
	{ client, parts, signature, reported }: CredentialsCase,
	verifiedBy: string | undefined,
): string[] {
	const { publicKeys } = client;
	if (publicKeys.length === 0)
		return [
			"X-Signature has 128 hex digits, which a key creates: the client signs with its Secret, and has no key",
		];
	const expected = stringToSign(parts, "V1-ED25519");
	const which = (id: string) => `the key ${id}`;
	if (verifiedBy !== undefined) return [`X-Signature matches string_to_sign with ${which(verifiedBy)}`];
	for (const { id, x, isHeld } of publicKeys) {
		const key = ed25519PublicKey(x);
		const remark = isHeld ? ", which signs nothing until a reviewer accepts it" : "";
		if (verifyEd25519(key, expected, signature))
			return [`X-Signature matches string_to_sign with ${which(id)}${remark}`];
		if (reported !== undefined && verifyEd25519(key, reported, signature, "utf8"))
			return [`X-Signature matches the string that the client signed with ${which(id)}${remark}`];
	}
	const ids = publicKeys.map(({ id }) => which(id)).join(" or ");
	return [
		`X-Signature does not match string_to_sign with ${ids}`,
		explainLines(expected, reported, "private key"),
	];
}

interface Candidate {
	readonly key: HmacKey;
	readonly which: string;
	readonly remark: string;
}

/** A sentence about the matching Secret and string; undefined if no known Secret created the signature. */
function findMatch(
	cache: ClientCache,
	{ signing, reported, signature, nowMs }: CredentialsCase,
	expected: string,
): string | undefined {
	for (const { key, which, remark } of candidates(cache, signing, nowMs)) {
		if (verifyHmac(key, expected, signature))
			return `X-Signature matches string_to_sign with ${which}${remark}`;
		if (reported !== undefined && verifyTextSignature(key, reported, signature))
			return `X-Signature matches the string that the client signed with ${which}${remark}`;
	}
	return undefined;
}

/** What the nine lines show if no known Secret created the signature. */
function explainLines(expected: string, reported: string | undefined, proof = "Secret"): string {
	if (reported === undefined) return "send string_to_sign to learn whether its nine lines are correct";
	return reported === expected
		? `all nine lines of string_to_sign are correct, so the ${proof} is wrong`
		: `string_to_sign is wrong, and so is the ${proof}`;
}

/** Unaltered Secrets come first, so that the simplest explanation wins. */
function candidates(cache: ClientCache, signing: SigningClient, nowMs: number): Candidate[] {
	const { id, secretSealed, previousSecretSealed, previousSecretExpiresAtMs: until } = signing;
	const plain: Candidate[] = [];
	if (secretSealed !== null)
		plain.push({ key: cache.secretKey(id, secretSealed), which: "the current Secret", remark: "" });
	if (previousSecretSealed !== null) {
		const isLive = until !== null && nowMs < until;
		const remark = isLive ? "" : ", which is no longer valid";
		plain.push({ key: cache.secretKey(id, previousSecretSealed), which: "the previous Secret", remark });
	}
	const altered = plain.flatMap(({ key, which, remark }) =>
		alteredSecrets(key).map(({ key, how }) => ({ key, which: `${which} ${how}`, remark })),
	);
	return [...plain, ...altered];
}
