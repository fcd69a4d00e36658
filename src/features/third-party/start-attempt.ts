// An application begins a sign-in with a provider, or somebody who is signed in begins to link an account of theirs.

import { tokenDigest } from "../../crypto/digest.ts";
import { randomToken } from "../../crypto/random.ts";
import { type Clock, SECOND_MS } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import { newId } from "../../kernel/id.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { ApplicationStore } from "../applications/model.ts";
import {
	ATTEMPT_SECONDS,
	type IdentityProviderStore,
	identityProviderNotFound,
	type ThirdPartyAttempt,
	type ThirdPartyAttemptStore,
} from "./model.ts";
import { beginUrl } from "./our-urls.ts";

export interface StartAttemptDeps {
	readonly db: Persistence<{
		identityProviders: IdentityProviderStore;
		applications: ApplicationStore;
		thirdPartyAttempts: ThirdPartyAttemptStore;
	}>;
	readonly clock: Clock;
	readonly publicUrl: string;
}

export interface WantedAttempt {
	readonly tenantId: string;
	/** Slug. */
	readonly provider: string;
	readonly redirectUri: string;
	readonly appId: string | null;
	/** `""` when the application does not bind its ticket. */
	readonly codeChallenge: string;
	readonly linkTo: ThirdPartyAttempt["linkTo"];
	/** Of the browser that asks, where the answer will set its cookie. */
	readonly browserSecret: string | null;
}

/**
 * Nothing is asked of the provider yet. The address leads to ourselves first: only there is the browser known, since an
 * application may ask from its own server, or from a page of another site whose cookies are dropped.
 *
 * @throws AppError `identity_provider.not_found` (also when it is not enabled), `redirect_uri.not_registered`.
 */
export async function startAttempt(
	{ db, clock, publicUrl }: StartAttemptDeps,
	wanted: WantedAttempt,
): Promise<{ readonly authorizationUrl: string; readonly expiresInSeconds: number }> {
	const { tenantId, redirectUri, appId } = wanted;
	const provider = await db.stores.identityProviders.findEnabled(tenantId, wanted.provider);
	if (provider === undefined) throw identityProviderNotFound();
	await checkRedirectUri(db.stores.applications, tenantId, redirectUri, appId);
	const now = clock();
	const attemptToken = randomToken();
	await db.stores.thirdPartyAttempts.insert({
		id: newId(now),
		tenantId,
		providerId: provider.id,
		appId,
		redirectUri,
		codeChallenge: wanted.codeChallenge,
		linkTo: wanted.linkTo,
		beginDigest: tokenDigest(attemptToken),
		browserDigest: wanted.browserSecret === null ? null : tokenDigest(wanted.browserSecret),
		expiresAtMs: now + ATTEMPT_SECONDS * SECOND_MS,
	});
	return {
		authorizationUrl: beginUrl(publicUrl, provider.provider, attemptToken),
		expiresInSeconds: ATTEMPT_SECONDS,
	};
}

/** One message for everything: which applications there are is nobody's business. */
async function checkRedirectUri(
	applications: ApplicationStore,
	tenantId: string,
	redirectUri: string,
	appId: string | null,
): Promise<void> {
	if (await applications.hasRedirectUri(tenantId, redirectUri, appId)) return;
	throw new AppError(
		"redirect_uri.not_registered",
		"redirect_uri must be, character by character, a redirect URI of the active application",
		{ fields: [{ field: "redirect_uri", message: "is not registered" }] },
	);
}
