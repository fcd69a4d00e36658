// The parameters of every authorization request, and those read from the callback.

import { calculatePKCECodeChallenge } from "openid-client";
import type { ProviderAttempt } from "../../domain/provider-gateway.ts";

/** State, PKCE challenge, and redirect URI. */
export async function standardParameters(attempt: ProviderAttempt): Promise<Record<string, string>> {
	return {
		redirect_uri: new URL(attempt.callbackUrl).href,
		state: attempt.state,
		code_challenge: await calculatePKCECodeChallenge(attempt.codeVerifierPlain),
		code_challenge_method: "S256",
	};
}

/** The callback URL with only the parameters of the code flow. */
export function returnedUrl(attempt: ProviderAttempt, parameters: URLSearchParams): URL {
	const url = new URL(attempt.callbackUrl);
	for (const name of ["code", "state", "iss", "error", "response"])
		for (const value of parameters.getAll(name)) url.searchParams.append(name, value);
	return url;
}
