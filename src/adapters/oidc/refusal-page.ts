// What an error page adds for the developer of the application: the value that was sent, and where to correct it.

import type { Context, Payload } from "oidc-provider";
import type { ProviderResponse } from "../../domain/openid-provider.ts";

const TITLE = "This application is not set up correctly";

type Refusal = NonNullable<ProviderResponse["refusal"]>;

/** Anyone can write the link to this page, so it shows no sentences. */
const SHOWN = /^[!-~]{1,300}$/;

export function refusalFor(
	issuer: string,
	{ oidc }: Context,
	{ error, error_description }: Payload,
): Refusal {
	const refusal = { error: String(error), description: String(error_description ?? "") };
	const { client_id: clientId, redirect_uri: redirectUri } = oidc.params ?? {};
	if (oidc.client === undefined && refusal.error === "invalid_client")
		return {
			...refusal,
			title: TITLE,
			advice: [
				...sent("client_id", clientId),
				"No active application has this client_id. Ask the administrator of the application that sent you here: it is shown in the console, under OpenID Connect of the application.",
			],
		};
	if (oidc.client !== undefined && refusal.error === "invalid_redirect_uri")
		return {
			...refusal,
			title: TITLE,
			advice: [
				...sent("redirect_uri", redirectUri),
				"It must match a registered one character by character. An administrator registers it in the console.",
			],
			action: {
				label: "Open the application in the console",
				href: `${issuer}/console/applications/${oidc.client.clientId}#connect`,
			},
		};
	return refusal;
}

function sent(name: string, value: string | undefined): string[] {
	return value !== undefined && SHOWN.test(value) ? [`The application sent ${name}: ${value}`] : [];
}
