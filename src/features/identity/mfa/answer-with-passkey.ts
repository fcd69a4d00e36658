// A passkey as the second factor of a sign-in.

import { assertionOptions } from "../../../crypto/passkey.ts";
import type { PendingSignIn, SignInOutcome } from "../../../domain/sign-in.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import type { SignInPart, SignInStore } from "../steps/complete-sign-in.ts";
import { type ChallengeScope, issueChallenge, type PasskeyOptions } from "./passkey-challenge.ts";
import {
	findPending,
	finishSignIn,
	type ProvedSecond,
	refuse,
	takeTry,
	wrongAnswer,
} from "./pending-sign-in.ts";
import { provePasskey } from "./prove-passkey.ts";

/** @throws AppError `mfa.invalid`, also when the user has no passkey. */
export async function startPasskeyAnswer(
	deps: Needs<"users" | "pendingSignIns" | "passkeys" | "passkeyChallenges", "clock" | "party">,
	mfaToken: string,
): Promise<PasskeyOptions> {
	const { pending, user } = await findPending(deps, mfaToken, false);
	const allow = await deps.db.stores.passkeys.listAll(user.tenantId, user.id);
	if (allow.length === 0) throw wrongAnswer();
	return issueChallenge(deps, scopeOf(pending), (challenge) =>
		assertionOptions({ ...challenge, party: deps.party, allow, userVerification: "preferred" }),
	);
}

/** @throws AppError `mfa.invalid`; `account.disabled` and `application.access_denied` as at sign-in. */
export async function answerWithPasskey(
	deps: Needs<SignInStore | "passkeyChallenges", SignInPart | "party">,
	{ mfaToken, assertion }: { readonly mfaToken: string; readonly assertion: unknown },
	origin: Origin,
): Promise<SignInOutcome> {
	const answering = { ...(await findPending(deps, mfaToken, false)), origin };
	const { pending } = answering;
	await takeTry(deps, pending);
	const { passkey, proved } = await provePasskey(deps, scopeOf(pending), assertion, { alone: false });
	if (passkey === undefined || proved === undefined || passkey.userId !== pending.userId)
		return refuse(deps, answering, "passkey");
	const { amr, signCount } = proved;
	const factor: ProvedSecond = {
		amr,
		consume: ({ passkeys }) => passkeys.use(passkey, signCount, deps.clock()),
	};
	const outcome = await finishSignIn(deps, answering, factor);
	return outcome ?? refuse(deps, answering, "passkey", 0, "passkey.counter");
}

function scopeOf({ tenantId, tokenDigest }: PendingSignIn): ChallengeScope {
	return { tenantId, purpose: "second_factor", subject: tokenDigest };
}
