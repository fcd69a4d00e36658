// The port of the OpenID provider: its endpoints, sign-ins under way, and the rules that it calls.

import type { AppError } from "../kernel/error.ts";
import type { Origin } from "../kernel/origin.ts";
import type { AssertedUser } from "./assertion.ts";
import type { DeviceRequest } from "./device-code.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import type { IdTokenAlg, PresentedOAuthClient } from "./oauth-client.ts";
import type { RequestedConsent, RequestedScopes } from "./oauth-consent.ts";
import type { OAuthGrant, OAuthRecord } from "./oauth-record.ts";
import type { AskedProgram } from "./program-request.ts";
import type { Session } from "./session.ts";
import type { Stores } from "./stores.ts";
import type { User } from "./user.ts";

/**
 * The `acr` of a sign-in with two factors (OpenID Provider Authentication Policy Extension 1.0, section 4). Others have
 * none.
 */
export const MULTI_FACTOR_ACR = "http://schemas.openid.net/pape/policies/2007/06/multi-factor";

/** The cookie that binds a sign-in in progress to the browser that began it. */
export const RESUME_COOKIE = "latchkey_resume";

export interface ProviderRequest {
	readonly method: string;
	/** Path and query as sent. */
	readonly target: string;
	/** Lower case; excludes `Host` and headers that proxies add. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Buffer;
	/** The user's own session, from the cookie of the browser. */
	readonly session: Session | undefined;
	/** Value of `RESUME_COOKIE`. */
	readonly resume: string | undefined;
	readonly origin: Origin;
	/** Called once a client is authenticated, before any other work for it; its error becomes the response. */
	countClient(clientId: string): Promise<void>;
}

export interface ProviderResponse {
	readonly status: number;
	readonly headers: Readonly<Record<string, string | readonly string[]>>;
	readonly body: string;
	/** RFC 6749, section 5.2, when the request was refused without a redirect. */
	readonly refusal:
		| {
				readonly error: string;
				readonly description: string;
				/** Of the page. Default: the name of the status. */
				readonly title?: string;
				/** For the page: what was sent, and how to correct it. */
				readonly advice?: readonly string[];
				/** For the page: where to correct it. */
				readonly action?: { readonly label: string; readonly href: string };
		  }
		| undefined;
	/** A form that the browser posts to the application (OAuth 2.0 Form Post Response Mode). */
	readonly form?:
		| { readonly action: string; readonly fields: readonly (readonly [name: string, value: string])[] }
		| undefined;
	/** The authenticated client, for the log. */
	readonly clientId: string | undefined;
}

/** A sign-in under way that needs the user: what the application requested. */
export interface OAuthInteraction {
	readonly id: string;
	readonly prompt: "login" | "consent";
	readonly clientId: string;
	readonly asked: RequestedScopes;
	/** Where the code goes. */
	readonly redirectUri: string;
	readonly loginHint: string;
	readonly uiLocales: readonly string[];
	/** Whether the user chooses between the account of the session and another one. */
	readonly selectsAccount: boolean;
	/** A sign-in before `createdAtMs` does not suffice. */
	readonly mustSignInAgain: boolean;
	/** The application requests a sign-in with a second factor. */
	readonly requestsSecondFactor: boolean;
	readonly createdAtMs: number;
}

export type InteractionResult =
	| { readonly action: "sign-in" | "consent"; readonly session: Session }
	| { readonly action: "deny" };

const LOCALES_MAX = 20;
const LOCALE = /^[A-Za-z0-9-]{1,35}$/;

/** `ui_locales` as sent: the languages that an application prefers for the pages, in order. */
export function uiLocalesOf(value: unknown): readonly string[] {
	if (typeof value !== "string") return [];
	return value
		.split(" ")
		.filter((tag) => LOCALE.test(tag))
		.slice(0, LOCALES_MAX);
}

