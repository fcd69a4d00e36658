// A third-party sign-in in progress, from its start to the provider's callback.

/** From start to callback. */
export const ATTEMPT_SECONDS = 600;

/** Why the browser returns to the page with `#error=`. See `docs/third-party-login.md`. */
export const CALLBACK_ERRORS = [
	"access_denied",
	"provider_error",
	"account_exists",
	"sign_up_not_allowed",
	"sign_in_enforced",
	"account_disabled",
	"link_taken",
	"session_ended",
] as const;
export type CallbackError = (typeof CALLBACK_ERRORS)[number];

export interface ThirdPartyAttempt {
	readonly id: string;
	readonly tenantId: string;
	readonly providerId: string;
	/** A path of the service's own pages, with any query. */
	readonly returnTo: string;
	/** Set to link the account to a signed-in user instead of signing in. */
	readonly linkTo: { readonly userId: string; readonly sessionId: string } | null;
	/** A trial: it creates no session, account, or link. */
	readonly isTest: boolean;
	/** Nonce and PKCE verifier, sealed with `attemptContext(id)`. */
	readonly protocolSealed: string;
	readonly expiresAtMs: number;
}

/** Digests of the `state`, and of the secret of the browser that began. */
export interface NewThirdPartyAttempt extends ThirdPartyAttempt {
	readonly stateDigest: string;
	readonly browserDigest: string;
}

/** Associated data of an attempt's sealed nonce and verifier. */
export function attemptContext(attemptId: string): string {
	return `third_party_attempt:${attemptId}`;
}

export interface ThirdPartyAttemptStore {
	insert(attempt: NewThirdPartyAttempt): Promise<void>;
	/**
	 * Inside a transaction: removes and returns it, for one caller and only for the browser that began. Searches all
	 * tenants: the state is unguessable.
	 */
	take(stateDigest: string, browserDigest: string, nowMs: number): Promise<ThirdPartyAttempt | undefined>;
	/** Deletes expired ones, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}
