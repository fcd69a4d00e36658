// The port through which identity providers are called.

import type { ProviderKind, SubjectClaim } from "./identity-provider.ts";

/** The parameters of calls to a provider, with its secret in plain text. */
export interface ProviderConnection {
	readonly kind: ProviderKind;
	readonly clientId: string;
	readonly clientSecretPlain: string;
	/** null for the fixed URL of the kind. */
	readonly issuer: string | null;
	/** Default: `sub`. */
	readonly subjectClaim?: SubjectClaim;
}

/** Binds a sign-in to the browser that began it. Stored, and compared when the browser returns. */
export interface ProviderAttempt {
	/** The callback of this service, under `LATCHKEY_PUBLIC_URL`. */
	readonly callbackUrl: string;
	readonly state: string;
	readonly nonce: string;
	/** PKCE (RFC 7636), S256. */
	readonly codeVerifierPlain: string;
}

/** A user as the provider describes them, from a verified response. */
export interface ProviderProfile {
	/** The provider's stable id, never empty. WeChat: the unionid if present, else the openid. */
	readonly subject: string;
	/** Further ids of the same user at the same provider (WeChat's openid in addition to the unionid). */
	readonly otherSubjects: readonly string[];
	/** Unchanged; null when the provider returns none. */
	readonly email: string | null;
	/** True only when the provider says so explicitly. */
	readonly isEmailVerified: boolean;
	/** Whether an OpenID provider says nothing about that, like Entra ID: its word counts in domains verified for it. */
	readonly isEmailUnstated?: boolean;
	readonly username: string | null;
	readonly displayName: string | null;
	readonly avatarUrl: string | null;
	/** For the log: why an optional part, such as UserInfo, was left out. */
	readonly omission?: string;
}

/** Calls external providers, with limits on time, size, and redirects, and only at allowed IP addresses. */
export interface ProviderGateway {
	/**
	 * Reads the discovery document of the issuer now, and checks the endpoints in it unless it names another issuer.
	 *
	 * @returns the issuer that the document names, which is untrusted text; the issuer of `connection` for a kind without
	 * an own document.
	 * @throws ProviderFailure
	 */
	checkIssuer(connection: Pick<ProviderConnection, "kind" | "issuer">): Promise<string | null>;
	/** Reads the keys that sign ID tokens now; nothing for a kind without ID tokens. @throws ProviderFailure */
	checkKeys(connection: Pick<ProviderConnection, "kind" | "issuer">): Promise<void>;
	/** Where to send the browser. @throws ProviderFailure */
	authorizationUrl(connection: ProviderConnection, attempt: ProviderAttempt): Promise<string>;
	/**
	 * Exchanges the parameters of the callback for the user's profile.
	 *
	 * @throws ProviderFailure
	 */
	fetchProfile(
		connection: ProviderConnection,
		attempt: ProviderAttempt,
		parameters: URLSearchParams,
	): Promise<ProviderProfile>;
}

/** Why a sign-in at a provider failed. `denied`: by the user; `misconfigured`: an admin must act. */
export type ProviderFailureReason = "denied" | "invalid_answer" | "unreachable" | "misconfigured";

/** The message is for the log and the admin, and never contains a secret, code, or token. */
export class ProviderFailure extends Error {
	readonly reason: ProviderFailureReason;

	constructor(reason: ProviderFailureReason, message: string, options?: ErrorOptions) {
		super(message, options);
		this.name = "ProviderFailure";
		this.reason = reason;
	}
}
