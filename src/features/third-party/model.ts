// Third-party login: the providers of a tenant, sign-ins under way with them, and the accounts people have linked.

import { AppError, invalidField } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Page, PageQuery } from "../../kernel/page.ts";
import type { User } from "../users/model.ts";

/** Slug of a provider. */
export const PROVIDER = /^[a-z0-9][a-z0-9_-]{0,63}$/;
export const PROVIDER_USER_ID_MAX = 255;

/**
 * The provider's word is compared exactly, so it is taken exactly, blanks included; only what could not be stored or
 * seen is refused.
 *
 * @throws AppError `request.invalid`.
 */
export function checkProviderUserId(text: string): void {
	const field = "provider_user_id";
	if (text.trim() === "") throw invalidField(field, "must not be blank");
	if (text.includes("\0") || !text.isWellFormed())
		throw invalidField(field, "must not hold NUL or lone surrogate characters");
}

/** Identity is (provider, non-empty provider_user_id), unique within a tenant. */
export interface ThirdPartyAccount {
	readonly id: string;
	readonly tenantId: string;
	readonly userId: string;
	/** Slug of the provider, `^[a-z0-9][a-z0-9_-]{0,63}$`. */
	readonly provider: string;
	/** The provider's own stable id of the person, 1 to 255 characters, compared exactly. */
	readonly providerUserId: string;
	readonly linkedAtMs: number;
}

/** What a provider can be; each is described in `adapters/providers/`. */
export const PROVIDER_KINDS = [
	"oidc",
	"google",
	"microsoft",
	"apple",
	"github",
	"gitlab",
	"wechat",
	"feishu",
	"dingtalk",
] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Whether a provider of the kind is named by an `issuer` address, or stands at the kind's own. */
export const ISSUER_OF_KIND: Readonly<Record<ProviderKind, "required" | "optional" | "none">> = {
	oidc: "required",
	google: "none",
	microsoft: "optional",
	apple: "none",
	github: "optional",
	gitlab: "optional",
	wechat: "none",
	feishu: "optional",
	dingtalk: "none",
};

export const PROVIDERS_MAX = 50;
/** Lengths in code points. Apple's "secret" is a private key with its ids. */
export const PROVIDER_NAME_MAX = 100;
export const CLIENT_ID_MAX = 255;
export const CLIENT_SECRET_MAX = 4_096;
export const ISSUER_MAX = 2_048;

