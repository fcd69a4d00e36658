// What each kind of provider gives the gateway.

import type {
	ProviderAttempt,
	ProviderConnection,
	ProviderProfile,
} from "../../features/third-party/model.ts";
import type { ProviderCalls } from "./bounded-fetch.ts";

/** One kind of provider. Both may throw whatever the libraries throw: the gateway makes a `ProviderFailure` of it. */
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
