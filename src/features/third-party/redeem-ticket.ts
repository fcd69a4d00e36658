// An application exchanges the ticket its user came back with for tokens.

import { equalTexts, sha256Base64url, tokenDigest } from "../../crypto/digest.ts";
import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { CompleteSignIn, SignInOutcome } from "../auth/model.ts";
import { FEDERATED_AMR, type TicketStore } from "./model.ts";

export interface RedeemTicketDeps {
	readonly db: Persistence<{ tickets: TicketStore }>;
	readonly clock: Clock;
	readonly complete: CompleteSignIn<{ readonly tickets: TicketStore }>;
}

/**
 * A ticket works once: of many at the same time one gets the tokens. Whoever lacks the verifier that belongs to the
 * challenge of the start gets nothing and uses nothing up. The session is that of the browser that came back, not of the
 * server that exchanges its ticket.
 *
 * @throws AppError `ticket.invalid`, `account.disabled`, `application.access_denied`.
 */
export async function redeemTicket(
	{ db, clock, complete }: RedeemTicketDeps,
	{ ticketPlain, codeVerifier }: { readonly ticketPlain: string; readonly codeVerifier: string },
	origin: Origin,
): Promise<SignInOutcome> {
	const digest = tokenDigest(ticketPlain);
	const found = await db.stores.tickets.find(digest, clock());
	if (found === undefined || !isProof(codeVerifier, found.ticket.codeChallenge)) throw invalidTicket();
	const use = ({ tickets }: { readonly tickets: TicketStore }) => tickets.consume(digest, clock());
	const outcome = await complete(
		{
			user: found.user,
			appId: found.ticket.appId,
			amr: FEDERATED_AMR,
			confirm: use,
			refused: async (stores) => void (await use(stores)),
		},
		{ ...found.ticket.browser, requestId: origin.requestId },
	);
	if (outcome === undefined) throw invalidTicket();
	return outcome;
}

function isProof(codeVerifier: string, codeChallenge: string): boolean {
	if (codeChallenge === "") return codeVerifier === "";
	return equalTexts(sha256Base64url(codeVerifier), codeChallenge);
}

function invalidTicket(): AppError {
	return new AppError("ticket.invalid", "ticket is invalid, expired or used already");
}
