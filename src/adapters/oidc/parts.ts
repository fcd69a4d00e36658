// The dependencies of the provider.

import type { ApplicationSignIns } from "../../domain/application.ts";
import type { IdentityProvider } from "../../domain/identity-provider.ts";
import type { ActorRecorder } from "../../domain/oauth-actor.ts";
import type { ClientJwks } from "../../domain/oauth-client.ts";
import type { OpenIdRules } from "../../domain/openid-provider.ts";
import type { RefusalRecorder } from "../../domain/refusal.ts";
import type { EventCounter } from "../../domain/statistics.ts";
import type { Db } from "../../domain/stores.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { IpAddress } from "../../kernel/ip.ts";
import type { Log } from "../../kernel/log.ts";

/** A private key as JWK (RFC 7517), with `kid` and `alg`. */
export type PrivateKeyJwk = Readonly<Record<string, string>> & { readonly kid: string; readonly alg: string };

/** The claims of an API token that introspection reads. */
export interface ApiTokenClaims {
	readonly sub: string;
	readonly client_id: string;
	readonly aud: string;
	readonly tenant_id: string;
	readonly auth_time?: number;
	readonly acr?: string;
	readonly amr?: readonly string[];
	/** The client that acts for the user (RFC 8693, section 4.1). */
	readonly act?: { readonly sub: string };
	readonly grant_id?: string;
	/** The support session, if any. */
	readonly sid?: string;
	readonly scope?: string;
	readonly roles?: readonly string[];
	readonly cnf?: object;
}

/** The stores that the provider uses itself. */
export type ProviderDb = Db<
	| "applications"
	| "audit"
	| "directories"
	| "identityProviders"
	| "nonces"
	| "oauthClients"
	| "oauthConsents"
	| "oauthGrants"
	| "oauthRecords"
	| "programs"
	| "sessions"
	| "supportSessions"
	| "tenants"
>;

export interface ProviderParts {
	readonly issuer: string;
	readonly db: ProviderDb;
	readonly clock: Clock;
	readonly log: Log;
	readonly rules: OpenIdRules;
	readonly signIns: ApplicationSignIns;
	/** Cheap: only counts. */
	readonly statistics: EventCounter;
	/** Cheap: only buffers. */
	readonly actors: ActorRecorder;
	/** Cheap: only buffers. */
	readonly refusals: RefusalRecorder;
	/** All verification keys, signing keys first. Returns the same array until they change. */
	keys(): Promise<readonly PrivateKeyJwk[]>;
	readonly seal: (plain: string, context: string) => string;
	readonly open: (sealed: string, context: string) => string;
	/** The stored form of a random value. */
	readonly digest: (value: string) => string;
	readonly sha256Base64url: (text: string) => string;
	/** The stored form of a code that users type. It has little entropy, so the digest is keyed. */
	readonly userCodeDigest: (userCode: string) => string;
	readonly randomToken: () => string;
	/** The only successor of a refresh token. */
	readonly successor: (refreshToken: string) => string;
	/** All claims; undefined unless it is a valid API token. */
	readonly readApiToken: (token: string) => Promise<ApiTokenClaims | undefined>;
	/** Whether the service may call this IP address. */
	readonly isCallable: (ip: IpAddress) => boolean;
	/** Parses a public key of a client; keeps the required members only. */
	readonly readKey: (
		jwk: Readonly<Record<string, unknown>>,
	) => { readonly key: ClientJwks["keys"][number] } | { readonly problem: unknown };
	readonly matchesDigest: (value: string, digests: readonly string[]) => boolean;
}

/** @returns the key that a token names, after one more read if it is unknown; undefined without one. */
export type FindIssuerKey = (
	issuer: Pick<IdentityProvider, "id" | "issuer" | "jwksUri" | "jwks">,
	kid: string | undefined,
) => Promise<ClientJwks["keys"][number] | undefined>;

/** Shared by successive instances of the library. */
export interface LibraryParts extends ProviderParts {
	/** The keys that a client publishes at its `jwks_uri`. */
	readonly publishedKeys: (clientId: string, uri: string) => Promise<ClientJwks>;
	/** Shared by workloads and assertions, so that each key set is read once. */
	readonly findIssuerKey: FindIssuerKey;
	/** The key that replaces a verified token of a workload. */
	readonly workloadKeys: () => Promise<ClientJwks>;
}
