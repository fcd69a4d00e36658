// Issues the secrets of OAuth clients.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { hintOf } from "../../../domain/client-secret.ts";
import { type NewOAuthSecret, NO_OAUTH_SECRET } from "../../../domain/oauth-client.ts";
import { CREDENTIAL_PREFIX } from "../../../kernel/credential-prefix.ts";

/** `secretPlain`: the prefix and 43 base64url characters, 256 bits, to show once. Without a previous secret. */
export function issueOAuthSecret(nowMs: number): NewOAuthSecret & { readonly secretPlain: string } {
	const secretPlain = `${CREDENTIAL_PREFIX.oauthSecret}${randomToken()}`;
	return {
		...NO_OAUTH_SECRET,
		secretPlain,
		secretDigest: tokenDigest(secretPlain),
		secretHint: hintOf(secretPlain),
		secretCreatedAtMs: nowMs,
	};
}
