// Starts a sign-in with a provider, or links an account at one.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { identityProviderNotFound, type SealedIdentityProvider } from "../../../domain/identity-provider.ts";
import { ProviderFailure } from "../../../domain/provider-gateway.ts";
import {
	ATTEMPT_SECONDS,
	attemptContext,
	type ThirdPartyAttempt,
} from "../../../domain/third-party-attempt.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { connectionOf } from "./connection.ts";
import { recordFailure } from "./record-failure.ts";
import { type CallbackOf, checkReturnTo } from "./sign-in-urls.ts";

export type AttemptNeeds = Needs<"thirdPartyAttempts", "clock" | "secretBox" | "providers"> & {
	readonly callbackOf: CallbackOf;
};
type Needed = AttemptNeeds &
	Needs<"identityProviders" | "users" | "audit", "log" | "publicUrl" | "statistics">;

interface AttemptFields extends Pick<ThirdPartyAttempt, "tenantId" | "returnTo" | "linkTo" | "isTest"> {
	/** The secret of the calling browser; the response sets its cookie. */
	readonly browserSecret: string;
}

export interface AttemptRequest extends Omit<AttemptFields, "isTest"> {
	readonly provider: string;
}

/**
 * Creates the state, nonce, and PKCE verifier and binds them to the calling browser: only that browser can return with
 * them. May fetch the provider's metadata.
 *
 * @returns the URL at the provider, valid for `ATTEMPT_SECONDS`.
 * @throws AppError `request.invalid` (`return_to`), `identity_provider.not_found` (also for a disabled one),
 * `identity_provider.unavailable`.
 */
export async function startAttempt(
	needs: Needed,
	{ provider: slug, ...fields }: AttemptRequest,
	origin: Origin,
): Promise<string> {
	checkReturnTo(fields.returnTo, needs.publicUrl);
	const enabled = await needs.db.stores.identityProviders.findEnabled(fields.tenantId, slug);
	const provider = found(enabled, identityProviderNotFound);
	return await openAttempt(needs, provider, { ...fields, isTest: false }).catch(async (error: unknown) => {
		if (!(error instanceof ProviderFailure)) throw error;
		await recordFailure(needs, fields, provider, error, origin);
		throw new AppError("identity_provider.unavailable", "the provider cannot be used now: try again later");
	});
}

/**
 * Stores an attempt at a provider, enabled or not.
 *
 * @returns the URL at the provider.
 * @throws ProviderFailure
 */
export async function openAttempt(
	{ db, clock, secretBox, providers, callbackOf }: AttemptNeeds,
	provider: SealedIdentityProvider,
	{ browserSecret, ...fields }: AttemptFields,
): Promise<string> {
	const state = randomToken();
	const protocol = { nonce: randomToken(), codeVerifierPlain: randomToken() };
	const callback = { callbackUrl: (await callbackOf(provider)).url, state, ...protocol };
	const url = await providers.authorizationUrl(connectionOf(secretBox, provider), callback);
	const nowMs = clock();
	const id = newId(nowMs);
	await db.stores.thirdPartyAttempts.insert({
		...fields,
		id,
		providerId: provider.id,
		browserDigest: tokenDigest(browserSecret),
		stateDigest: tokenDigest(state),
		protocolSealed: secretBox.seal(JSON.stringify(protocol), attemptContext(id)),
		expiresAtMs: nowMs + ATTEMPT_SECONDS * SECOND_MS,
	});
	return url;
}
