// A third-party account: the link between a user and an identity at an outside provider.

import type { Page, PageQuery } from "../../kernel/page.ts";
import type { User } from "../users/model.ts";

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
	list(tenantId: string, userId: string, page: PageQuery): Promise<Page<ThirdPartyAccount>>;
	findUser(
		tenantId: string,
		provider: string,
		providerUserId: string,
	): Promise<{ user: User; account: ThirdPartyAccount } | undefined>;
	remove(tenantId: string, userId: string, accountId: string): Promise<boolean>;
}
