// Exchanges a ticket for tokens: of a third-party sign-in, or of a user who is signed in at the service's own page.

import { equalTexts, sha256Base64url, tokenDigest } from "../../../crypto/digest.ts";
import type { SignInOutcome } from "../../../domain/sign-in.ts";
import { FEDERATED_AMR } from "../../../domain/third-party-account.ts";
import type { Ticket } from "../../../domain/third-party-ticket.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import {
	completeSignIn,
	countSignIn,
	type FirstFactor,
	type SignInNeeds,
	type SignInStores,
} from "../steps/complete-sign-in.ts";

interface TicketProof {
	readonly ticketPlain: string;
	/** `""` for none. */
	readonly codeVerifier: string;
	/** From the cookie of the calling browser. */
	readonly browserSecret: string | undefined;
}

/** A ticket, and the factor that it authenticates. */
interface Found {
	readonly factor: FirstFactor;
	readonly ticket: Pick<Ticket, "browser" | "codeChallenge" | "browserDigest">;
}

/**
 * A ticket works once, even with concurrent requests. A wrong `codeVerifier` or another browser does not consume it. The
 * session has the IP address of the browser that returned, not of the server that exchanges the ticket.
 *
 * @throws AppError `ticket.invalid`, `account.disabled`, `application.access_denied`.
 */
export async function redeemTicket(
	deps: SignInNeeds,
	proof: TicketProof,
	{ requestId }: Origin,
): Promise<SignInOutcome> {
	const digest = tokenDigest(proof.ticketPlain);
	const found = (await findThirdParty(deps, digest)) ?? (await findOfSession(deps, digest));
	if (found === undefined || !isProof(proof, found.ticket)) throw invalidTicket();
	const { factor, ticket } = found;
	return await countSignIn(deps.statistics, factor.user.tenantId, async () => {
		const outcome = await completeSignIn(deps, factor, { ...ticket.browser, requestId });
		if (outcome === undefined) throw invalidTicket();
		return outcome;
	});
}

async function findThirdParty({ db, clock }: SignInNeeds, digest: string): Promise<Found | undefined> {
	const found = await db.stores.tickets.find(digest, clock());
	if (found === undefined) return undefined;
	const { user, ticket } = found;
	const consume = ({ tickets }: SignInStores) => tickets.consume(digest, clock());
	const factor = { user, appId: ticket.appId, amr: FEDERATED_AMR, confirm: consume, refused: consume };
	return { factor, ticket };
}

/**
 * The new session has the authentication methods and time of the session that issued the ticket. The ticket is invalid
 * once that session has ended.
 */
async function findOfSession({ db, clock }: SignInNeeds, digest: string): Promise<Found | undefined> {
	const nowMs = clock();
	const ticket = await db.stores.sessionTickets.find(digest, nowMs);
	if (ticket === undefined) return undefined;
	const session = await db.stores.sessions.findById(ticket.sessionId);
	if (session === undefined || session.refreshExpiresAtMs <= nowMs) return undefined;
	const { id, tenantId, userId, amr, authenticatedAtMs } = session;
	const user = await db.stores.users.findById(tenantId, userId);
	if (user === undefined) return undefined;
	const refused = ({ sessionTickets }: SignInStores) => sessionTickets.consume(digest, nowMs);
	const confirm = async (stores: SignInStores): Promise<boolean> =>
		(await stores.sessions.hold(tenantId, userId, id)) && (await refused(stores));
	const factor = { user, appId: ticket.appId, amr, authenticatedAtMs, confirm, refused };
	return { factor, ticket: { ...ticket, browserDigest: null } };
}

function isProof({ codeVerifier, browserSecret }: TicketProof, ticket: Found["ticket"]): boolean {
	const { codeChallenge, browserDigest } = ticket;
	const isBrowser =
		browserDigest === null ||
		(browserSecret !== undefined && equalTexts(tokenDigest(browserSecret), browserDigest));
	if (!isBrowser) return false;
	if (codeChallenge === "") return codeVerifier === "";
	return equalTexts(sha256Base64url(codeVerifier), codeChallenge);
}

function invalidTicket(): AppError {
	return new AppError("ticket.invalid", "ticket is invalid, expired, or already used");
}
