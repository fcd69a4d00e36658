// A third-party account: the link between a user and an identity at an outside provider.

import { invalidField } from "../../kernel/error.ts";
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

export interface ThirdPartyAccountStore {
	/** @returns false when somebody has this identity linked already. */
	insert(account: ThirdPartyAccount): Promise<boolean>;
	/** Newest link first. */
	list(tenantId: string, userId: string, page: PageQuery): Promise<Page<ThirdPartyAccount>>;
	findUser(
		tenantId: string,
		provider: string,
		providerUserId: string,
	): Promise<{ user: User; account: ThirdPartyAccount } | undefined>;
	remove(tenantId: string, userId: string, accountId: string): Promise<boolean>;
}