/** The sign-in that an ID token of this service describes, even if the token has expired. */
export interface IdTokenHint {
	readonly clientId: string;
	/** Undefined if the signing key was removed, because the token can then no longer be verified. */
	readonly proved:
		| { readonly userId: string; readonly sessionId: string; readonly expiresAtMs: number }
		| undefined;
}

/** A sign-out that an application requested and the user has to confirm. */
export interface RequestedSignOut {
	readonly clientId: string | null;
	/** The redirect target: registered, with `state`. */
	readonly redirectTo: string | null;
	/** The user whose session should end, as the application sent it: username, email address, or `sub`. */
	readonly logoutHint: string;
	readonly uiLocales: readonly string[];
}

export interface DeviceApproval {
	readonly session: Session;
	readonly client: PresentedOAuthClient;
	readonly consent: RequestedConsent;
	/** Inside the transaction: saves the consent, writes the grant with `issue`, then records both. */
	record(stores: Stores<"oauthConsents" | "audit">, issue: () => Promise<void>): Promise<void>;
}

export interface OpenIdProvider {
	/** Whether any tenant has a client: without one, the endpoints except discovery do not exist. */
	isUsed(): Promise<boolean>;
	respond(request: ProviderRequest): Promise<ProviderResponse>;
	findInteraction(id: string): Promise<OAuthInteraction | undefined>;
	/** @returns where to redirect the browser; undefined when the interaction has ended in the meantime. */
	finishInteraction(id: string, result: InteractionResult): Promise<string | undefined>;
	/** Undefined if the text is not an ID token of this service. */
	readIdToken(idToken: string): Promise<IdTokenHint | undefined>;
	/** @returns the id with which the page finds it, for an hour. */
	keepSignOut(asked: RequestedSignOut): Promise<string>;
	findSignOut(id: string): Promise<RequestedSignOut | undefined>;
	/** What an unknown program sent to `/oauth/authorize`, for an hour. */
	findAskedProgram(id: string): Promise<AskedProgram | undefined>;
	/** Undefined for a code that is unknown, decided or expired. */
	findDevice(userCode: string): Promise<DeviceRequest | undefined>;
	/**
	 * The first of concurrent decisions on one code counts.
	 *
	 * @throws AppError `device.not_found`; `token.invalid` when the session has ended.
	 */
	approveDevice(userCode: string, approval: DeviceApproval): Promise<void>;
	/** @throws AppError `device.not_found` */
	denyDevice(userCode: string): Promise<void>;
	/**
	 * Reads the keys with which an issuer vouches for workloads now.
	 *
	 * @throws ProviderFailure if they cannot be read, or none is usable.
	 */
	checkIssuerKeys(issuer: Pick<IdentityProvider, "id" | "issuer" | "jwksUri" | "jwks">): Promise<void>;
	/**
	 * Verifies the token of a platform.
	 *
	 * @returns undefined if one of the workloads holds it, otherwise why none does, for administrators only.
	 */
	workloadProblem(
		held: Pick<PresentedOAuthClient, "tenantId" | "workloads">,
		token: string,
	): Promise<{ readonly reason: string } | undefined>;
	/** For one attempt: valid for two minutes (OpenID Connect Back-Channel Logout 1.0, section 2.4). */
	signLogoutToken(
		ended: Pick<OAuthGrant, "clientId" | "userId" | "sessionId">,
		alg: IdTokenAlg,
	): Promise<string>;
}

/** The part that needs the provider library. */
export type LoadedProvider = Omit<OpenIdProvider, "isUsed" | "signLogoutToken">;

/** Claims by name (OpenID Connect Core, section 5.1). */
export type Claims = Readonly<Record<string, unknown>>;

/** The credential that was presented again after its use. */
export type GrantReuse = "code" | "refresh_token";

export interface ScopeHolder {
	readonly kind: "user" | "program";
	readonly id: string;
}

/** The user of an assertion. */
export interface FoundAsserted {
	readonly user: User;
	/** Otherwise, the first assertion that is redeemed joins the user by the verified address. */
	readonly isLinked: boolean;
}

