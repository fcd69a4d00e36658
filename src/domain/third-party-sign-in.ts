// A user whom a provider has authenticated, and who waits until the page in the same browser finishes the sign-in.

import type { User } from "./user.ts";

/** From the callback to the end of the sign-in. */
export const FINISH_SECONDS = 60;

export interface ThirdPartySignIn {
	/** Digest of the secret of the browser that alone may finish it. A browser has at most one. */
	readonly browserDigest: string;
	readonly tenantId: string;
	/** The authenticated linked account; unlinking it invalidates the sign-in. */
	readonly accountId: string;
	readonly expiresAtMs: number;
}

export interface ThirdPartySignInStore {
	/** Replaces an earlier one of the same browser. */
	put(signIn: ThirdPartySignIn): Promise<void>;
	/** Only while the provider is enabled. Searches all tenants: the secret of a browser is unguessable. */
	find(
		browserDigest: string,
		nowMs: number,
	): Promise<{ readonly accountId: string; readonly provider: string; readonly user: User } | undefined>;
	/** @returns true for exactly one of several concurrent callers, and only while the account is linked and its provider enabled. */
	consume(browserDigest: string, accountId: string, nowMs: number): Promise<boolean>;
	/** Deletes at most `limit` expired ones. */
	purge(nowMs: number, limit: number): Promise<number>;
}
