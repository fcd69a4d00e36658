// Links in mails that give an account back to its owner, and what is asked of their store.

/** How long the link to set a new password is good. */
export const RESET_SECONDS = 3_600;
/** How long the owner of an account's former address may take the account back. */
export const RESTORE_SECONDS = 7 * 86_400;

/** What a link is good for: setting a new password, or putting a former e-mail address back. */
export type LinkPurpose = "password_reset" | "email_restore";

/** A live link: whose it is, and the address it was mailed to. */
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
	/** null for an address that has no account: the same work, and a link that opens nothing. */
	readonly userId: string | null;
	readonly purpose: LinkPurpose;
	readonly expiresAtMs: number;
}

/** Links by their digest: unguessable, so no tenant is asked; the link itself names its tenant. */
export interface RecoveryLinkStore {
	/** Inside a transaction. Of password links of one account the newest wins: the others die. */
	put(link: NewRecoveryLink): Promise<void>;
	/** Undefined when it is unknown, used, replaced or expired. Uses nothing up. */
	find(digest: string, purpose: LinkPurpose, nowMs: number): Promise<RecoveryLink | undefined>;
	/** Inside a transaction: uses it up, one caller gets it, however many come at once. */
	consume(digest: string, purpose: LinkPurpose, nowMs: number): Promise<RecoveryLink | undefined>;
	/** Kills an account's links of a purpose made at or after a time; all of them unless told. */
	endAll(tenantId: string, userId: string, purpose: LinkPurpose, fromMs?: number): Promise<void>;
	/** Deletes expired ones, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}
