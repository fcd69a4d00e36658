// The map of the OpenID provider's endpoints, which respond in OAuth formats and are not part of the API.

import { authorizeFormMount } from "../features/identity/oauth/authorize-endpoints.ts";
import { endSessionMounts } from "../features/identity/oauth/end-session-endpoints.ts";
import { openIdMount } from "../features/identity/oauth/openid-endpoints.ts";
import type { Platform } from "../features/platform.ts";
import type { Mount } from "../http/run/mount.ts";

const PUBLIC_DOCUMENTS = [
	"/.well-known/openid-configuration",
	"/.well-known/oauth-authorization-server",
	"/.well-known/jwks.json",
	"/.well-known/authzen-configuration",
	"/.well-known/oauth-protected-resource/gate/{application_id}",
];

/** Browsers send a preflight before requests with additional headers. Any origin may read: the documents are public. */
function preflight(path: string): Mount {
	const headers = {
		"access-control-allow-methods": "GET",
		"access-control-allow-headers": "*",
		"access-control-max-age": "86400",
	};
	return {
		method: "OPTIONS",
		path,
		transport: "any",
		browser: false,
		countsByClient: false,
		respond: () => Promise.resolve({ status: 204, headers, body: "" }),
	};
}

export function createMounts(platform: Platform): readonly Mount[] {
	const mount = openIdMount(platform);
	return [
		mount.public("GET", "/.well-known/openid-configuration"),
		mount.public("GET", "/.well-known/oauth-authorization-server"),
		...PUBLIC_DOCUMENTS.map(preflight),
		mount.browser("GET", "/oauth/authorize"),
		authorizeFormMount(platform),
		mount.browser("GET", "/oauth/authorize/{interaction_id}"),
		mount.client("POST", "/oauth/par"),
		mount.api("OPTIONS", "/oauth/par"),
		mount.client("POST", "/oauth/device-authorization"),
		mount.client("POST", "/oauth/token"),
		mount.api("OPTIONS", "/oauth/token"),
		mount.api("GET", "/oauth/userinfo"),
		mount.api("POST", "/oauth/userinfo"),
		mount.api("OPTIONS", "/oauth/userinfo"),
		mount.client("POST", "/oauth/introspect"),
		mount.client("POST", "/oauth/revoke"),
		mount.api("OPTIONS", "/oauth/revoke"),
		...endSessionMounts(platform),
	];
}