export interface IdentityProvider {
	readonly id: string;
	readonly tenantId: string;
	/** Slug, unique in the tenant; never changes, since linked accounts carry it. */
	readonly provider: string;
	/** Never changes, for the same reason. */
	readonly kind: ProviderKind;
	readonly displayName: string;
	readonly clientId: string;
	readonly clientSecretSetAtMs: number;
	/** https; null where the kind has its own address. */
	readonly issuer: string | null;
	/** Whether people may sign in with it now. */
	readonly enabled: boolean;
	/** Whether a person nobody knows gets an account. */
	readonly signUp: boolean;
	readonly createdBy: string | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** `clientSecretSealed` opens with `identityProviderContext(id)`. */
export interface SealedIdentityProvider extends IdentityProvider {
	readonly clientSecretSealed: string;
}

/** Associated data of a provider's sealed secret. */
export function identityProviderContext(id: string): string {
	return `identity_provider:${id}`;
}

/** The same for another tenant's provider as for none, and, where people sign in, for one that is not enabled. */
export function identityProviderNotFound(): AppError {
	return new AppError("identity_provider.not_found", "no such identity provider");
}

/** What an update may touch; absent means unchanged. */
export interface IdentityProviderChanges {
	readonly displayName?: string;
	readonly clientId?: string;
	readonly issuer?: string | null;
	readonly enabled?: boolean;
	readonly signUp?: boolean;
	readonly clientSecretSealed?: string;
	readonly clientSecretSetAtMs?: number;
}

export interface IdentityProviderStore {
	/** Inside a transaction. The index decides about the slug; `max` is exact, since the tenant's row is held. */
	insert(provider: SealedIdentityProvider, max: number): Promise<"inserted" | "taken" | "too_many">;
	findById(tenantId: string, id: string): Promise<SealedIdentityProvider | undefined>;
	findEnabled(tenantId: string, provider: string): Promise<SealedIdentityProvider | undefined>;
	/** Newest first. */
	list(tenantId: string, page: PageQuery): Promise<Page<IdentityProvider>>;
	/** By display name: there are at most `PROVIDERS_MAX`. */
	listEnabled(tenantId: string): Promise<IdentityProvider[]>;
	update(tenantId: string, id: string, changes: IdentityProviderChanges, nowMs: number): Promise<boolean>;
	/**
	 * Inside a transaction: holds the row, so that whoever links an account of this provider or changes it comes one
	 * by one. @returns false when it is gone.
	 */
	hold(tenantId: string, id: string): Promise<boolean>;
	/** Whether anybody has an account of it linked; exact while the row is held. */
	hasAccounts(tenantId: string, provider: string): Promise<boolean>;
	/** Whether a platform admin has an account under the slug, whatever stands behind it. */
	standsForPlatformAdmin(tenantId: string, provider: string): Promise<boolean>;
	remove(tenantId: string, id: string): Promise<boolean>;
}

/** What is needed to speak to a provider, its secret opened. */
export interface ProviderConnection {
	readonly kind: ProviderKind;
	readonly clientId: string;
	readonly clientSecretPlain: string;
	/** `oidc` and self-hosted kinds; null: the kind's own address. */
	readonly issuer: string | null;
}

/** What binds one sign-in to the browser that began it; all of it is kept by us and compared when the browser returns. */
export interface ProviderAttempt {
	/** Our own callback, under `LATCHKEY_PUBLIC_URL`. */
	readonly callbackUrl: string;
	readonly state: string;
	readonly nonce: string;
	/** PKCE (RFC 7636), S256. */
	readonly codeVerifierPlain: string;
}

/** A person as the provider describes them, checked: nothing here is taken from an unverified answer. */
export interface ProviderProfile {
	/** The provider's own stable id, never empty. WeChat: the unionid where there is one, else the openid. */
	readonly subject: string;
	/** Further ids of the same person at the same provider (WeChat's openid beside the unionid). */
	readonly otherSubjects: readonly string[];
	/** As given, null when the provider tells none. */
	readonly email: string | null;
	/** True only on the provider's explicit word. */
	readonly isEmailVerified: boolean;
	readonly username: string | null;
	readonly displayName: string | null;
	readonly avatarUrl: string | null;
}

/** Speaks to the outside providers. Every call is bounded in time, size and redirects, and never reaches addresses it must not. */
export interface ProviderGateway {
	/** Where to send the browser. @throws ProviderFailure */
	authorizationUrl(connection: ProviderConnection, attempt: ProviderAttempt): Promise<string>;
	/**
	 * Takes what the browser brought back and asks the provider who this is.
	 *
	 * @throws ProviderFailure
	 */
	fetchProfile(
		connection: ProviderConnection,
		attempt: ProviderAttempt,
		parameters: URLSearchParams,
	): Promise<ProviderProfile>;
}

/** Why a provider's answer was not taken. `denied`: the person said no; `misconfigured`: an admin has to act. */
export type ProviderFailureReason = "denied" | "invalid_answer" | "unreachable" | "misconfigured";

/** The message is for the log and the admin; it holds no secret, code or token. */
export class ProviderFailure extends Error {
	readonly reason: ProviderFailureReason;

