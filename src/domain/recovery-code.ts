// Recovery codes: single-use replacements for a second factor.

export const RECOVERY_CODES = 10;
/** At or below this number, the mail about a used code recommends new ones. */
export const RECOVERY_CODES_FEW = 3;

export interface RecoveryCodeStore {
	/** Inside a transaction under `SecondFactorStore.lock`. */
	replaceAll(tenantId: string, userId: string, digests: readonly string[], nowMs: number): Promise<void>;
	/** @returns true for one of concurrent callers. */
	use(tenantId: string, userId: string, digest: string, nowMs: number): Promise<boolean>;
}
