// The stored Secrets of an API client, and of other secrets: the current one, and the previous one during an overlap.

import { SECOND_MS } from "../kernel/clock.ts";

/** How long the replaced Secret may stay valid, in seconds. */
export const OVERLAP_SECONDS_MAX = 30 * 86_400;
/** How long the replaced Secret stays valid by default when the client itself rotates it, in seconds. */
export const ROTATION_OVERLAP_SECONDS = 86_400;

/** The sealed Secrets of a client; both open with `secretContext(client.id)` as associated data. */
export interface SealedSecrets {
	readonly secretSealed: string | null;
	/** The previous Secret. Valid until `previousSecretExpiresAtMs`; never valid without that time. */
	readonly previousSecretSealed: string | null;
}

export interface NewSecret extends SealedSecrets {
	readonly secretHint: string;
	readonly secretCreatedAtMs: number | null;
	readonly previousSecretExpiresAtMs: number | null;
}

/** A client whose key replaces its Secret: what is stored of the Secret. */
export type EndedSecret = NewSecret & { readonly secretSealed: null; readonly secretHint: "" };

const HINT_CHARACTERS = 4;

/** What a record shows of a secret: the last four characters. */
export function hintOf(secretPlain: string): string {
	return secretPlain.slice(-HINT_CHARACTERS);
}

/** Until when a replaced secret is valid; null if it becomes invalid at once. */
export function overlapEndMs(overlapSeconds: number, nowMs: number): number | null {
	return overlapSeconds === 0 ? null : nowMs + overlapSeconds * SECOND_MS;
}

/** Associated data of a client's sealed Secret. */
export function secretContext(clientId: string): string {
	return `api_client:${clientId}`;
}

/** The sealed Secrets that are valid now, current first: none for an unclaimed client, two during an overlap. A client
 * with a key has only the previous one, during an overlap. */
export function liveSecrets(
	client: SealedSecrets & Pick<NewSecret, "previousSecretExpiresAtMs">,
	nowMs: number,
): string[] {
	const { secretSealed, previousSecretSealed, previousSecretExpiresAtMs } = client;
	const overlaps = previousSecretExpiresAtMs !== null && nowMs < previousSecretExpiresAtMs;
	return [secretSealed, overlaps ? previousSecretSealed : null].filter((sealed) => sealed !== null);
}
