// Finds which Secret of a client made a refused signature, and over which string. For administrators only.

import { alteredSecrets } from "../../../crypto/altered-secret.ts";
import { type HmacKey, verifyHmac, verifyTextSignature } from "../../../crypto/request-signature.ts";
import type { SigningClient } from "../../../domain/signing-client.ts";
import type { ClientMemory } from "./client-memory.ts";

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
