// What a program that speaks OpenID Connect needs, as addresses and as a file of variables.

import type { Schemas } from "../../api/routes.ts";

export const ISSUER = location.origin;
export const OPENID_FILE = "openid.env";

export function discoveryAddress(): string {
	return `${ISSUER}/.well-known/openid-configuration`;
}

/** Without quotes, which not every reader of such files removes; none of the values needs them. */
export function openIdVariables({ client_id, client_secret }: Schemas["OAuthClientWithSecret"]): string {
	return [
		`OIDC_ISSUER=${ISSUER}`,
		`OIDC_CLIENT_ID=${client_id}`,
		...(client_secret === undefined ? [] : [`OIDC_CLIENT_SECRET=${client_secret}`]),
		"",
	].join("\n");
}
