// The outcome of a sign-in with a provider.

import { ApiError } from "../api/error.ts";
import { type Outcome, visitorCall } from "./visitor-call.ts";

/** @throws ApiError `provider.<error>` if the provider or the service refused. */
export async function providerOutcome(
	response: { readonly ticket: string } | { readonly error: string },
): Promise<Outcome> {
	if ("error" in response) throw new ApiError(0, `provider.${response.error}`, response.error);
	return (await visitorCall("POST /auth/third-party/token", { ticket: response.ticket })).data;
}
