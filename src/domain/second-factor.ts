// The second factors of a user: authenticator apps (TOTP, RFC 6238), recovery codes, and rules for all of them.

/** Maximum age of a sign-in that may change the second factors of an account without a password. */
export const FRESH_SIGN_IN_SECONDS = 300;
/** Describes the field `password` of requests that change how a user signs in. */
export const OWNER_PASSWORD_RULE = `The current password. Absent for an account without one, which must have signed in without \`app_id\` at most ${FRESH_SIGN_IN_SECONDS / 60} minutes before.`;
/** Describes the field `password` where a recent sign-in authenticates any owner. */
export const FRESH_OWNER_RULE = `The current password. May be absent within ${FRESH_SIGN_IN_SECONDS / 60} minutes of a sign-in without \`app_id\`.`;

/** The enrolled factors of a user. Recovery codes are not a factor but replace one. */
export interface EnrolledFactors {
	readonly totp: boolean;
	readonly passkeys: number;
	/** Those of `passkeys` that the owner asked for. An automatic one is no reason to require a second factor. */
	readonly chosenPasskeys: number;
	/** Unused ones. */
	readonly recoveryCodes: number;
}

export function hasFactor({ totp, chosenPasskeys }: EnrolledFactors): boolean {
	return totp || chosenPasskeys > 0;
}

export interface SecondFactorStore {
	findEnrolled(tenantId: string, userId: string): Promise<EnrolledFactors>;
	/** Whether the tenant, or the application if given, requires a second factor. */
	isRequired(tenantId: string, appId: string | null): Promise<boolean>;
	/** Inside a transaction, before a change: serializes changes to one user's factors. */
	lock(tenantId: string, userId: string): Promise<void>;
	/**
	 * Inside the transaction, after a change: updates the user's `mfaEnabled`, and removes the recovery codes when no
	 * factor is left. @returns the factors that are enrolled now.
	 */
	settle(tenantId: string, userId: string): Promise<EnrolledFactors>;
	/** Inside a transaction: removes every factor, pending ones included, and the recovery codes. */
	removeAll(tenantId: string, userId: string): Promise<void>;
	/** Like `removeAll`, for factors enrolled at or after a time. */
	removeSince(tenantId: string, userId: string, fromMs: number): Promise<void>;
}

export const RECOVERY_CODES = 10;
/** At or below this number, the mail about a used code recommends new ones. */
export const RECOVERY_CODES_FEW = 3;

export interface RecoveryCodeStore {
	/** Inside a transaction under `SecondFactorStore.lock`. */
	replaceAll(tenantId: string, userId: string, digests: readonly string[], nowMs: number): Promise<void>;
	/** @returns true for one of concurrent callers. */
	use(tenantId: string, userId: string, digest: string, nowMs: number): Promise<boolean>;
}

/** Lifetime of an enrollment before its first code. */
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
