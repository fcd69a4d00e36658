// The open APIs as functions.

import type {
	AccessDecision,
	AccessQuestion,
	ApiClient,
	BasicUser,
	ThirdPartyAccount,
	UserWithThirdPartyAccount,
	WhoAmI,
} from "./operations.ts";
import type { SignedFetch } from "./repeating-fetch.ts";
import { requestJson } from "./request-json.ts";
import type { Credentials } from "./sign.ts";
import { type SignedFetchOptions, signedFetch } from "./signed-fetch.ts";

/** Every function throws LatchkeyError for a refusal, and TypeError with the URL if there is no response. */
export function createClient(credentials: Credentials, options?: SignedFetchOptions) {
	const send = signedFetch(credentials, options);
	return {
		/** Signs any request, for example to an API behind a gate. */
		fetch: send,
		whoami: () => call<WhoAmI>(send, "whoami"),
		getUser: (id: string) => call<BasicUser>(send, `users/${encodeURIComponent(id)}`),
		/** A denial is not an error: `allowed` is false. */
		checkAccess: (question: AccessQuestion) => call<AccessDecision>(send, "users/check-access", question),
		findUser: (account: ThirdPartyAccount) =>
			call<UserWithThirdPartyAccount>(send, "third-party/find-user", account),
	};
}

/**
 * Replaces the Secret. Store `secret` of the result before the old one expires, after `overlap_seconds`: only this
 * response contains it.
 *
 * @param overlap_seconds up to 30 days; default one day
 */
export function rotateSecret(
	credentials: Credentials,
	body: { overlap_seconds?: number } = {},
	options?: SignedFetchOptions,
): Promise<ApiClient & { secret: string }> {
	return call(signedFetch(credentials, options), "secret/rotate", body);
}

async function call<T>(send: SignedFetch, path: string, body?: object): Promise<T> {
	return ((await requestJson(send, `/api/v1/external/${path}`, body)) as { data: T }).data;
}
