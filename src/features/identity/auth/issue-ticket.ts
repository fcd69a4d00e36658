// Sends a person who is signed in at the service's own page on to an application, with a ticket.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { redirectUriNotRegistered } from "../../../domain/application.ts";
import { userTarget } from "../../../domain/audit.ts";
import { hasFactor } from "../../../domain/second-factor.ts";
import { checkInPerson, type Session, type SignedIn } from "../../../domain/session.ts";
import { TICKET_SECONDS } from "../../../domain/third-party-ticket.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { findEntryRefusal, lacksRequiredFactor } from "../steps/may-enter.ts";
import { returnUrl } from "../third-party/sign-in-urls.ts";

type Needed = Needs<
	"applications" | "accessFacts" | "secondFactors" | "sessions" | "sessionTickets" | "audit",
	"clock"
>;

export interface TicketRequest {
	readonly appId: string;
	readonly redirectUri: string;
	/** `""`: none. */
	readonly state: string;
	/** RFC 7636, S256, or `""`. */
	readonly codeChallenge: string;
}

/**
 * Checks what a sign-in with `app_id` checks. The address is checked first: nothing about the user is revealed to a
 * page that asks for another one.
 *
 * @returns the redirect URI with `ticket` and `state`.
 * @throws AppError `application.token`, `redirect_uri.not_registered` (also for an unknown or disabled application),
 * `application.access_denied`, `account.disabled`, `mfa.required`, `token.invalid` when the session has just ended.
 */
export async function issueTicket(needs: Needed, request: TicketRequest, caller: SignedIn): Promise<string> {
	const { db, clock } = needs;
	const { tenantId, origin } = caller;
	const { appId, redirectUri, state, codeChallenge } = request;
	checkInPerson(caller, "sign in to another application");
	if (!(await db.stores.applications.hasRedirectUri(tenantId, redirectUri, appId)))
		throw redirectUriNotRegistered();
	const session = await db.stores.sessions.findById(caller.sessionId);
	if (session === undefined) throw new AppError("token.invalid", "access token is invalid or expired");
	await checkMayEnter(needs, session, appId, caller);
	const ticketPlain = randomToken();
	const ticket = {
		digest: tokenDigest(ticketPlain),
		tenantId,
		sessionId: session.id,
		appId,
		codeChallenge,
		browser: { ip: origin.ip, userAgent: origin.userAgent, acceptLanguage: origin.acceptLanguage },
		expiresAtMs: clock() + TICKET_SECONDS * SECOND_MS,
	};
	await db.transaction(async ({ sessions, sessionTickets }) => {
		if (!(await sessions.hold(tenantId, caller.userId, session.id)))
			throw new AppError("token.invalid", "access token is invalid or expired");
		await sessionTickets.insert(ticket);
	});
	const returned = returnUrl(redirectUri, "ticket", ticketPlain);
	return state === "" ? returned : `${returned}&state=${encodeURIComponent(state)}`;
}

/** Audits a refusal by the account or the application like that of a sign-in. */
async function checkMayEnter(
	{ db }: Needed,
	{ tenantId, userId, amr }: Session,
	appId: string,
	caller: SignedIn,
): Promise<void> {
	const refusal = await findEntryRefusal(db.stores, caller.user, appId);
	if (refusal !== undefined) {
		const details = { reason: refusal.code, app_id: appId };
		await db.transaction(({ audit }) =>
			audit.append(caller, "user.sign_in_failed", userTarget(caller.user), details),
		);
		throw refusal;
	}
	if (amr.includes("mfa")) return;
	const enrolled = await db.stores.secondFactors.findEnrolled(tenantId, userId);
	if (hasFactor(enrolled) || (await lacksRequiredFactor(db.stores, { tenantId, appId, amr })))
		throw new AppError("mfa.required", "a second factor is required here: sign in again");
}
