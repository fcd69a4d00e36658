// What the provider is built from.

import type { ClientJwks } from "../../domain/oauth-client.ts";
import type { OpenIdRules } from "../../domain/openid-provider.ts";
import type { Db } from "../../domain/stores.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { IpAddress } from "../../kernel/ip.ts";
import type { Log } from "../../kernel/log.ts";

/** A private key as JWK (RFC 7517), with `kid` and `alg`. */
export type PrivateKeyJwk = Readonly<Record<string, string>> & { readonly kid: string; readonly alg: string };

/** Those claims of a token for an API that are read here. */
export interface ApiTokenClaims {
	readonly sub: string;
	readonly client_id: string;
	readonly aud: string;
	readonly grant_id?: string;
	readonly roles?: readonly string[];
	readonly cnf?: object;
}

/** The stores that the provider uses itself. */
export type ProviderDb = Db<
	| "audit"
	| "nonces"
	| "oauthClients"
	| "oauthConsents"
	| "oauthGrants"
	| "oauthRecords"
	| "sessions"
	| "tenants"
>;

export interface ProviderParts {
	readonly issuer: string;
	readonly db: ProviderDb;
	readonly clock: Clock;
	readonly log: Log;
	readonly rules: OpenIdRules;
	/** The keys that verify, the ones that sign first. The same array until they change. */
	keys(): Promise<readonly PrivateKeyJwk[]>;
	readonly seal: (plain: string, context: string) => string;
	readonly open: (sealed: string, context: string) => string;
	/** The stored form of a random value. */
	readonly digest: (value: string) => string;
	/** The stored form of a code that people type: it has few bits. */
	readonly userCodeDigest: (userCode: string) => string;
	readonly randomToken: () => string;
	/** The only successor of a refresh token. */
	readonly successor: (refreshToken: string) => string;
	/** All claims; undefined for what is no valid token for an API. */
	readonly readApiToken: (token: string) => Promise<ApiTokenClaims | undefined>;
	/** Whether the service may call an application at this address. */
	readonly isCallable: (ip: IpAddress) => boolean;
	/** A public key of a client, with the members that are needed. */
	readonly readKey: (
		jwk: Readonly<Record<string, unknown>>,
	) => { readonly key: ClientJwks["keys"][number] } | { readonly problem: string };
	readonly matchesDigest: (value: string, digests: readonly string[]) => boolean;
}

/** What outlives an instance of the library. */
export interface LibraryParts extends ProviderParts {
	/** The keys that a client publishes at its `jwks_uri`. */
	readonly publishedKeys: (clientId: string, uri: string) => Promise<ClientJwks>;
}