	constructor(reason: ProviderFailureReason, message: string, options?: ErrorOptions) {
		super(message, options);
		this.name = "ProviderFailure";
		this.reason = reason;
	}
}

/** From start to callback. */
export const ATTEMPT_SECONDS = 600;
/** From callback to tokens. */
export const TICKET_SECONDS = 60;

/** RFC 8176 has no value for "proved by another provider"; this one is Microsoft's, and the one people look for. */
export const FEDERATED_AMR: readonly string[] = ["fed"];

/** Why the browser comes back to the application with `?error=` and no ticket. Stable, explained in `docs/third-party-login.md`. */
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

/** A sign-in on its way, from the application's start to the provider's answer. */
export interface ThirdPartyAttempt {
	readonly id: string;
	readonly tenantId: string;
	readonly providerId: string;
	readonly appId: string | null;
	/** Registered, character by character, when it was given. */
	readonly redirectUri: string;
	/** `""`, or what binds the ticket to whoever began (RFC 7636, S256). */
	readonly codeChallenge: string;
	/** Set when the account is to be linked to somebody who is signed in, rather than to sign in. */
	readonly linkTo: { readonly userId: string; readonly sessionId: string } | null;
	readonly expiresAtMs: number;
}

/** `tokenDigest` of what the authorization URL carries, and of the browser's secret where it is known already. */
export interface NewThirdPartyAttempt extends ThirdPartyAttempt {
	readonly beginDigest: string;
	readonly browserDigest: string | null;
}

/** What ties an attempt to one browser and one visit at the provider. */
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
	/** Over all tenants: the token is unguessable. */
	findBegun(
		beginDigest: string,
		nowMs: number,
	): Promise<(ThirdPartyAttempt & { readonly browserDigest: string | null }) | undefined>;
	/**
	 * Unless it is bound to another browser (`fromAny` binds it anew); a second visit of the same one replaces the first.
	 * @returns false when it is not to be had (any more).
	 */
	bind(id: string, binding: AttemptBinding, fromAny: boolean, nowMs: number): Promise<boolean>;
	/** Inside a transaction: uses it up, for one caller only, and only for the browser it is bound to. */
	take(
		stateDigest: string,
		browserDigest: string,
		nowMs: number,
	): Promise<(ThirdPartyAttempt & { readonly protocolSealed: string }) | undefined>;
	/** When the provider cannot even be visited. */
	remove(id: string): Promise<boolean>;
	/** Deletes what has expired, at most `limit` rows. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/** What an application exchanges for tokens: somebody came back from the provider. */
export interface Ticket {
	/** `tokenDigest` of it. */
	readonly digest: string;
	readonly tenantId: string;
	/** The linked account that was proved; unlinking it ends the ticket too. */
	readonly accountId: string;
	readonly appId: string | null;
	readonly codeChallenge: string;
	/** The browser that came back: an application's server exchanges the ticket, but it is not who signs in. */
	readonly browser: Pick<Origin, "ip" | "userAgent" | "acceptLanguage">;
	readonly expiresAtMs: number;
}

export interface TicketStore {
	insert(ticket: Ticket): Promise<void>;
	/** Over all tenants: the ticket is unguessable. With the user whose account was proved. */
	find(digest: string, nowMs: number): Promise<{ readonly ticket: Ticket; readonly user: User } | undefined>;
	/** @returns true for one caller only. */
	consume(digest: string, nowMs: number): Promise<boolean>;
	/** Deletes what has expired, at most `limit` rows. */
	purge(nowMs: number, limit: number): Promise<number>;
}

export interface ThirdPartyAccountStore {
	/** @returns false when somebody has this identity linked already. */
	insert(account: ThirdPartyAccount): Promise<boolean>;
	/** Newest link first. */
	list(tenantId: string, userId: string, page: PageQuery): Promise<Page<ThirdPartyAccount>>;
	/** By any id of the person that is known; the account is answered under the id that was asked for. */
	findUser(
		tenantId: string,
		provider: string,
		providerUserId: string,
	): Promise<{ user: User; account: ThirdPartyAccount } | undefined>;
	/** Remembers further ids of the person; one that stands for an account already keeps doing so. */
	addAliases(account: ThirdPartyAccount, providerUserIds: readonly string[]): Promise<void>;
	/** Whatever else is left to sign in with. @returns how many there were. */
	removeAll(tenantId: string, userId: string): Promise<number>;
	/** As `removeAll`, of those linked at or after a time. */
	removeSince(tenantId: string, userId: string, fromMs: number): Promise<number>;
	/** Inside a transaction. `last`: nothing else would be left to sign in with; of two at once one is told so. */
	remove(tenantId: string, userId: string, accountId: string): Promise<"removed" | "missing" | "last">;
}
