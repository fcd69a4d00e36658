// The URLs of a third-party sign-in. Ours begin with the configured public URL, never with a request header.

import type { IdentityProvider } from "../../../domain/identity-provider.ts";
import { DEFAULT_TENANT_SLUG } from "../../../domain/tenant.ts";
import type { Needs } from "../../platform.ts";

const PREFIX = "/api/v1/auth/third-party";

/** Where the browser goes first. */
export function beginUrl(publicUrl: string, provider: string, attemptToken: string): string {
	return `${publicUrl}${PREFIX}/${provider}/begin?attempt=${attemptToken}`;
}

/** A slug. For a provider of another tenant than `default`, a dot and the tenant's id follow. */
export const CALLBACK_NAME = /^[a-z0-9][a-z0-9_-]{0,63}(?:\.[0-9a-f-]{36})?$/;

/** @param name a `CALLBACK_NAME`. */
export function callbackUrl(publicUrl: string, name: string): string {
	return `${publicUrl}${PREFIX}/${name}/callback`;
}

/** The callback of a provider: the name in its path, and the URL to register at the provider. */
export interface Callback {
	readonly name: string;
	readonly url: string;
}
export type CallbackOf = (provider: Pick<IdentityProvider, "provider" | "tenantId">) => Promise<Callback>;

/**
 * Every provider of the installation has its own callback (RFC 9700, 4.4). Otherwise the admin of one tenant could send
 * people to the provider that another tenant has under the same slug, and receive its authorization code. Many
 * providers do not identify themselves in their response, so only the callback tells them apart.
 */
export function createCallbacks({ db, publicUrl }: Needs<"tenants", "publicUrl">): CallbackOf {
	let defaultTenantId: string | undefined;
	return async ({ provider, tenantId }) => {
		// The default tenant is never removed and keeps its slug.
		defaultTenantId ??= (await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG))?.id;
		const name = tenantId === defaultTenantId ? provider : `${provider}.${tenantId}`;
		return { name, url: callbackUrl(publicUrl, name) };
	};
}

/** Appends a parameter to a registered redirect URI, which has no fragment. */
export function returnUrl(redirectUri: string, name: "ticket" | "error", value: string): string {
	return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`;
}
