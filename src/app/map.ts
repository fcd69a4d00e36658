// The map of the service: every row of the API, of the OpenID provider, of the gate, and of the pages.

import { scimMounts } from "../features/identity/directories/scim-endpoints.ts";
import { authorizeForm } from "../features/identity/oauth/authorize-endpoints.ts";
import { endSession } from "../features/identity/oauth/end-session-endpoints.ts";
import { openIdEndpoints } from "../features/identity/oauth/openid-endpoints.ts";
import { type GateOptions, gateEndpoints } from "../features/partners/gate/ask-endpoints.ts";
import type { Platform } from "../features/platform.ts";
import { acmeChallenge } from "../features/record/certificate/challenge-endpoints.ts";
import { openApiPage } from "../http/openapi/serve-openapi.ts";
import type { Mount, MountedEndpoint } from "../http/run/mount.ts";
import type { Page } from "../http/serve/page.ts";
import { builtPages, type PageFiles, startPage } from "../http/serve/page-files.ts";
import { filePage, type LazyPage } from "../http/serve/static-page.ts";
import { loadGuides } from "../pages/guides.ts";
import { loadPackages } from "../pages/packages.ts";
import { loadPages } from "../pages/pages.ts";
import { API_DESCRIPTION } from "./api-description.ts";
import { createConditionalChange } from "./conditional-changes.ts";
import { configurationSchemaPage } from "./configuration-schema.ts";
import { createEndpoints, createGuards, type Recorders } from "./features.ts";
import { type OAuthOperation, oauthOperation } from "./oauth-description.ts";
import { createRoutes, rowsWith } from "./routes.ts";

/** What the installation adds to the pages of the package. */
interface Installed {
	/** The build of the pages. */
	readonly built: PageFiles;
	/** The certificate to trust, by path; none if one is configured. */
	readonly certificate: ReadonlyMap<string, LazyPage>;
}

const row = (method: Mount["method"], path: string, endpoint: MountedEndpoint): Mount => ({
	...endpoint,
	method,
	path,
});

export function createMap(
	platform: Platform,
	recorders: Recorders,
	gateOptions: GateOptions,
	installed: Installed,
) {
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
		pages: [
			openApiPage("/openapi.json", { ...platform, routes: api, mounts: provider, about: API_DESCRIPTION }),
			...page(installed),
		],
	};
}

/** The OpenID provider, whose errors have the form of OAuth. */
export function oauth(platform: Platform): readonly Mount[] {
	const { document, browser, api, client } = openIdEndpoints(platform);
	const named = (
		method: "GET" | "POST",
		path: string,
		endpoint: MountedEndpoint,
		operation: OAuthOperation,
	): Mount => ({ ...row(method, path, endpoint), operation: oauthOperation(operation) });
	return [
		named("GET", "/.well-known/openid-configuration", document, "getOpenIdConfiguration"),
		named("GET", "/.well-known/oauth-authorization-server", document, "getAuthorizationServer"),
		named("GET", "/oauth/authorize", browser, "authorize"),
		named("POST", "/oauth/authorize", authorizeForm(platform), "authorizeByForm"),
		named("GET", "/oauth/authorize/{interaction_id}", browser, "resumeAuthorization"),
		named("POST", "/oauth/par", client, "pushAuthorization"),
		row("OPTIONS", "/oauth/par", api),
		named("POST", "/oauth/device-authorization", client, "authorizeDevice"),
		named("POST", "/oauth/token", client, "issueOAuthTokens"),
		row("OPTIONS", "/oauth/token", api),
		named("GET", "/oauth/userinfo", api, "getUserInfo"),
		named("POST", "/oauth/userinfo", api, "postUserInfo"),
		row("OPTIONS", "/oauth/userinfo", api),
		named("POST", "/oauth/introspect", client, "introspectToken"),
		named("POST", "/oauth/revoke", client, "revokeToken"),
		row("OPTIONS", "/oauth/revoke", api),
		named("GET", "/oauth/end-session", endSession(platform), "endOAuthSession"),
		named("POST", "/oauth/end-session", endSession(platform), "endOAuthSessionByForm"),
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

/** Of the package and the installation; the OpenAPI document is not among them. */
function page({ built, certificate }: Installed): readonly Page[] {
	const files = [...loadPages(), ...loadGuides(), ...loadPackages(), ...certificate];
	return [
		startPage(built, "/docs/api"),
		...builtPages(built),
		configurationSchemaPage(),
		...files.map(([path, source]) => filePage(path, source)),
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
