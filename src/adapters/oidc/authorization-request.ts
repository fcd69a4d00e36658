// Corrections of how the library reads authorization and refresh requests.

import type Provider from "oidc-provider";
import { errors, type Issued, type OidcContext } from "oidc-provider";
import { currentRequest } from "./library-call.ts";
import { scopeOf, scopesIn } from "./scopes.ts";

const OFFLINE = "offline_access";

/**
 * Keeps `offline_access`, which the library removes from requests without `prompt=consent`: the check before that step
 * records the scope, and the check after it restores it. A code is issued only to first-party clients and after a
 * consent, which OpenID Connect Core, section 11, allows as an alternative.
 */
export function checkAuthorizationRequests({ Client: { prototype } }: Provider): void {
	const { responseModeAllowed, redirectUriAllowed } = prototype;
	const asksOffline = new WeakSet<OidcContext>();
	prototype.responseModeAllowed = function (mode, responseType, profile) {
		// The library would report the response mode.
		if (responseType === undefined) throw new errors.InvalidRequest("response_type is required: code");
		const request = currentRequest();
		if (scopesIn(request.params.scope).includes(OFFLINE)) asksOffline.add(request);
		return responseModeAllowed.call(this, mode, responseType, profile);
	};
	prototype.redirectUriAllowed = function (uri) {
		const request = currentRequest();
		if (asksOffline.delete(request)) keepOffline(request);
		return redirectUriAllowed.call(this, uri);
	};
}

function keepOffline({ params }: OidcContext): void {
	const scopes = scopesIn(params.scope);
	if (!scopes.includes(OFFLINE)) params.scope = [...scopes, OFFLINE].join(" ");
}

/** Many client libraries send all their scopes with each refresh, including those that were not granted. */
export function ignoreOfflineAccess(granted: Pick<Issued, "scope">): void {
	const { params } = currentRequest();
	if (scopesIn(granted.scope).includes(OFFLINE)) return;
	const asked = scopesIn(params.scope).filter((scope) => scope !== OFFLINE);
	params.scope = scopeOf(asked);
}
