// The map of the OpenID provider's endpoints, which respond in OAuth formats and are not part of the API.

import { authorizeFormMount } from "../features/identity/oauth/authorize-endpoints.ts";
import { endSessionMounts } from "../features/identity/oauth/end-session-endpoints.ts";
import { openIdMount } from "../features/identity/oauth/openid-endpoints.ts";
import type { Platform } from "../features/platform.ts";
import type { Mount } from "../http/mount.ts";

export function createMounts(platform: Platform): readonly Mount[] {
	const mount = openIdMount(platform);
	return [
		mount.public("GET", "/.well-known/openid-configuration"),
		mount.public("OPTIONS", "/.well-known/openid-configuration"),
		mount.public("GET", "/.well-known/oauth-authorization-server"),
		mount.public("OPTIONS", "/.well-known/oauth-authorization-server"),
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
