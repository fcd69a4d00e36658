// By what a callback address tells one provider from every other, those of other tenants included.

import type { Persistence } from "../../kernel/transaction.ts";
import { DEFAULT_TENANT_SLUG, type TenantStore } from "../tenants/model.ts";
import type { IdentityProvider } from "./model.ts";

/** A slug, and for a provider of another tenant than `default` a point and the tenant's id. */
export const CALLBACK_NAME = /^[a-z0-9][a-z0-9_-]{0,63}(?:\.[0-9a-f-]{36})?$/;

/** What stands for the provider in the path of its callback. */
export type CallbackNameOf = (provider: Pick<IdentityProvider, "provider" | "tenantId">) => Promise<string>;

/**
 * No two providers share a callback (RFC 9700, 4.4): the administrator of one tenant could else send people on, state
 * and all, to the provider that another tenant calls by the same slug, and be handed the code it gives. Many providers
 * do not say in their answer who they are, so the address alone tells.
 */
export function createCallbackNames(db: Persistence<{ tenants: TenantStore }>): CallbackNameOf {
	let defaultTenantId: string | undefined;
	return async ({ provider, tenantId }) => {
		// It is made by the first start, never removed, and keeps its slug.
		defaultTenantId ??= (await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG))?.id;
		return tenantId === defaultTenantId ? provider : `${provider}.${tenantId}`;
	};
}
