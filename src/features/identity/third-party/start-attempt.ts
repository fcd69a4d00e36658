// Starts a sign-in with a provider, or the linking of an account at one.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { redirectUriNotRegistered } from "../../../domain/application.ts";
import { identityProviderNotFound } from "../../../domain/identity-provider.ts";
import { ATTEMPT_SECONDS, type ThirdPartyAttempt } from "../../../domain/third-party-attempt.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { beginUrl, mayReturn } from "./sign-in-urls.ts";

export interface AttemptRequest
	extends Pick<ThirdPartyAttempt, "tenantId" | "redirectUri" | "appId" | "codeChallenge" | "linkTo"> {
	/** Slug. */
	readonly provider: string;
	/** Of the calling browser, when the response sets its cookie. */
	readonly browserSecret: string | null;
}

/**
 * Does not call the provider. The authorization URL leads to this service first, where the browser is identified: an
 * application may start from its own server, or from a page of another site whose cookies are dropped.
 *
 * @returns the authorization URL, valid for `ATTEMPT_SECONDS`.
 * @throws AppError `identity_provider.not_found` (also when it is disabled), `redirect_uri.not_registered`.
 */
export async function startAttempt(
	needs: Needs<"identityProviders" | "applications" | "thirdPartyAttempts", "clock" | "publicUrl">,
	{ provider: slug, browserSecret, ...fields }: AttemptRequest,
): Promise<string> {
	const { identityProviders, thirdPartyAttempts } = needs.db.stores;
	const provider = await identityProviders.findEnabled(fields.tenantId, slug);
	if (provider === undefined) throw identityProviderNotFound();
	if (!(await mayReturn(needs, fields))) throw redirectUriNotRegistered();
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
