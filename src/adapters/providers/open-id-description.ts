// What one kind of OpenID provider has of its own.

import type { ProviderConnection, ProviderProfile } from "../../features/third-party/model.ts";
import type { Claims } from "./claims.ts";

export interface OpenIdDescription {
	/** The issuer whose discovery document is read. @throws ProviderFailure `misconfigured` */
	issuer(connection: ProviderConnection): string;
	readonly scope: string;
	/** More parameters of the authorization request. */
	readonly parameters?: Readonly<Record<string, string>>;
	/** The issuer of the document may be another than the one asked for: Microsoft, whose tenants share a document. */
	readonly hasSharedIssuer?: boolean;
	/** Everything of interest is in the ID token. */
	readonly skipsUserinfo?: boolean;
	/** What is presented as the client's secret; the connection's unless given. @throws ProviderFailure `misconfigured` */
	clientSecret?(connection: ProviderConnection, nowMs: number): Promise<string>;
	/**
	 * @param claims checked; `email` and `email_verified` are from one and the same source
	 * @throws ProviderFailure
	 */
	profile(claims: Claims, connection: ProviderConnection, parameters: URLSearchParams): ProviderProfile;
}
