// A `fetch` that signs every request.

import { type RepeatOptions, repeatingFetch, type SignedFetch } from "./repeating-fetch.ts";
import { type Credentials, type SignOptions, sign } from "./sign.ts";

export interface SignedFetchOptions extends SignOptions, RepeatOptions {
	/**
	 * Where signed requests may go besides the origin of `url`, such as an API behind a gate: https, or http on this
	 * machine. A signature does not cover the host.
	 */
	readonly origins?: readonly string[];
}

/**
 * A path is resolved against `url` of the credentials. Every attempt has its own nonce; `repeatingFetch` says when there
 * are several.
 *
 * @throws TypeError for a URL that is not https
 */
export function signedFetch(credentials: Credentials, options: SignedFetchOptions = {}): SignedFetch {
	return repeatingFetch(credentials.url, options, sign.bind(null, credentials), options.origins);
}
