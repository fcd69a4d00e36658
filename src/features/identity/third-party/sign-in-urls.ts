// The URLs of a third-party sign-in. Those of the service begin with the configured public URL, never with a header.

import { redirectUriNotRegistered } from "../../../domain/application.ts";
import { type IdentityProvider, PROVIDER } from "../../../domain/identity-provider.ts";
import { oauthClientExists } from "../../../domain/oauth-client.ts";
import type { Stores } from "../../../domain/stores.ts";
import { DEFAULT_TENANT_SLUG } from "../../../domain/tenant.ts";
import type { ThirdPartyAttempt } from "../../../domain/third-party-attempt.ts";
import type { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

const PREFIX = "/api/v1/auth/third-party";

/** The parameter of paths that name a provider by its slug. */
export const PROVIDER_NAMES = {
	provider: { pattern: PROVIDER, code: "identity_provider.not_found" },
} as const;

/** The URL that the browser opens first. */
export function beginUrl(publicUrl: string, provider: string, attemptToken: string): string {
	return `${publicUrl}${PREFIX}/${provider}/begin?attempt=${attemptToken}`;
}

/** A slug; for a provider of a tenant other than `default`, followed by a dot and the tenant's id. */
export const CALLBACK_NAME = /^[a-z0-9][a-z0-9_-]{0,63}(?:\.[0-9a-f-]{36})?$/;

/** @param name a `CALLBACK_NAME`. */
export function callbackUrl(publicUrl: string, name: string): string {
	return `${publicUrl}${PREFIX}/${name}/callback`;
}

/** The callback of a provider: the name in its path, and the URL to register at the provider. */
interface Callback {
	readonly name: string;
	readonly url: string;
}
export type CallbackOf = (provider: Pick<IdentityProvider, "provider" | "tenantId">) => Promise<Callback>;

/**
 * Every provider of the installation has its own callback (RFC 9700, 4.4). Otherwise, the admin of one tenant could send
 * users to the provider of another tenant with the same slug, and receive its authorization code. Many providers do not
 * identify themselves in their response, so only the callback distinguishes them.
 */
export function createCallbacks({ db, publicUrl }: Needs<"tenants", "publicUrl">): CallbackOf {
	let defaultTenantId: string | undefined;
	return async ({ provider, tenantId }) => {
		// The default tenant is never deleted and keeps its slug.
		defaultTenantId ??= (await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG))?.id;
		const name = tenantId === defaultTenantId ? provider : `${provider}.${tenantId}`;
		return { name, url: callbackUrl(publicUrl, name) };
	};
}

/** The pages of the service to which a browser may return from a provider. */
const OWN_PAGES = ["/sign-in", "/account"];
/** A URL that a `Location` header can contain unchanged: visible ASCII without a fragment. */
const PLAIN_URL = /^[\x21\x22\x24-\x7e]+$/;

type Route = Pick<ThirdPartyAttempt, "tenantId" | "redirectUri" | "appId">;

/**
 * Whether the browser returns to a page of the service itself, with any query. Such an attempt has no application.
 */
export function isOwnPage(
	publicUrl: string,
	{ redirectUri, appId }: Pick<Route, "redirectUri" | "appId">,
): boolean {
	if (appId !== null || !PLAIN_URL.test(redirectUri)) return false;
	return OWN_PAGES.some((path) => redirectUri.split("?", 1)[0] === publicUrl + path);
}

/** Why a ticket may not go there: `findTicketRefusal`, except for pages of the service itself. */
export async function findReturnRefusal(
	{ db, publicUrl }: Needs<"applications" | "oauthClients", "publicUrl">,
	route: Route,
): Promise<AppError | undefined> {
	return isOwnPage(publicUrl, route) ? undefined : await findTicketRefusal(db.stores, route);
}

/**
 * Without `appId`, a redirect URI that an OAuth client shares is refused, too: the ticket would give the client the
 * session of the user.
 *
 * @returns `redirect_uri.not_registered`, `oauth_client.exists`, or undefined if tickets may go there.
 */
export async function findTicketRefusal(
	{ applications, oauthClients }: Stores<"applications" | "oauthClients">,
	{ tenantId, redirectUri, appId }: Route,
): Promise<AppError | undefined> {
	const ids = await applications.findByRedirectUri(tenantId, redirectUri, appId);
	if (ids.length === 0) return redirectUriNotRegistered();
	return (await oauthClients.isAnySigningIn(tenantId, ids)) ? oauthClientExists() : undefined;
}

/** Appends a parameter to a registered redirect URI, which has no fragment. */
export function returnUrl(redirectUri: string, name: "ticket" | "error", value: string): string {
	return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`;
}

/**
 * The URL to which a browser returns with the outcome of an attempt. For a page of the service, the parameter is in the
 * fragment, which browsers send to no server, so it appears in no log.
 */
export function returnOf(
	publicUrl: string,
	attempt: Pick<Route, "redirectUri" | "appId">,
	name: "ticket" | "error",
	value: string,
): string {
	const { redirectUri } = attempt;
	if (!isOwnPage(publicUrl, attempt)) return returnUrl(redirectUri, name, value);
	return `${redirectUri}#${name}=${encodeURIComponent(value)}`;
}
