// An answer of a passkey: whose it is, and whether it is genuine.

import { verifyAssertion } from "../../crypto/passkey.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { Passkey, PasskeyStore } from "./model.ts";
import { type ChallengeDeps, type ChallengePlace, takeChallenge } from "./passkey-challenge.ts";

export type ProvePasskeyDeps = ChallengeDeps & {
	readonly db: Persistence<{ readonly passkeys: PasskeyStore }>;
};

/** `proved` is undefined when the answer is not genuine; `passkey` is there as soon as it is known whose it claims to be. */
export interface PasskeyAnswer {
	readonly passkey: Passkey | undefined;
	readonly proved: { readonly signCount: number; readonly amr: readonly string[] } | undefined;
}

/**
 * Uses the challenge up. With `alone` the passkey stands for both factors: it must have known its owner, and say whose it is
 * (the user handle). RFC 8176: `hwk` for a key that cannot leave its device, `swk` for one that is synced, `user`, `mfa`.
 */
export async function provePasskey(
	deps: ProvePasskeyDeps,
	place: ChallengePlace,
	assertion: unknown,
	{ alone }: { readonly alone: boolean },
): Promise<PasskeyAnswer> {
	const told = await takeChallenge(deps, place, assertion);
	const passkey = told && (await deps.db.stores.passkeys.findByCredential(place.tenantId, told.credentialId));
	if (told === undefined || passkey === undefined) return { passkey: undefined, proved: undefined };
	const wrongHandle = told.userHandle === undefined ? alone : told.userHandle !== passkey.userHandle;
	if (wrongHandle) return { passkey, proved: undefined };
	const userVerification = alone ? "required" : "preferred";
	const verified = await verifyAssertion(deps.party, assertion, told.challenge, passkey, userVerification);
	if (verified === undefined) return { passkey, proved: undefined };
	const amr = [verified.synced ? "swk" : "hwk", "user", "mfa"];
	return { passkey, proved: { signCount: verified.signCount, amr } };
}
