// The stored Secrets of an API client: the current one, and the previous one during an overlap.

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
	readonly secretCreatedAtMs: number;
	readonly previousSecretExpiresAtMs: number | null;
}

/** Associated data of a client's sealed Secret. */
export function secretContext(clientId: string): string {
	return `api_client:${clientId}`;
}

/** The sealed Secrets that are valid now, current first: none for an unclaimed client, two during an overlap. */
export function liveSecrets(
	client: SealedSecrets & Pick<NewSecret, "previousSecretExpiresAtMs">,
	nowMs: number,
): string[] {
	const { secretSealed, previousSecretSealed, previousSecretExpiresAtMs } = client;
	if (secretSealed === null) return [];
	const overlaps = previousSecretExpiresAtMs !== null && nowMs < previousSecretExpiresAtMs;
	return overlaps && previousSecretSealed !== null ? [secretSealed, previousSecretSealed] : [secretSealed];
}
