// The URLs of a third-party sign-in. Those of the service begin with the configured public URL, never with a header.

import { type IdentityProvider, PROVIDER } from "../../../domain/identity-provider.ts";
import { DEFAULT_TENANT_SLUG } from "../../../domain/tenant.ts";
import type { CallbackError, ThirdPartyAttempt } from "../../../domain/third-party-attempt.ts";
import { invalidField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

const PREFIX = "/api/v1/auth/third-party";

/** The parameter of paths that name a provider by its slug. */
export const PROVIDER_NAMES = {
	provider: { pattern: PROVIDER, code: "identity_provider.not_found" },
} as const;

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

export const RETURN_TO_MAX = 2_048;
/** Pages of the service, with any query. */
const OWN_PAGE = /^\/(?:sign-in|(?:account|console|portal)(?:\/[^?]*)?)(?:\?.*)?$/;

/**
 * Checks that a browser reads the text as this path of the service and as nothing else: `//evil.example`,
 * `/\evil.example`, and `/sign-in/../x` change when they are resolved.
 *
 * @throws AppError `request.invalid` (`return_to`)
 */
export function checkReturnTo(returnTo: string, publicUrl: string): void {
	const url = OWN_PAGE.test(returnTo) ? URL.parse(returnTo, publicUrl) : null;
	const isSame = url?.origin === new URL(publicUrl).origin && url.pathname + url.search === returnTo;
	if (!isSame || url.hash !== "") throw invalidField("return_to", "own_page");
}

/**
 * The URL at which the browser continues: for a sign-in, the sign-in page, which finishes it. The outcome is in the
 * fragment, which browsers send to no server, so it appears in no log.
 */
export function pageUrl(
	publicUrl: string,
	{ returnTo, linkTo, isTest }: Pick<ThirdPartyAttempt, "returnTo" | "linkTo" | "isTest">,
	outcome: "finish" | "linked" | "tested" | `error=${CallbackError}`,
): string {
	const isSignInPage = /^\/sign-in(?:\?|$)/.test(returnTo);
	const page =
		linkTo !== null || isTest || isSignInPage
			? returnTo
			: `/sign-in?return_to=${encodeURIComponent(returnTo)}`;
	return `${publicUrl}${page}#${outcome}`;
}
