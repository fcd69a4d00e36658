// The interface of the client for a kind of provider.

import type { ProviderAttempt, ProviderConnection, ProviderProfile } from "../../domain/provider-gateway.ts";
import type { ProviderCalls } from "./bounded-fetch.ts";

/** Both methods may throw errors of the libraries, which the gateway converts to `ProviderFailure`. */
export interface ProviderClient {
	authorizationUrl(
		calls: ProviderCalls,
		connection: ProviderConnection,
		attempt: ProviderAttempt,
	): Promise<string>;
	fetchProfile(
		calls: ProviderCalls,
		connection: ProviderConnection,
		attempt: ProviderAttempt,
		parameters: URLSearchParams,
	): Promise<ProviderProfile>;
}
