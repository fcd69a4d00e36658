// All second factors of a user.

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
	/** Unused ones. */
	readonly recoveryCodes: number;
}

export function hasFactor({ totp, passkeys }: EnrolledFactors): boolean {
	return totp || passkeys > 0;
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
