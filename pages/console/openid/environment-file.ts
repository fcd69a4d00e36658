// What an OpenID Connect client needs, as URLs and as environment variables.

import type { Schemas } from "../../api/routes.ts";

export const ISSUER = location.origin;
export const OPENID_FILE = "openid.env";

export function discoveryAddress(): string {
	return `${ISSUER}/.well-known/openid-configuration`;
}

/** Without quotes: some parsers keep them, and no value needs them. */
export function openIdVariables({ client_id, client_secret }: Schemas["OAuthClientWithSecret"]): string {
	return [
		`OIDC_ISSUER=${ISSUER}`,
		`OIDC_CLIENT_ID=${client_id}`,
		...(client_secret === undefined ? [] : [`OIDC_CLIENT_SECRET=${client_secret}`]),
		"",
	].join("\n");
}
