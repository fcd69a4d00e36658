// The URLs of a third-party sign-in. Ours begin with the configured public URL, never with a request header.

import type { IdentityProvider } from "../../../domain/identity-provider.ts";
import { DEFAULT_TENANT_SLUG } from "../../../domain/tenant.ts";
import type { ThirdPartyAttempt } from "../../../domain/third-party-attempt.ts";
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

/** The pages of the service to which a browser may return from a provider. */
const OWN_PAGES = ["/sign-in", "/account"];
/** What fits a `Location` header as it is: visible ASCII without a fragment. */
const PLAIN_ADDRESS = /^[\x21\x22\x24-\x7e]+$/;

type Way = Pick<ThirdPartyAttempt, "tenantId" | "redirectUri" | "appId">;

/**
 * Whether the browser returns to a page of the service itself, with any query. Such an attempt names no application.
 */
export function isOwnPage(
	publicUrl: string,
	{ redirectUri, appId }: Pick<Way, "redirectUri" | "appId">,
): boolean {
	if (appId !== null || !PLAIN_ADDRESS.test(redirectUri)) return false;
	return OWN_PAGES.some((path) => redirectUri.split("?", 1)[0] === publicUrl + path);
}

/** Whether the redirect URI is a page of the service itself or registered. */
export async function mayReturn(
	{ db, publicUrl }: Needs<"applications", "publicUrl">,
	way: Way,
): Promise<boolean> {
	const { tenantId, redirectUri, appId } = way;
	return isOwnPage(publicUrl, way) || db.stores.applications.hasRedirectUri(tenantId, redirectUri, appId);
}

/** Appends a parameter to a registered redirect URI, which has no fragment. */
export function returnUrl(redirectUri: string, name: "ticket" | "error", value: string): string {
	return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`;
}

/**
 * Where a browser returns with the outcome of an attempt. To a page of the service the parameter goes in the fragment,
 * which is sent to no server and written to no log.
 */
export function returnOf(
	publicUrl: string,
	attempt: Pick<Way, "redirectUri" | "appId">,
	name: "ticket" | "error",
	value: string,
): string {
	const { redirectUri } = attempt;
	if (!isOwnPage(publicUrl, attempt)) return returnUrl(redirectUri, name, value);
	return `${redirectUri}#${name}=${encodeURIComponent(value)}`;
}
