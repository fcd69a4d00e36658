// A third-party sign-in in progress, from its start to the provider's callback.

/** From start to callback. */
export const ATTEMPT_SECONDS = 600;

/** Why the browser returns to the application with `?error=` instead of a ticket. See `docs/third-party-login.md`. */
export const CALLBACK_ERRORS = [
	"access_denied",
	"provider_error",
	"account_exists",
	"sign_up_not_allowed",
	"account_disabled",
	"no_access",
	"link_taken",
	"session_ended",
] as const;
export type CallbackError = (typeof CALLBACK_ERRORS)[number];

export interface ThirdPartyAttempt {
	readonly id: string;
	readonly tenantId: string;
	readonly providerId: string;
	readonly appId: string | null;
	/** Registered when the attempt started. */
	readonly redirectUri: string;
	/** Binds the ticket to the application that started (RFC 7636, S256), or `""`. */
	readonly codeChallenge: string;
	/** Set to link the account to a signed-in user instead of signing in. */
	readonly linkTo: { readonly userId: string; readonly sessionId: string } | null;
	readonly expiresAtMs: number;
}

/** Digests of the token in the authorization URL, and of the browser's secret if it is known. */
export interface NewThirdPartyAttempt extends ThirdPartyAttempt {
	readonly beginDigest: string;
	readonly browserDigest: string | null;
}

/** Binds an attempt to one browser and one visit to the provider. */
export interface AttemptBinding {
	readonly browserDigest: string;
	readonly stateDigest: string;
	/** Nonce and PKCE verifier, sealed with `attemptContext(id)`. */
	readonly protocolSealed: string;
}

/** Associated data of an attempt's sealed nonce and verifier. */
export function attemptContext(attemptId: string): string {
	return `third_party_attempt:${attemptId}`;
}

export interface ThirdPartyAttemptStore {
	insert(attempt: NewThirdPartyAttempt): Promise<void>;
	/** Searches all tenants: the token is unguessable. */
	findBegun(
		beginDigest: string,
		nowMs: number,
	): Promise<(ThirdPartyAttempt & { readonly browserDigest: string | null }) | undefined>;
	/**
	 * A second visit of the same browser replaces the binding. `fromAny` also replaces that of another browser.
	 * @returns false when the attempt has ended, or is bound to another browser.
	 */
	bind(id: string, binding: AttemptBinding, fromAny: boolean, nowMs: number): Promise<boolean>;
	/** Inside a transaction: removes and returns it, for one caller and only for the bound browser. */
	take(
		stateDigest: string,
		browserDigest: string,
		nowMs: number,
	): Promise<(ThirdPartyAttempt & { readonly protocolSealed: string }) | undefined>;
	/** For an attempt whose provider is unavailable. */
	remove(id: string): Promise<boolean>;
	/** Deletes expired ones, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}
