// Starts a sign-in with a provider, or links an account at one.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { identityProviderNotFound } from "../../../domain/identity-provider.ts";
import { ATTEMPT_SECONDS, type ThirdPartyAttempt } from "../../../domain/third-party-attempt.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { beginUrl, findReturnRefusal } from "./sign-in-urls.ts";

interface AttemptRequest
	extends Pick<ThirdPartyAttempt, "tenantId" | "redirectUri" | "appId" | "codeChallenge" | "linkTo"> {
	/** The slug of the provider. */
	readonly provider: string;
	/** The secret of the calling browser, if the response sets its cookie. */
	readonly browserSecret: string | null;
}

/**
 * Does not call the provider. The authorization URL leads to this service first, which identifies the browser: an
 * application may start the attempt from its server, or from a page of another site, whose cookies the browser drops.
 *
 * @returns the authorization URL, valid for `ATTEMPT_SECONDS`.
 * @throws AppError `identity_provider.not_found` (also for a disabled one), `redirect_uri.not_registered`,
 * `oauth_client.exists`.
 */
export async function startAttempt(
	needs: Needs<
		"identityProviders" | "applications" | "oauthClients" | "thirdPartyAttempts",
		"clock" | "publicUrl"
	>,
	{ provider: slug, browserSecret, ...fields }: AttemptRequest,
): Promise<string> {
	const { identityProviders, thirdPartyAttempts } = needs.db.stores;
	const enabled = await identityProviders.findEnabled(fields.tenantId, slug);
	const provider = found(enabled, identityProviderNotFound);
	const refusal = await findReturnRefusal(needs, fields);
	if (refusal !== undefined) throw refusal;
	const now = needs.clock();
	const attemptToken = randomToken();
	await thirdPartyAttempts.insert({
		...fields,
		id: newId(now),
		providerId: provider.id,
		beginDigest: tokenDigest(attemptToken),
		browserDigest: browserSecret === null ? null : tokenDigest(browserSecret),
		expiresAtMs: now + ATTEMPT_SECONDS * SECOND_MS,
	});
	return beginUrl(needs.publicUrl, provider.provider, attemptToken);
}
