// The browser is back from the provider: who is it, and with what does it return to the application?

import { tokenDigest } from "../../crypto/digest.ts";
import { randomToken } from "../../crypto/random.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { newId } from "../../kernel/id.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { ApplicationStore } from "../applications/model.ts";
import { type AccessFactStore, decideAccess } from "../authorization/model.ts";
import { type BeginAttemptDeps, connectionOf, findProvider, invalidAttempt } from "./begin-attempt.ts";
import {
	attemptContext,
	checkProviderUserId,
	PROVIDER_USER_ID_MAX,
	ProviderFailure,
	type ProviderProfile,
	type SealedIdentityProvider,
	type ThirdPartyAttempt,
	type ThirdPartyAttemptStore,
	TICKET_SECONDS,
	type Ticket,
	type TicketStore,
} from "./model.ts";
import { callbackUrl, returnUrl } from "./our-urls.ts";
import { AttemptRefused, recordFailure } from "./record-failure.ts";
import { type IdentityStores, resolveIdentity } from "./resolve-identity.ts";

interface FinishStores extends IdentityStores {
	readonly applications: ApplicationStore;
	readonly accessFacts: AccessFactStore;
	readonly thirdPartyAttempts: ThirdPartyAttemptStore;
	readonly tickets: TicketStore;
}

export interface FinishAttemptDeps extends Omit<BeginAttemptDeps, "db"> {
	readonly db: Persistence<FinishStores>;
	readonly wakeMail: () => void;
}

export interface Return {
	/** What stands for the provider in the path. */
	readonly callbackName: string;
	/** Out of the browser's cookie. */
	readonly browserSecret: string | undefined;
	/** All that stood in the query. */
	readonly parameters: URLSearchParams;
}

type TakenAttempt = ThirdPartyAttempt & { readonly protocolSealed: string };

/**
 * The attempt is used up before the provider is asked anything, by one statement that compares the browser too: a
 * callback that is repeated, or opened elsewhere, finds nothing and uses nothing up.
 *
 * @returns where the browser goes: the registered redirect address with a ticket, or with a `CallbackError`.
 * @throws AppError `third_party_attempt.invalid` when it is not known where that would be.
 */
export async function finishAttempt(deps: FinishAttemptDeps, back: Return, origin: Origin): Promise<string> {
	const { db, clock } = deps;
	const { browserSecret, parameters } = back;
	const [state, ...others] = parameters.getAll("state");
	if (state === undefined || others.length > 0 || browserSecret === undefined) throw invalidAttempt();
	const digests = [tokenDigest(state), tokenDigest(browserSecret)] as const;
	const attempt = await db.transaction((stores) => stores.thirdPartyAttempts.take(...digests, clock()));
	if (attempt === undefined) throw invalidAttempt();
	const slug = back.callbackName.replace(/\..*$/, "");
	const provider = await findProvider(db.stores.identityProviders, attempt, slug);
	if (back.callbackName !== (await deps.callbackNameOf(provider))) throw invalidAttempt();
	const { tenantId, redirectUri, appId } = attempt;
	// Whatever was registered at the start: an address that was taken off the list since is not gone to.
	if (!(await db.stores.applications.hasRedirectUri(tenantId, redirectUri, appId))) throw invalidAttempt();
	try {
		const profile = await fetchProfile(deps, attempt, provider, state, parameters);
		return returnUrl(redirectUri, "ticket", await issueTicket(deps, attempt, provider, profile, origin));
	} catch (error) {
		if (!(error instanceof ProviderFailure || error instanceof AttemptRefused)) throw error;
		const code = await recordFailure(deps, { attempt, provider }, error, origin);
		return returnUrl(redirectUri, "error", code);
	}
}

async function fetchProfile(
	{ secretBox, gateway, publicUrl, callbackNameOf }: FinishAttemptDeps,
	attempt: TakenAttempt,
	provider: SealedIdentityProvider,
	state: string,
	parameters: URLSearchParams,
): Promise<ProviderProfile> {
	const opened = secretBox.open(attempt.protocolSealed, attemptContext(attempt.id));
	const protocol: { readonly nonce: string; readonly codeVerifierPlain: string } = JSON.parse(opened);
	const own = { callbackUrl: callbackUrl(publicUrl, await callbackNameOf(provider)), state, ...protocol };
	const profile = await gateway.fetchProfile(connectionOf(secretBox, provider), own, parameters);
	for (const subject of [profile.subject, ...profile.otherSubjects]) checkSubject(subject);
	return profile;
}

/** Whatever a gateway lets through: an identity is never empty, and never longer than what is kept of it. */
function checkSubject(subject: string): void {
	try {
		if ([...subject].length > PROVIDER_USER_ID_MAX) throw new RangeError("the subject is too long");
		checkProviderUserId(subject);
	} catch (error) {
		throw new ProviderFailure("invalid_answer", "the provider gave no usable subject", { cause: error });
	}
}

/** Identity, account, link, ticket and audit in one transaction, or none of it. @throws AttemptRefused */
async function issueTicket(
	{ db, clock, wakeMail }: FinishAttemptDeps,
	attempt: ThirdPartyAttempt,
	provider: SealedIdentityProvider,
	profile: ProviderProfile,
	origin: Origin,
): Promise<string> {
	const ticketPlain = randomToken();
	const now = clock();
	const proved = {
		attempt,
		provider,
		profile,
		origin,
		nowMs: now,
		newAccountId: newId(now),
		newUserId: newId(now),
	};
	await db.transaction(async (stores) => {
		const { user, account } = await resolveIdentity(stores, proved);
		if (user.status !== "active") throw new AttemptRefused("account_disabled", user.id);
		if (attempt.appId !== null) {
			const facts = await stores.accessFacts.load(attempt.tenantId, user.id, attempt.appId);
			if (!decideAccess(facts).allowed) throw new AttemptRefused("no_access", user.id);
		}
		const ticket: Ticket = {
			digest: tokenDigest(ticketPlain),
			tenantId: attempt.tenantId,
			accountId: account.id,
			appId: attempt.appId,
			codeChallenge: attempt.codeChallenge,
			browser: { ip: origin.ip, userAgent: origin.userAgent, acceptLanguage: origin.acceptLanguage },
			expiresAtMs: now + TICKET_SECONDS * SECOND_MS,
		};
		await stores.tickets.insert(ticket);
	});
	wakeMail();
	return ticketPlain;
}
