// A `fetch` that signs every request.

import { type RepeatOptions, repeatingFetch } from "./repeating-fetch.ts";
import { type Credentials, type SignOptions, sign } from "./sign.ts";

export interface SignedFetchOptions extends SignOptions, RepeatOptions {}

/** A path is resolved against `url` of the credentials. Every attempt has its own nonce; `repeatingFetch` says when there are several. */
export function signedFetch(credentials: Credentials, options: SignedFetchOptions = {}): typeof fetch {
	return repeatingFetch(credentials.url, options, sign.bind(null, credentials));
}
