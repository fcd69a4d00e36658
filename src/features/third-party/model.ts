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
