// Verifies the assertion of a passkey.

import { verifyAssertion } from "../../../crypto/passkey.ts";
import type { Passkey } from "../../../domain/passkey.ts";
import type { Needs } from "../../platform.ts";
import { type ChallengeScope, consumeChallenge } from "./passkey-challenge.ts";

/** `passkey` is the one the assertion names, if known. `proved` is undefined when the assertion is not valid. */
export interface PasskeyProof {
	readonly passkey: Passkey | undefined;
	readonly proved: { readonly signCount: number; readonly amr: readonly string[] } | undefined;
}

/**
 * Consumes the challenge. With `alone` the passkey counts as both factors: user verification and the user handle are
 * required. RFC 8176: `hwk` for a device-bound key, `swk` for a synced one, `user`, `mfa`.
 */
export async function provePasskey(
	deps: Needs<"passkeys" | "passkeyChallenges", "clock" | "party">,
	scope: ChallengeScope,
	assertion: unknown,
	{ alone }: { readonly alone: boolean },
): Promise<PasskeyProof> {
	const credential = await consumeChallenge(deps, scope, assertion);
	const passkey =
		credential && (await deps.db.stores.passkeys.findByCredential(scope.tenantId, credential.credentialId));
	if (credential === undefined || passkey === undefined) return { passkey: undefined, proved: undefined };
	const { userHandle, challenge } = credential;
	const wrongHandle = userHandle === undefined ? alone : userHandle !== passkey.userHandle;
	if (wrongHandle) return { passkey, proved: undefined };
	const userVerification = alone ? "required" : "preferred";
	const verified = await verifyAssertion(deps.party, assertion, challenge, passkey, userVerification);
	if (verified === undefined) return { passkey, proved: undefined };
	const amr = [verified.synced ? "swk" : "hwk", "user", "mfa"];
	return { passkey, proved: { signCount: verified.signCount, amr } };
}