/** An assertion whose user may use the client. */
export interface RedeemedAssertion extends FoundAsserted {
	readonly issuer: IdentityProvider;
	readonly client: PresentedOAuthClient;
	readonly asserted: AssertedUser;
	/** Its first use: the row of no other use can be inserted. */
	readonly use: OAuthRecord;
	/** Of the grant, if it opens a session. */
	readonly grantId: string;
}

/** An assertion for another authorization server. */
export interface IssuedAssertion {
	readonly client: PresentedOAuthClient;
	readonly user: User;
	/** Of the other server. */
	readonly audience: string;
	readonly clientIdThere: string;
	readonly resource: string | undefined;
	readonly scopes: readonly string[];
}

/** Rules of Latchkey that the provider calls. */
export interface OpenIdRules {
	/**
	 * Why the session may not access the application or the requested APIs: `account.disabled`,
	 * `application.access_denied`, `mfa.required`.
	 */
	findRefusal(
		session: Session,
		client: PresentedOAuthClient,
		resources: readonly string[],
	): Promise<AppError | undefined>;
	/** The user behind a token, if they may still use the application with these authentication methods. */
	findUser(
		proved: {
			readonly tenantId: string;
			readonly userId: string;
			readonly amr: readonly string[] | undefined;
			/** Of a code or token: the sign-in must also be one that the domain of the user permits. */
			readonly grantId?: string | undefined;
		},
		client: PresentedOAuthClient,
	): Promise<User | undefined>;
	/** Whether the user may use the application now with these authentication methods; undefined: with any. */
	mayUse(user: User, client: PresentedOAuthClient, amr: readonly string[] | undefined): Promise<boolean>;
	/**
	 * The user of a grant, if they may still use these applications of its tenant, as for `mayUse`, and their domain permits the
	 * sign-in.
	 */
	findUserOfGrant(
		grant: Pick<OAuthGrant, "sessionId" | "userId">,
		clients: readonly PresentedOAuthClient[],
		amr?: readonly string[],
	): Promise<User | undefined>;
	claimsOf(user: User, client: PresentedOAuthClient, scopes: readonly string[]): Promise<Claims>;
	/** The `claims` of the client. */
	ownClaimsOf(user: User, client: PresentedOAuthClient): Promise<Claims>;
	/**
	 * The scopes of an API, sorted.
	 *
	 * @param holder only those that this user, or this application that acts for itself, has there now
	 */
	scopesOf(api: PresentedOAuthClient, holder?: ScopeHolder): Promise<readonly string[]>;
	/** @param reuse why the grant ends; undefined: the application revoked it. */
	endGrant(grantId: string, reuse: GrantReuse | undefined, origin: Origin): Promise<void>;
	/** Records that the client sent a used code again at once. */
	recordRetry(grantId: string, origin: Origin): Promise<void>;
	/** Records why the token of a workload was refused for the client. */
	recordWorkloadRefusal(client: PresentedOAuthClient, reason: string, origin: Origin): Promise<void>;
	/** Undefined for an unknown user, who is never created. Changes nothing. */
	findAsserted(issuer: IdentityProvider, asserted: AssertedUser): Promise<FoundAsserted | undefined>;
	/**
	 * Uses the assertion, joins its user, and opens or extends the session at the client, in one transaction.
	 *
	 * @returns the grant, which lives for `ACCESS_TOKEN_SECONDS`. `used`: it was used before. `ended`: the user or the issuer
	 * was disabled or changed meanwhile.
	 */
	redeemAssertion(
		redeemed: RedeemedAssertion,
		origin: Origin,
	): Promise<{ readonly grantId: string } | "used" | "ended">;
	recordAssertion(issued: IssuedAssertion, origin: Origin): Promise<void>;
	/** Whether the user has consented already. */
	isConsented(userId: string, client: PresentedOAuthClient, asked: RequestedConsent): Promise<boolean>;
}
