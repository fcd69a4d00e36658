// Issues a ticket with which a user who is signed in at the service's own page continues to an application.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { TICKET_SECONDS } from "../../../domain/third-party-ticket.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { sessionEnded } from "../steps/confirm-owner.ts";
import { findSessionRefusal, refuseEntry } from "../steps/may-enter.ts";
import { findTicketRefusal, returnUrl } from "../third-party/sign-in-urls.ts";

interface TicketRequest {
	readonly appId: string;
	readonly redirectUri: string;
	/** `""` for none. */
	readonly state: string;
	/** RFC 7636, S256; `""` for none. */
	readonly codeChallenge: string;
}

/**
 * Checks what a sign-in with `app_id` checks. Checks the redirect URI first, so that a page with a foreign one learns
 * nothing about the user.
 *
 * @returns the redirect URI with `ticket` and `state`.
 * @throws AppError `application.token`, `redirect_uri.not_registered` (also for an unknown or disabled application),
 * `oauth_client.exists`, `application.access_denied`, `account.disabled`, `mfa.required`, `token.invalid` if the session has just ended.
 */
export async function issueTicket(
	needs: Needs<
		| "applications"
		| "oauthClients"
		| "accessFacts"
		| "secondFactors"
		| "sessions"
		| "sessionTickets"
		| "audit",
		"clock"
	>,
	{ appId, redirectUri, state, codeChallenge }: TicketRequest,
	caller: SignedIn,
): Promise<string> {
	const { db, clock } = needs;
	const { tenantId, userId, user, sessionId, origin } = caller;
	checkInPerson(caller, "sign in to another application");
	const unfit = await findTicketRefusal(db.stores, { tenantId, redirectUri, appId });
	if (unfit !== undefined) throw unfit;
	const { amr } = found(await db.stores.sessions.findById(sessionId), sessionEnded);
	const refusal = await findSessionRefusal(db.stores, user, amr, [appId]);
	if (refusal !== undefined) return await refuseEntry(needs, refusal, appId, caller);
	const ticketPlain = randomToken();
	const ticket = {
		digest: tokenDigest(ticketPlain),
		tenantId,
		sessionId,
		appId,
		codeChallenge,
		browser: { ip: origin.ip, userAgent: origin.userAgent, acceptLanguage: origin.acceptLanguage },
		expiresAtMs: clock() + TICKET_SECONDS * SECOND_MS,
	};
	await db.transaction(async ({ sessions, sessionTickets }) => {
		if (!(await sessions.hold(tenantId, userId, sessionId))) throw sessionEnded();
		await sessionTickets.insert(ticket);
	});
	const returned = returnUrl(redirectUri, "ticket", ticketPlain);
	return state === "" ? returned : `${returned}&state=${encodeURIComponent(state)}`;
}
