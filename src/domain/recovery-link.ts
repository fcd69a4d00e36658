// Mailed links: to set a new password, restore a former email address, or accept an invitation.

/** The lifetime of a link by its purpose. */
export const LINK_SECONDS = { password_reset: 3_600, email_restore: 7 * 86_400, invite: 7 * 86_400 } as const;
export type LinkPurpose = keyof typeof LINK_SECONDS;

/** A valid link: its user and the address it was mailed to. */
export interface RecoveryLink {
	readonly tenantId: string;
	readonly userId: string;
	/** Lower case. */
	readonly email: string;
	readonly createdAtMs: number;
}

export interface NewRecoveryLink extends Omit<RecoveryLink, "userId"> {
	/** `tokenDigest` of crypto/digest.ts. */
	readonly digest: string;
	/** null for an address without an account: storing an unusable link takes the same work. */
	readonly userId: string | null;
	readonly purpose: LinkPurpose;
	readonly expiresAtMs: number;
}

/** Finds links by digest across all tenants: tokens are unguessable, and the link determines its tenant. */
export interface RecoveryLinkStore {
	/** Inside a transaction. A new password link or invitation replaces earlier ones of the account. */
	put(link: NewRecoveryLink): Promise<void>;
	/** Undefined when unknown, used, replaced, or expired. Does not consume the link. */
	find(digest: string, purpose: LinkPurpose, nowMs: number): Promise<RecoveryLink | undefined>;
	/** Inside a transaction: returns the link to exactly one of several concurrent callers. */
	consume(digest: string, purpose: LinkPurpose, nowMs: number): Promise<RecoveryLink | undefined>;
	/** Deletes an account's links for a purpose, from `fromMs` on if given. */
	endAll(tenantId: string, userId: string, purpose: LinkPurpose, fromMs?: number): Promise<void>;
	/** Deletes at most `limit` expired links. */
	purge(nowMs: number, limit: number): Promise<number>;
}
