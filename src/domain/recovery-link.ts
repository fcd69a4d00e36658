// Mailed links that return an account to its owner, or invite the owner to it.

/** To set a new password, to restore a former email address, or to accept an invitation. */
export type LinkPurpose = "password_reset" | "email_restore" | "invite";

export const RESET_SECONDS = 3_600;
export const RESTORE_SECONDS = 7 * 86_400;
export const INVITE_SECONDS = 7 * 86_400;
/** Lifetime of a link. */
export const LINK_SECONDS: Readonly<Record<LinkPurpose, number>> = {
	password_reset: RESET_SECONDS,
	email_restore: RESTORE_SECONDS,
	invite: INVITE_SECONDS,
};

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
	/** null for an address without an account: the same work for an unusable link. */
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
	/** Inside a transaction: returns the link to one of concurrent callers. */
	consume(digest: string, purpose: LinkPurpose, nowMs: number): Promise<RecoveryLink | undefined>;
	/** Deletes an account's links for a purpose, from `fromMs` on if given. */
	endAll(tenantId: string, userId: string, purpose: LinkPurpose, fromMs?: number): Promise<void>;
	/** Deletes expired ones, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}
