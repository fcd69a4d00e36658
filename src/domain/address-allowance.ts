// Limits per client IP address, across all tenants and nodes.

/** `mail`: requests that cause mail. `password`: wrong passwords and codes at sign-in. */
export type AllowanceKind = "mail" | "password";

/** `count` may be taken at once; one is restored every `windowMs / count`. */
export interface Allowance {
	readonly kind: AllowanceKind;
	/** At least 1. */
	readonly count: number;
	readonly windowMs: number;
}

/** `key` is the `rateLimitKey` of the address. */
export interface AddressAllowanceStore {
	/**
	 * Takes one in one statement, if any are left.
	 *
	 * @returns undefined, or when the next one is restored.
	 */
	take(allowance: Allowance, key: string, nowMs: number): Promise<number | undefined>;
	/** Returns one that was taken but not used. */
	giveBack(allowance: Allowance, key: string): Promise<void>;
	/** Deletes fully restored allowances, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}
