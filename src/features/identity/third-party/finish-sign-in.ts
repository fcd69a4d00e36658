// Finishes a sign-in with a provider in the browser that began it.

import { tokenDigest } from "../../../crypto/digest.ts";
import type { SignInOutcome } from "../../../domain/sign-in.ts";
import { FEDERATED_AMR } from "../../../domain/third-party-account.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import {
	completeSignIn,
	countSignIn,
	type SignInNeeds,
	type SignInStores,
} from "../steps/complete-sign-in.ts";

/**
 * Works once, even with concurrent requests. An account that may not sign in uses it up, too.
 *
 * @param browserSecret from the cookie of the calling browser.
 * @throws AppError `third_party_sign_in.not_found`, `account.disabled`.
 */
export async function finishThirdPartySignIn(
	deps: SignInNeeds,
	browserSecret: string | undefined,
	origin: Origin,
): Promise<SignInOutcome> {
	const { db, clock, statistics } = deps;
	if (browserSecret === undefined) throw signInNotFound();
	const digest = tokenDigest(browserSecret);
	const found = await db.stores.thirdPartySignIns.find(digest, clock());
	if (found === undefined) throw signInNotFound();
	const { user, accountId, provider } = found;
	const consume = ({ thirdPartySignIns }: SignInStores) =>
		thirdPartySignIns.consume(digest, accountId, clock());
	const factor = { user, appId: null, amr: FEDERATED_AMR, provider, confirm: consume, refused: consume };
	return await countSignIn(statistics, user.tenantId, async () => {
		const outcome = await completeSignIn(deps, factor, origin);
		if (outcome === undefined) throw signInNotFound();
		return outcome;
	});
}

function signInNotFound(): AppError {
	return new AppError(
		"third_party_sign_in.not_found",
		"no sign-in with a provider waits in this browser, or it was finished already: start again",
	);
}
