// Binds an attempt to the browser that begins it, and redirects the browser to the provider.

import { equalTexts, tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import type { SecretBox } from "../../../crypto/secret-box.ts";
import {
	type IdentityProvider,
	type IdentityProviderStore,
	identityProviderContext,
	type SealedIdentityProvider,
} from "../../../domain/identity-provider.ts";
import { type ProviderConnection, ProviderFailure } from "../../../domain/provider-gateway.ts";
import { attemptContext, type ThirdPartyAttempt } from "../../../domain/third-party-attempt.ts";
import type { User } from "../../../domain/user.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { confirmationOf } from "./browser-secret.ts";
import { recordFailure } from "./record-failure.ts";
import { type CallbackOf, returnOf } from "./sign-in-urls.ts";

type Needed = Needs<
	"identityProviders" | "thirdPartyAttempts" | "users" | "audit",
	"clock" | "log" | "secretBox" | "providers" | "publicUrl" | "statistics"
> & { readonly callbackOf: CallbackOf };

interface Arrival {
	/** The slug in the path. */
	readonly provider: string;
	readonly attemptToken: string;
	/** From the browser's cookie, or a new one. */
	readonly browserSecret: string;
	/** `confirmationOf` after the user has confirmed the link, otherwise `""`. */
	readonly confirmation: string;
}

/** The URL to redirect to, or the link that the user must confirm first. */
type Departure = { readonly location: string } | { readonly confirm: LinkToConfirm };
export interface LinkToConfirm {
	readonly user: User;
	readonly provider: IdentityProvider;
}

/**
 * Creates the state, nonce, and PKCE verifier and binds them to this browser; a second visit of the same browser replaces
 * them. Linking an account requires the browser that started it, or the user's confirmation. Otherwise a forwarded URL
 * would link the provider account of the person who opens it.
 *
 * @throws AppError `third_party_attempt.invalid`.
 */
export async function beginAttempt(deps: Needed, arrival: Arrival, origin: Origin): Promise<Departure> {
	const { db, clock, secretBox } = deps;
	const { identityProviders, thirdPartyAttempts, users } = db.stores;
	const { attemptToken, browserSecret, confirmation } = arrival;
	const attempt = found(
		await thirdPartyAttempts.findBegun(tokenDigest(attemptToken), clock()),
		invalidAttempt,
	);
	const provider = await findProvider(identityProviders, attempt, arrival.provider);
	const browserDigest = tokenDigest(browserSecret);
	const isSameBrowser = attempt.browserDigest !== null && equalTexts(attempt.browserDigest, browserDigest);
	const isConfirmed = equalTexts(confirmation, confirmationOf(browserSecret, attemptToken));
	if (attempt.linkTo !== null && !isSameBrowser && !isConfirmed) {
		const user = found(await users.findById(attempt.tenantId, attempt.linkTo.userId), invalidAttempt);
		return { confirm: { user, provider } };
	}
	const state = randomToken();
	const protocol = { nonce: randomToken(), codeVerifierPlain: randomToken() };
	const binding = {
		browserDigest,
		stateDigest: tokenDigest(state),
		protocolSealed: secretBox.seal(JSON.stringify(protocol), attemptContext(attempt.id)),
	};
	const isBound = await thirdPartyAttempts.bind(attempt.id, binding, attempt.linkTo !== null, clock());
	if (!isBound) throw invalidAttempt();
	try {
		const callback = { callbackUrl: (await deps.callbackOf(provider)).url, state, ...protocol };
		return { location: await deps.providers.authorizationUrl(connectionOf(secretBox, provider), callback) };
	} catch (error) {
		if (!(error instanceof ProviderFailure)) throw error;
		await thirdPartyAttempts.remove(attempt.id);
		await recordFailure(deps, { attempt, provider }, error, origin);
		return { location: returnOf(deps.publicUrl, attempt, "error", "provider_error") };
	}
}

/**
 * The enabled provider of the attempt.
 *
 * @throws AppError `third_party_attempt.invalid`, also if `slug` names another provider.
 */
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
	const { id, kind, clientId, issuer, clientSecretSealed } = provider;
	const clientSecretPlain = secretBox.open(clientSecretSealed, identityProviderContext(id));
	return { kind, clientId, clientSecretPlain, issuer };
}

/** One error for every reason, shown as a page: without a valid attempt, there is no redirect URI to return to. */
export function invalidAttempt(): AppError {
	return new AppError(
		"third_party_attempt.invalid",
		"this sign-in has expired, was used already, or began in another browser: start again in the application",
	);
}
