// The browser of whoever began arrives: it is told apart from every other, and sent on to the provider.

import { equalTexts, tokenDigest } from "../../crypto/digest.ts";
import { randomToken } from "../../crypto/random.ts";
import type { SecretBox } from "../../crypto/secret-box.ts";
import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Log } from "../../kernel/log.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { User, UserStore } from "../users/model.ts";
import { isConfirmed } from "./browser-secret.ts";
import type { CallbackNameOf } from "./callback-name.ts";
import {
	attemptContext,
	type IdentityProvider,
	type IdentityProviderStore,
	identityProviderContext,
	type ProviderConnection,
	ProviderFailure,
	type ProviderGateway,
	type SealedIdentityProvider,
	type ThirdPartyAttempt,
	type ThirdPartyAttemptStore,
} from "./model.ts";
import { callbackUrl, returnUrl } from "./our-urls.ts";
import { recordFailure } from "./record-failure.ts";

export interface BeginAttemptDeps {
	readonly db: Persistence<{
		identityProviders: IdentityProviderStore;
		thirdPartyAttempts: ThirdPartyAttemptStore;
		users: UserStore;
		audit: AuditLog;
	}>;
	readonly clock: Clock;
	readonly log: Log;
	readonly secretBox: SecretBox;
	readonly gateway: ProviderGateway;
	readonly publicUrl: string;
	readonly callbackNameOf: CallbackNameOf;
}

export interface Arrival {
	/** Slug in the path. */
	readonly provider: string;
	readonly attemptToken: string;
	/** The one in its cookie, or one made for it just now. */
	readonly browserSecret: string;
	/** `confirmationOf`, when the person has pressed on. */
	readonly confirmation: string;
}

/** Where the browser goes, or whom it has to ask first. */
export type Departure =
	| { readonly location: string }
	| { readonly ask: { readonly user: User; readonly provider: IdentityProvider } };

/**
 * Makes state, nonce and PKCE verifier and binds them to this browser; a second visit of it makes new ones. A link to
 * somebody's account is begun in the very browser that asked for it, or its person is asked first: else a link that
 * was sent around would give away the accounts of whoever opens it.
 *
 * @throws AppError `third_party_attempt.invalid`.
 */
export async function beginAttempt(
	deps: BeginAttemptDeps,
	arrival: Arrival,
	origin: Origin,
): Promise<Departure> {
	const { db, clock, secretBox, publicUrl } = deps;
	const { identityProviders, thirdPartyAttempts, users } = db.stores;
	const attempt = await thirdPartyAttempts.findBegun(tokenDigest(arrival.attemptToken), clock());
	if (attempt === undefined) throw invalidAttempt();
	const provider = await findProvider(identityProviders, attempt, arrival.provider);
	const browserDigest = tokenDigest(arrival.browserSecret);
	const isSameBrowser = attempt.browserDigest !== null && equalTexts(attempt.browserDigest, browserDigest);
	const confirmed = isConfirmed(arrival.confirmation, arrival.browserSecret, arrival.attemptToken);
	if (attempt.linkTo !== null && !isSameBrowser && !confirmed) {
		const user = await users.findById(attempt.tenantId, attempt.linkTo.userId);
		if (user === undefined) throw invalidAttempt();
		return { ask: { user, provider } };
	}
	const state = randomToken();
	const protocol = { nonce: randomToken(), codeVerifierPlain: randomToken() };
	const binding = {
		browserDigest,
		stateDigest: tokenDigest(state),
		protocolSealed: secretBox.seal(JSON.stringify(protocol), attemptContext(attempt.id)),
	};
	const isOurs = await thirdPartyAttempts.bind(attempt.id, binding, attempt.linkTo !== null, clock());
	if (!isOurs) throw invalidAttempt();
	try {
		const own = {
			callbackUrl: callbackUrl(publicUrl, await deps.callbackNameOf(provider)),
			state,
			...protocol,
		};
		return { location: await deps.gateway.authorizationUrl(connectionOf(secretBox, provider), own) };
	} catch (error) {
		if (!(error instanceof ProviderFailure)) throw error;
		await thirdPartyAttempts.remove(attempt.id);
		await recordFailure(deps, { attempt, provider }, error, origin);
		return { location: returnUrl(attempt.redirectUri, "error", "provider_error") };
	}
}

/** The provider of an attempt, if it may still be used and is the one of the path. @throws AppError `third_party_attempt.invalid`. */
export async function findProvider(
	identityProviders: IdentityProviderStore,
	attempt: ThirdPartyAttempt,
	slug: string,
): Promise<SealedIdentityProvider> {
	const provider = await identityProviders.findById(attempt.tenantId, attempt.providerId);
	if (provider === undefined || !provider.enabled || provider.provider !== slug) throw invalidAttempt();
	return provider;
}

export function connectionOf(secretBox: SecretBox, provider: SealedIdentityProvider): ProviderConnection {
	return {
		kind: provider.kind,
		clientId: provider.clientId,
		clientSecretPlain: secretBox.open(provider.clientSecretSealed, identityProviderContext(provider.id)),
		issuer: provider.issuer,
	};
}

/** One answer for everything that is not to be had, since nobody can be sent anywhere with it. */
export function invalidAttempt(): AppError {
	return new AppError(
		"third_party_attempt.invalid",
		"this sign-in has expired, was used already, or began in another browser: start again in the application",
	);
}
