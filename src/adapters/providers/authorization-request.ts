// What every authorization request has, and what is looked at when the browser comes back.

import { calculatePKCECodeChallenge } from "openid-client";
import type { ProviderAttempt } from "../../features/third-party/model.ts";

/** State, PKCE and where to return: what every authorization request has. */
export async function standardParameters(attempt: ProviderAttempt): Promise<Record<string, string>> {
	return {
		redirect_uri: new URL(attempt.callbackUrl).href,
		state: attempt.state,
		code_challenge: await calculatePKCECodeChallenge(attempt.codeVerifierPlain),
		code_challenge_method: "S256",
	};
}

/** Our callback with what the browser brought; only what the code flow knows is looked at. */
export function returnedUrl(attempt: ProviderAttempt, parameters: URLSearchParams): URL {
	const url = new URL(attempt.callbackUrl);
	for (const name of ["code", "state", "iss", "error", "response"])
		for (const value of parameters.getAll(name)) url.searchParams.append(name, value);
	return url;
}
