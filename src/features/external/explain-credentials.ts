// What the one message of a refused signature hides from callers, in words for an administrator of the client.

import { type SignedParts, verifySignature } from "../../crypto/request-signature.ts";
import { isoTime } from "../../kernel/clock.ts";
import type { ApiClient } from "../api-clients/model.ts";
import type { ClientMemory } from "./client-memory.ts";
import { judgeCredentials } from "./credentials.ts";
import type { SigningClient } from "./model.ts";

export interface CredentialsCase {
	readonly client: ApiClient;
	readonly own: SigningClient;
	readonly parts: SignedParts;
	readonly signature: string;
	readonly nowMs: number;
}

/** One sentence for each thing that is wrong, and one about the signature. Never a Secret, never a signature. */
export function explainCredentials(
	memory: ClientMemory,
	{ client, own, parts, signature, nowMs }: CredentialsCase,
): string[] {
	const verdict = judgeCredentials(memory, own, parts, signature, nowMs);
	const wrong: string[] = [];
	if (parts.apiKey !== client.apiKey) wrong.push(`X-API-Key is not this client's, which is ${client.apiKey}`);
	if (!verdict.isTenantRight) wrong.push(`X-Tenant-ID is not this client's, which is ${client.tenantId}`);
	if (!verdict.isAppRight) wrong.push(`X-App-ID is not this client's, which is ${client.appId}`);
	if (client.status !== "active") wrong.push(`the client is ${client.status}`);
	if (client.expiresAtMs !== null && client.expiresAtMs <= nowMs)
		wrong.push(`the client expired at ${isoTime(client.expiresAtMs)}`);
	const isDead = verdict.secretSealed === undefined && isOfDeadSecret(memory, own, parts, signature);
	return [...wrong, isDead ? DEAD : aboutSignature(client, own, verdict.secretSealed, nowMs)];
}

const DEAD = "X-Signature is that of string_to_sign with the previous Secret, which no longer counts";

/** Of a Secret whose overlap is over: the usual end of a rotation that one of several systems missed. */
function isOfDeadSecret(
	memory: ClientMemory,
	{ id, previousSecretSealed }: SigningClient,
	parts: SignedParts,
	signature: string,
): boolean {
	return (
		previousSecretSealed !== null &&
		verifySignature(memory.secretKey(id, previousSecretSealed), parts, signature)
	);
}

function aboutSignature(
	client: ApiClient,
	own: SigningClient,
	provedBy: string | undefined,
	nowMs: number,
): string {
	if (own.secretSealed === null) return "the client has no Secret yet: it was not claimed";
	if (provedBy === own.secretSealed)
		return `X-Signature is that of string_to_sign with the current Secret, which ends in ${client.secretHint}`;
	const until = client.previousSecretExpiresAtMs;
	const overlaps = until !== null && nowMs < until;
	if (provedBy !== undefined)
		return `X-Signature is that of string_to_sign with the previous Secret, which counts until ${until === null ? "now" : isoTime(until)}`;
	return overlaps
		? "X-Signature is that of string_to_sign neither with the current Secret nor with the previous one"
		: `X-Signature is not that of string_to_sign with the current Secret, which ends in ${client.secretHint}`;
}
