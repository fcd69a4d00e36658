// Exchanges the ticket of a third-party sign-in for tokens.

import { equalTexts, sha256Base64url, tokenDigest } from "../../../crypto/digest.ts";
import type { SignInOutcome } from "../../../domain/sign-in.ts";
import { FEDERATED_AMR } from "../../../domain/third-party-account.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import {
	completeSignIn,
	type SignInPart,
	type SignInStore,
	type SignInStores,
} from "../steps/complete-sign-in.ts";
import { countSignIn } from "../steps/count-sign-in.ts";

/**
 * A ticket works once, also under simultaneous requests. A wrong `codeVerifier` does not consume it. The session has the
 * address of the browser that returned, not of the server that exchanges the ticket.
 *
 * @throws AppError `ticket.invalid`, `account.disabled`, `application.access_denied`.
 */
export async function redeemTicket(
	deps: Needs<SignInStore, SignInPart>,
	{ ticketPlain, codeVerifier }: { readonly ticketPlain: string; readonly codeVerifier: string },
	{ requestId }: Origin,
): Promise<SignInOutcome> {
	const { db, clock } = deps;
	const digest = tokenDigest(ticketPlain);
	const found = await db.stores.tickets.find(digest, clock());
	if (found === undefined || !isProof(codeVerifier, found.ticket.codeChallenge)) throw invalidTicket();
	const { user, ticket } = found;
	const consume = ({ tickets }: SignInStores) => tickets.consume(digest, clock());
	const factor = { user, appId: ticket.appId, amr: FEDERATED_AMR, confirm: consume, refused: consume };
	return await countSignIn(deps.statistics, user.tenantId, async () => {
		const outcome = await completeSignIn(deps, factor, { ...ticket.browser, requestId });
		if (outcome === undefined) throw invalidTicket();
		return outcome;
	});
}

function isProof(codeVerifier: string, codeChallenge: string): boolean {
	if (codeChallenge === "") return codeVerifier === "";
	return equalTexts(sha256Base64url(codeVerifier), codeChallenge);
}

function invalidTicket(): AppError {
	return new AppError("ticket.invalid", "ticket is invalid, expired or used already");
}
