// The client interface for a kind of provider, and the description of a kind that uses OpenID Connect.

import type { ProviderAttempt, ProviderConnection, ProviderProfile } from "../../domain/provider-gateway.ts";
import type { ProviderCalls } from "./bounded-fetch.ts";
import type { Claims } from "./claims.ts";

/** What a discovery document depends on. */
export type Issued = Pick<ProviderConnection, "kind" | "issuer">;

/** All methods may throw errors of the libraries, which the gateway converts to `ProviderFailure`. */
export interface ProviderClient {
	/** Absent if no document names the issuer of this kind. */
	checkIssuer?(calls: ProviderCalls, connection: Issued): Promise<string>;
	/** Absent without ID tokens. */
	checkKeys?(calls: ProviderCalls, connection: Issued): Promise<void>;
	authorizationUrl(
		calls: ProviderCalls,
		connection: ProviderConnection,
		attempt: ProviderAttempt,
	): Promise<string>;
	fetchProfile(
		calls: ProviderCalls,
		connection: ProviderConnection,
		attempt: ProviderAttempt,
		parameters: URLSearchParams,
	): Promise<ProviderProfile>;
}

export interface OpenIdDescription {
	/** The issuer whose discovery document is read. @throws ProviderFailure `misconfigured`. */
	issuer(connection: Issued): string;
	readonly scope: string;
	/** Additional parameters of the authorization request. */
	readonly parameters?: Readonly<Record<string, string>>;
	/** The document may contain another issuer than the requested one: Microsoft's tenants share a document. */
	readonly hasSharedIssuer?: boolean;
	/** The ID token contains all required claims. */
	readonly skipsUserinfo?: boolean;
	/** The client's secret to send; by default the connection's. @throws ProviderFailure `misconfigured`. */
	clientSecret?(connection: ProviderConnection, nowMs: number): Promise<string>;
	/**
	 * @param claims verified; `email` and `email_verified` are from the same source.
	 * @throws ProviderFailure
	 */
	profile(claims: Claims, connection: ProviderConnection, parameters: URLSearchParams): ProviderProfile;
}
