// An account at an identity provider, linked to a user.

import { invalidField } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { User } from "./user.ts";

export const PROVIDER_USER_ID_MAX = 255;

/**
 * The id is compared and stored exactly, including spaces. Refuses only blank text and text that cannot be stored.
 *
 * @throws AppError `request.invalid`.
 */
export function checkProviderUserId(text: string): void {
	const field = "provider_user_id";
	if (text.trim() === "") throw invalidField(field, "blank");
	if (text.includes("\0") || !text.isWellFormed()) throw invalidField(field, "invalid_characters");
}

/** Whether text from a provider can be such an id. */
export function isProviderUserId(text: string): boolean {
	return (
		text.trim() !== "" && text.length <= PROVIDER_USER_ID_MAX && !text.includes("\0") && text.isWellFormed()
	);
}

/** Identity is (provider, non-empty provider_user_id), unique within a tenant. */
export interface ThirdPartyAccount {
	readonly id: string;
	readonly tenantId: string;
	readonly userId: string;
	/** Slug of the provider, `^[a-z0-9][a-z0-9_-]{0,63}$`. */
	readonly provider: string;
	/** The provider's stable id of the user, 1 to 255 characters, compared exactly. */
	readonly providerUserId: string;
	readonly linkedAtMs: number;
}

/** RFC 8176 has no value for federated sign-in; `fed` is Microsoft's, and widely used. */
export const FEDERATED_AMR: readonly string[] = ["fed"];

export interface ThirdPartyAccountStore {
	/** @returns false when the identity is already linked. */
	insert(account: ThirdPartyAccount): Promise<boolean>;
	/** Newest link first. */
	list(tenantId: string, userId: string, page: PageQuery): Promise<Page<ThirdPartyAccount>>;
	/** By any known id of the user; `providerUserId` of the result is the given one. */
	findUser(
		tenantId: string,
		provider: string,
		providerUserId: string,
	): Promise<{ user: User; account: ThirdPartyAccount } | undefined>;
	/** Stores further ids of the same user at the provider, except those that already belong to an account. */
	addAliases(account: ThirdPartyAccount, providerUserIds: readonly string[]): Promise<void>;
	/** Removes all, even if no way to sign in is left. @returns how many were removed. */
	removeAll(tenantId: string, userId: string): Promise<number>;
	/** Whether the account has this id at its provider. */
	isIdentity(accountId: string, providerUserId: string): Promise<boolean>;
	/** Also of a user without another way to sign in. @returns false if the user has no such account. */
	removeIdentity(
		tenantId: string,
		userId: string,
		provider: string,
		providerUserId: string,
	): Promise<boolean>;
	/** Like `removeAll`, for accounts linked at or after a time. */
	removeSince(tenantId: string, userId: string, fromMs: number): Promise<number>;
	/** Inside a transaction. `last`: no other way to sign in would be left; decided for one of concurrent removals. */
	remove(tenantId: string, userId: string, accountId: string): Promise<"removed" | "missing" | "last">;
}
