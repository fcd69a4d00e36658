// A TOTP authenticator (RFC 6238) as a second factor.

/** Lifetime of an enrolment before its first code. */
export const TOTP_PENDING_SECONDS = 900;

export interface TotpFactor {
	readonly id: string;
	readonly tenantId: string;
	readonly userId: string;
	/** Base32, sealed with `totpContext(id)`. */
	readonly secretSealed: string;
	readonly createdAtMs: number;
}

export function totpContext(id: string): string {
	return `totp:${id}`;
}

export interface TotpStore {
	/** Inside a transaction: replaces a pending factor; an active one remains. */
	putPending(factor: TotpFactor, expiresAtMs: number): Promise<void>;
	findPending(tenantId: string, userId: string, nowMs: number): Promise<TotpFactor | undefined>;
	findActive(tenantId: string, userId: string): Promise<TotpFactor | undefined>;
	/**
	 * Inside a transaction: replaces the active factor by the pending one and marks its first code as used.
	 * @returns false when it is no longer pending: the transaction must roll back.
	 */
	activate(factor: TotpFactor, step: number, nowMs: number): Promise<boolean>;
	/** Marks a code as used. @returns false when it or a later one was already used. */
	useStep(factor: TotpFactor, step: number): Promise<boolean>;
	/** Removes a pending factor too. @returns whether an active one was removed. */
	remove(tenantId: string, userId: string): Promise<boolean>;
	/** Deletes expired pending factors, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}
