// Explains to an administrator what the single message of a refused signature hides from callers.

import { alteredSecrets } from "../../../crypto/altered-secret.ts";
import {
	type HmacKey,
	type SignedParts,
	stringToSign,
	verifyHmac,
	verifyTextSignature,
} from "../../../crypto/request-signature.ts";
import type { ApiClient } from "../../../domain/api-client.ts";
import type { SigningClient } from "../../../domain/signing-client.ts";
import { isoTime } from "../../../kernel/clock.ts";
import type { ClientMemory } from "./credentials.ts";
import { checkCredentials } from "./credentials.ts";

export interface CredentialsCase {
	readonly client: ApiClient;
	/** The same client as the guard loads it. */
	readonly signing: SigningClient;
	readonly parts: SignedParts;
	readonly signature: string;
	/** The string the client signed, according to the report. */
	readonly reported: string | undefined;
	readonly nowMs: number;
}

/** One sentence per failed check, then one about the signature. Reveals no Secret and no valid signature. */
export function explainCredentials(
	memory: ClientMemory,
	{ client, signing, parts, signature, reported, nowMs }: CredentialsCase,
): string[] {
	const checks = checkCredentials(memory, signing, parts, signature, nowMs);
	const problems: string[] = [];
	if (parts.apiKey !== client.apiKey)
		problems.push(`X-API-Key is not this client's, which is ${client.apiKey}`);
	if (!checks.isTenantRight) problems.push(`X-Tenant-ID is not this client's, which is ${client.tenantId}`);
	if (!checks.isAppRight) problems.push(`X-App-ID is not this client's, which is ${client.appId}`);
	if (client.status !== "active") problems.push(`the client is ${client.status}`);
	if (signing.appStatus !== "active") problems.push(`the client's application is ${signing.appStatus}`);
	if (client.expiresAtMs !== null && client.expiresAtMs <= nowMs)
		problems.push(`the client expired at ${isoTime(client.expiresAtMs)}`);
	return [
		...problems,
		...aboutSignature(memory, { client, signing, parts, signature, reported, nowMs }, checks.secretSealed),
	];
}

function aboutSignature(
	memory: ClientMemory,
	{ client, signing, parts, signature, reported, nowMs }: CredentialsCase,
	verifiedBy: string | undefined,
): string[] {
	if (signing.secretSealed === null) return ["the client has no Secret yet: it was not claimed"];
	const current = `the current Secret, which ends in ${client.secretHint}`;
	const until = client.previousSecretExpiresAtMs;
	if (verifiedBy === signing.secretSealed) return [`X-Signature is that of string_to_sign with ${current}`];
	if (verifiedBy !== undefined)
		return [
			`X-Signature is that of string_to_sign with the previous Secret, which counts until ${until === null ? "now" : isoTime(until)}`,
		];
	const refused = { expected: stringToSign(parts), reported, signature };
	const known = explainSecret(memory, signing, refused, nowMs);
	if (known !== undefined) return [known];
	const overlaps = until !== null && nowMs < until;
	return [
		overlaps
			? "X-Signature is that of string_to_sign neither with the current Secret nor with the previous one"
			: `X-Signature is not that of string_to_sign with ${current}`,
		explainLines(refused),
	];
}

export interface RefusedSignature {
	/** The string the service signs, one character per byte. */
	readonly expected: string;
	/** The string the client signed, according to the report. */
	readonly reported: string | undefined;
	readonly signature: string;
}

interface Candidate {
	readonly key: HmacKey;
	readonly which: string;
	readonly remark: string;
}

/** A sentence about the matching Secret and string; undefined if no known Secret made the signature. */
export function explainSecret(
	memory: ClientMemory,
	signing: SigningClient,
	refused: RefusedSignature,
	nowMs: number,
): string | undefined {
	for (const { key, which, remark } of candidates(memory, signing, nowMs)) {
		if (verifyHmac(key, refused.expected, refused.signature))
			return `X-Signature is that of string_to_sign with ${which}${remark}`;
		if (refused.reported !== undefined && verifyTextSignature(key, refused.reported, refused.signature))
			return `X-Signature is that of the string the client signed with ${which}${remark}`;
	}
	return undefined;
}

/** What the nine lines show if no known Secret made the signature. */
export function explainLines({ expected, reported }: RefusedSignature): string {
	if (reported === undefined) return "send string_to_sign to learn whether its nine lines are right";
	return reported === expected
		? "string_to_sign is right in all nine lines, so the Secret is wrong"
		: "string_to_sign is wrong, and the Secret is too";
}

/** Unaltered Secrets first, so that the simplest explanation is found first. */
function candidates(memory: ClientMemory, signing: SigningClient, nowMs: number): Candidate[] {
	const { id, secretSealed, previousSecretSealed, previousSecretExpiresAtMs: until } = signing;
	const plain: Candidate[] = [];
	if (secretSealed !== null)
		plain.push({ key: memory.secretKey(id, secretSealed), which: "the current Secret", remark: "" });
	if (previousSecretSealed !== null) {
		const isLive = until !== null && nowMs < until;
		const remark = isLive ? "" : ", which no longer counts";
		plain.push({ key: memory.secretKey(id, previousSecretSealed), which: "the previous Secret", remark });
	}
	const altered = plain.flatMap(({ key, which, remark }) =>
		alteredSecrets(key).map(({ key, how }) => ({ key, which: `${which} ${how}`, remark })),
	);
	return [...plain, ...altered];
}
