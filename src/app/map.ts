// The map of the service: the rows of the API, of the OpenID provider, and of the gate, and its pages.

import { scimMounts } from "../features/identity/directories/scim-endpoints.ts";
import { authorizeForm } from "../features/identity/oauth/authorize-endpoints.ts";
import { endSession } from "../features/identity/oauth/end-session-endpoints.ts";
import { openIdEndpoints } from "../features/identity/oauth/openid-endpoints.ts";
import { type GateOptions, gateEndpoints } from "../features/partners/gate/ask-endpoints.ts";
import type { Platform } from "../features/platform.ts";
import { acmeChallenge } from "../features/record/certificate/challenge-endpoints.ts";
import type { Mount, MountedEndpoint } from "../http/run/mount.ts";
import type { LazyPage, StaticPage } from "../http/serve/static-page.ts";
import { loadGuides } from "../pages/guides.ts";
import { loadPackages } from "../pages/packages.ts";
import { loadPages } from "../pages/pages.ts";
import { createConditionalChange } from "./conditional-changes.ts";
import { configurationSchemaPage } from "./configuration-schema.ts";
import { createEndpoints, createGuards, type Recorders } from "./features.ts";
import { createRoutes, rowsWith } from "./routes.ts";

const row = (method: Mount["method"], path: string, endpoint: MountedEndpoint): Mount => ({
	...endpoint,
	method,
	path,
});

export function createMap(platform: Platform, recorders: Recorders, gateOptions: GateOptions) {
	const guards = createGuards(platform, recorders);
	const api = createRoutes(createEndpoints(platform), guards);
	const provider = oauth(platform);
	return {
		api,
		changeIfMatch: createConditionalChange(platform, rowsWith(guards)),
		oauth: [...provider, ...preflights([...provider, ...api])],
		gate: gate(platform, gateOptions),
		scim: scimMounts(platform, recorders.directoryEvents),
		certificate: [row("GET", "/.well-known/acme-challenge/{token}", acmeChallenge(platform))],
	};
}

/**
 * Files by path: the older pages, the guides, the packages for integrators, and the certificate. The built pages add their
 * own (`loadBuiltPages`).
 */
export function pages(
	certificate: Iterable<[string, StaticPage | LazyPage]>,
): ReadonlyMap<string, StaticPage | LazyPage> {
	return new Map([
		...loadPages(),
		...loadGuides(),
		...loadPackages(),
		configurationSchemaPage(),
		...certificate,
	]);
}

/** The OpenID provider, whose errors have the form of OAuth. */
export function oauth(platform: Platform): readonly Mount[] {
	const { document, browser, api, client } = openIdEndpoints(platform);
	return [
		row("GET", "/.well-known/openid-configuration", document),
		row("GET", "/.well-known/oauth-authorization-server", document),
		row("GET", "/oauth/authorize", browser),
		row("POST", "/oauth/authorize", authorizeForm(platform)),
		row("GET", "/oauth/authorize/{interaction_id}", browser),
		row("POST", "/oauth/par", client),
		row("OPTIONS", "/oauth/par", api),
		row("POST", "/oauth/device-authorization", client),
		row("POST", "/oauth/token", client),
		row("OPTIONS", "/oauth/token", api),
		row("GET", "/oauth/userinfo", api),
		row("POST", "/oauth/userinfo", api),
		row("OPTIONS", "/oauth/userinfo", api),
		row("POST", "/oauth/introspect", client),
		row("POST", "/oauth/revoke", client),
		row("OPTIONS", "/oauth/revoke", api),
		row("GET", "/oauth/end-session", endSession(platform)),
		row("POST", "/oauth/end-session", endSession(platform)),
	];
}

/** Where proxies ask, and where the browsers of an application with another host sign in. */
export function gate(platform: Platform, options: GateOptions): readonly Mount[] {
	const e = gateEndpoints(platform, options);
	return [
		row("*", "/gate/{application_id}", e.proxied),
		row("*", "/gate/{application_id}/at/*", e.appended),
		row("POST", "/gate/{application_id}/verify", e.reported),
		row("GET", "/gate/{application_id}/browser/sign-in", e.begin),
		row("GET", "/gate/{application_id}/browser/callback", e.finish),
		row("POST", "/gate/{application_id}/browser/sign-out", e.signOut),
		row("GET", "/gate/{application_id}/enter", e.enter),
	];
}

/** Of the public documents: browsers send a preflight before requests with additional headers. */
function preflights(rows: readonly { readonly method: string; readonly path: string }[]): Mount[] {
	const documents = rows.filter(({ method, path }) => method === "GET" && path.startsWith("/.well-known/"));
	return documents.map(({ path }) => row("OPTIONS", path, preflight));
}

/** Any origin may read them. */
const preflight: MountedEndpoint = {
	kind: "document",
	respond: () =>
		Promise.resolve({
			status: 204,
			headers: {
				"access-control-allow-methods": "GET",
				"access-control-allow-headers": "*",
				"access-control-max-age": "86400",
			},
			body: "",
		}),
};
