// Finishes an attempt when the browser returns from the provider: identifies the user and issues a ticket.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import type { SealedIdentityProvider } from "../../../domain/identity-provider.ts";
import { ProviderFailure, type ProviderProfile } from "../../../domain/provider-gateway.ts";
import { checkProviderUserId, PROVIDER_USER_ID_MAX } from "../../../domain/third-party-account.ts";
import { attemptContext, type ThirdPartyAttempt } from "../../../domain/third-party-attempt.ts";
import { TICKET_SECONDS } from "../../../domain/third-party-ticket.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { findEntryRefusal } from "../steps/may-enter.ts";
import { connectionOf, findProvider, invalidAttempt } from "./begin-attempt.ts";
import { AttemptRefused, recordFailure } from "./record-failure.ts";
import { type IdentityStore, resolveIdentity } from "./resolve-identity.ts";
import { type CallbackOf, findReturnRefusal, isOwnPage, returnOf } from "./sign-in-urls.ts";

type Needed = Needs<
	IdentityStore | "applications" | "oauthClients" | "accessFacts" | "thirdPartyAttempts" | "tickets",
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
	readonly attempt: ThirdPartyAttempt & { readonly protocolSealed: string };
	readonly provider: SealedIdentityProvider;
	readonly state: string;
	readonly callbackUrl: string;
	readonly browserSecret: string;
}

/**
 * Consumes the attempt before calling the provider, in one statement that also compares the browser. A repeated callback,
 * or one in another browser, finds and consumes nothing.
 *
 * @returns the URL to redirect to: the registered redirect URI with a ticket or a `CallbackError`.
 * @throws AppError `third_party_attempt.invalid` if the redirect URI is not known.
 */
export async function finishAttempt(
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
	// Check again: since the start, the redirect URI may have been removed, or an OAuth client created.
	if ((await findReturnRefusal(deps, attempt)) !== undefined) throw invalidAttempt();
	try {
		const returned = { attempt, provider, state, callbackUrl: callback.url, browserSecret };
		const profile = await fetchProfile(deps, returned, parameters);
		const ticket = await issueTicket(deps, returned, profile, origin);
		return returnOf(deps.publicUrl, attempt, "ticket", ticket);
	} catch (error) {
		if (!(error instanceof ProviderFailure || error instanceof AttemptRefused)) throw error;
		const code = await recordFailure(deps, { attempt, provider }, error, origin);
		return returnOf(deps.publicUrl, attempt, "error", code);
	}
}

async function fetchProfile(
	{ secretBox, providers }: Needed,
	{ attempt, provider, state, callbackUrl }: Returned,
	parameters: URLSearchParams,
): Promise<ProviderProfile> {
	const protocol: { readonly nonce: string; readonly codeVerifierPlain: string } = JSON.parse(
		secretBox.open(attempt.protocolSealed, attemptContext(attempt.id)),
	);
	const callback = { callbackUrl, state, ...protocol };
	const profile = await providers.fetchProfile(connectionOf(secretBox, provider), callback, parameters);
	for (const subject of [profile.subject, ...profile.otherSubjects]) checkSubject(subject);
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

/** Writes the user, link, ticket, and audit events in one transaction. @throws AttemptRefused */
async function issueTicket(
	{ db, clock, wakeMail, statistics, publicUrl }: Needed,
	{ attempt, provider, browserSecret }: Returned,
	profile: ProviderProfile,
	origin: Origin,
): Promise<string> {
	const ticketPlain = randomToken();
	const nowMs = clock();
	const ids = { newAccountId: newId(nowMs), newUserId: newId(nowMs) };
	const proof = { attempt, provider, profile, origin, nowMs, ...ids };
	const { tenantId, appId, codeChallenge } = attempt;
	const { ip, userAgent, acceptLanguage } = origin;
	const isNew = await db.transaction(async (stores) => {
		const { user, account } = await resolveIdentity(stores, proof);
		const refusal = await findEntryRefusal(stores, user, appId);
		if (refusal !== undefined)
			throw new AttemptRefused(
				refusal.code === "account.disabled" ? "account_disabled" : "no_access",
				user.id,
			);
		await stores.tickets.insert({
			digest: tokenDigest(ticketPlain),
			tenantId,
			accountId: account.id,
			appId,
			codeChallenge,
			browser: { ip, userAgent, acceptLanguage },
			// A page of the service keeps no verifier. Its browser is authenticated by the cookie instead.
			browserDigest: isOwnPage(publicUrl, attempt) ? tokenDigest(browserSecret) : null,
			expiresAtMs: nowMs + TICKET_SECONDS * SECOND_MS,
		});
		return user.id === ids.newUserId;
	});
	if (isNew) statistics.count(tenantId, "registration");
	wakeMail();
	return ticketPlain;
}
