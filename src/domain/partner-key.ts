// The public keys of an API client that signs with Ed25519 instead of a Secret.

import { isBoolean, isNumber, isText, objectOf, orNull, type Shape } from "../kernel/shape.ts";

/** At most two, so that a client can replace its key without a pause. */
export const PARTNER_KEYS_MAX = 2;

export interface PartnerKey {
	/** Its thumbprint (RFC 7638): the SHA-256 of the key, which reviewers compare. */
	readonly id: string;
	/** The public key in base64url. */
	readonly x: string;
	readonly createdAtMs: number;
	/** When an administrator accepted or added it; null for a key of the partner that was not reviewed. */
	readonly reviewedAtMs: number | null;
	/** Null if no user did: a command, an admin key, or no one yet. */
	readonly reviewedBy: string | null;
	/** It signs nothing until a reviewer accepts it. */
	readonly isHeld: boolean;
	/** How long the Secret remains valid after the key becomes live. */
	readonly overlapSeconds: number;
}

export const isPartnerKey: Shape<PartnerKey> = objectOf<PartnerKey>({
	id: isText,
	x: isText,
	createdAtMs: isNumber,
	reviewedAtMs: orNull(isNumber),
	reviewedBy: orNull(isText),
	isHeld: isBoolean,
	overlapSeconds: isNumber,
});
