// The properties of one kind of OpenID provider.

import type { ProviderConnection, ProviderProfile } from "../../domain/provider-gateway.ts";
import type { Claims } from "./claims.ts";

export interface OpenIdDescription {
	/** The issuer whose discovery document is read. @throws ProviderFailure `misconfigured`. */
	issuer(connection: ProviderConnection): string;
	readonly scope: string;
	/** Additional parameters of the authorization request. */
	readonly parameters?: Readonly<Record<string, string>>;
	/** The document may name another issuer than the requested one: Microsoft's tenants share a document. */
	readonly hasSharedIssuer?: boolean;
	/** The ID token holds all required claims. */
	readonly skipsUserinfo?: boolean;
	/** The client's secret to send; by default the connection's. @throws ProviderFailure `misconfigured`. */
	clientSecret?(connection: ProviderConnection, nowMs: number): Promise<string>;
	/**
	 * @param claims verified; `email` and `email_verified` are from the same source.
	 * @throws ProviderFailure
	 */
	profile(claims: Claims, connection: ProviderConnection, parameters: URLSearchParams): ProviderProfile;
}
