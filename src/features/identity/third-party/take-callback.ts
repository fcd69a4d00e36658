// Takes the provider's callback: identifies the user, who then waits for the page to finish the sign-in.

import { tokenDigest } from "../../../crypto/digest.ts";
import type { IdentityProviderStore, SealedIdentityProvider } from "../../../domain/identity-provider.ts";
import { ProviderFailure, type ProviderProfile } from "../../../domain/provider-gateway.ts";
import { SET_UP_PAGE } from "../../../domain/set-up-link.ts";
import { checkProviderUserId, PROVIDER_USER_ID_MAX } from "../../../domain/third-party-account.ts";
import { attemptContext, type ThirdPartyAttempt } from "../../../domain/third-party-attempt.ts";
import { FINISH_SECONDS } from "../../../domain/third-party-sign-in.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { recordTrial } from "../set-up/set-up-issuer.ts";
import { findEntryRefusal } from "../steps/may-enter.ts";
import { connectionOf } from "./connection.ts";
import { AttemptRefused, recordFailure } from "./record-failure.ts";
import { type IdentityStore, resolveIdentity } from "./resolve-identity.ts";
import { type CallbackOf, pageUrl } from "./sign-in-urls.ts";
import { recordTest, testSignIn } from "./test-provider.ts";

type Needed = Needs<
	IdentityStore | "accessFacts" | "setUpLinks" | "thirdPartyAttempts" | "thirdPartySignIns",
	"clock" | "log" | "secretBox" | "providers" | "publicUrl" | "statistics" | "wakeMail"
> & { readonly callbackOf: CallbackOf };

/** The request with which the browser returns. */
interface Return {
	/** The `CALLBACK_NAME` in the path. */
	readonly callbackName: string;
	/** From the browser's cookie. */
	readonly browserSecret: string | undefined;
	/** The whole query. */
	readonly parameters: URLSearchParams;
}

/** An attempt whose browser returned from the provider. */
interface Returned {
	readonly attempt: ThirdPartyAttempt;
	readonly provider: SealedIdentityProvider;
	readonly state: string;
	readonly callbackUrl: string;
	readonly browserSecret: string;
}

/**
 * Consumes the attempt before calling the provider, in one statement that also compares the browser. A repeated callback,
 * or one in another browser, finds and consumes nothing.
 *
 * @returns the URL of the page to redirect to, with the outcome.
 * @throws AppError `third_party_attempt.invalid`, for every reason: without a valid attempt, no page is known.
 */
export async function takeCallback(
	deps: Needed,
	{ callbackName, browserSecret, parameters }: Return,
	origin: Origin,
): Promise<string> {
	const { db, clock } = deps;
	const [state, ...others] = parameters.getAll("state");
	if (state === undefined || others.length > 0 || browserSecret === undefined) throw invalidAttempt();
	const digests = [tokenDigest(state), tokenDigest(browserSecret)] as const;
	const taken = await db.transaction((stores) => stores.thirdPartyAttempts.take(...digests, clock()));
	const attempt = found(taken, invalidAttempt);
	const [slug = ""] = callbackName.split(".", 1);
	const provider = await findProvider(db.stores.identityProviders, attempt, slug);
	const callback = await deps.callbackOf(provider);
	if (callbackName !== callback.name) throw invalidAttempt();
	const returned = { attempt, provider, state, callbackUrl: callback.url, browserSecret };
	if (attempt.isTest) {
		const profile = fetchProfile(deps, returned, parameters, origin);
		const test = await testSignIn(profile);
		await recordTest(deps, provider, test);
		if (attempt.returnTo === SET_UP_PAGE && test.outcome === "passed")
			await recordTrial(deps, provider, await profile, origin);
		return pageUrl(deps.publicUrl, attempt, "tested");
	}
	try {
		const profile = await fetchProfile(deps, returned, parameters, origin);
		await identify(deps, returned, profile, origin);
		return pageUrl(deps.publicUrl, attempt, attempt.linkTo === null ? "finish" : "linked");
	} catch (error) {
		if (!(error instanceof ProviderFailure || error instanceof AttemptRefused)) throw error;
		const code = await recordFailure(deps, attempt, provider, error, origin);
		return pageUrl(deps.publicUrl, attempt, `error=${code}`);
	}
}

async function fetchProfile(
	{ secretBox, providers, log }: Needed,
	{ attempt, provider, state, callbackUrl }: Returned,
	parameters: URLSearchParams,
	{ requestId }: Origin,
): Promise<ProviderProfile> {
	const protocol: { readonly nonce: string; readonly codeVerifierPlain: string } = JSON.parse(
		secretBox.open(attempt.protocolSealed, attemptContext(attempt.id)),
	);
	const callback = { callbackUrl, state, ...protocol };
	const profile = await providers.fetchProfile(connectionOf(secretBox, provider), callback, parameters);
	for (const subject of [profile.subject, ...profile.otherSubjects]) checkSubject(subject);
	if (profile.omission !== undefined) {
		const where = { request_id: requestId, tenant_id: attempt.tenantId, provider_id: provider.id };
		log.warn({ ...where, error: profile.omission }, "part of a provider's response left out");
	}
	return profile;
}

/** Does not rely on the gateway: a stored subject must be neither empty nor truncated. @throws ProviderFailure */
function checkSubject(subject: string): void {
	try {
		if ([...subject].length > PROVIDER_USER_ID_MAX) throw new RangeError("the subject is too long");
		checkProviderUserId(subject);
	} catch (error) {
		throw new ProviderFailure("invalid_answer", "the provider returned no usable subject", { cause: error });
	}
}

/** Writes the user, link, waiting sign-in, and audit events in one transaction. @throws AttemptRefused */
async function identify(
	{ db, clock, wakeMail, statistics }: Needed,
	{ attempt, provider, browserSecret }: Returned,
	profile: ProviderProfile,
	origin: Origin,
): Promise<void> {
	const nowMs = clock();
	const ids = { newAccountId: newId(nowMs), newUserId: newId(nowMs) };
	const proof = { attempt, provider, profile, origin, nowMs, ...ids };
	const { tenantId, linkTo } = attempt;
	const isNew = await db.transaction(async (stores) => {
		const { user, account } = await resolveIdentity(stores, proof);
		if ((await findEntryRefusal(stores, user, null)) !== undefined)
			throw new AttemptRefused("account_disabled", user.id);
		// A link needs no sign-in: the session of the user who started continues.
		if (linkTo === null)
			await stores.thirdPartySignIns.put({
				browserDigest: tokenDigest(browserSecret),
				tenantId,
				accountId: account.id,
				expiresAtMs: nowMs + FINISH_SECONDS * SECOND_MS,
			});
		return user.id === ids.newUserId;
	});
	if (isNew) statistics.count(tenantId, "registration");
	wakeMail();
}

/**
 * The provider of the attempt, which is enabled unless the attempt tests it.
 *
 * @throws AppError `third_party_attempt.invalid`, also if `slug` names another provider.
 */
async function findProvider(
	identityProviders: IdentityProviderStore,
	attempt: ThirdPartyAttempt,
	slug: string,
): Promise<SealedIdentityProvider> {
	const provider = await identityProviders.findById(attempt.tenantId, attempt.providerId);
	const isUsable = provider?.provider === slug && (provider.enabled || attempt.isTest);
	if (provider === undefined || !isUsable) throw invalidAttempt();
	return provider;
}

/** One error for every reason, shown as a page. */
export function invalidAttempt(): AppError {
	return new AppError(
		"third_party_attempt.invalid",
		"this sign-in has expired, was used already, or began in another browser: start again",
	);
}
