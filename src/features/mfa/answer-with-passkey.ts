// A passkey as the second factor of a sign-in.

import { assertionOptions } from "../../crypto/passkey.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { CompleteSignIn, PendingSignIn, SignInOutcome } from "../auth/model.ts";
import {
	type AnswerDeps,
	type AnswerStores,
	enter,
	findPending,
	refuse,
	takeTry,
	wrongAnswer,
} from "./answer-second-factor.ts";
import type { PasskeyStore } from "./model.ts";
import { type AskedPasskey, ask } from "./passkey-challenge.ts";
import { type ProvePasskeyDeps, provePasskey } from "./prove-passkey.ts";

type PasskeyAnswerStores = AnswerStores & { readonly passkeys: PasskeyStore };

export type PasskeyAnswerDeps = AnswerDeps &
	ProvePasskeyDeps & {
		readonly db: Persistence<PasskeyAnswerStores>;
		readonly complete: CompleteSignIn<PasskeyAnswerStores>;
	};

/** @throws AppError `mfa.invalid`, also where the user has no passkey. */
export async function askPasskeyAnswer(deps: PasskeyAnswerDeps, mfaToken: string): Promise<AskedPasskey> {
	const { pending, user } = await findPending(deps, mfaToken, false);
	const allow = await deps.db.stores.passkeys.listAll(user.tenantId, user.id);
	if (allow.length === 0) throw wrongAnswer();
	return await ask(deps, placeOf(pending), (asked) =>
		assertionOptions({ ...asked, party: deps.party, allow, userVerification: "preferred" }),
	);
}

/** @throws AppError `mfa.invalid`; `account.disabled` and `application.access_denied` as at sign-in. */
export async function answerWithPasskey(
	deps: PasskeyAnswerDeps,
	given: { readonly mfaToken: string; readonly assertion: unknown },
	origin: Origin,
): Promise<SignInOutcome> {
	const answering = { ...(await findPending(deps, given.mfaToken, false)), origin };
	const { pending } = answering;
	await takeTry(deps, pending);
	const { passkey, proved } = await provePasskey(deps, placeOf(pending), given.assertion, { alone: false });
	if (passkey === undefined || proved === undefined || passkey.userId !== pending.userId)
		return await refuse(deps, answering, "passkey");
	const use = ({ passkeys }: PasskeyAnswerStores) => passkeys.use(passkey, proved.signCount, deps.clock());
	const outcome = await enter(deps, answering, { amr: proved.amr, use });
	return outcome ?? (await refuse(deps, answering, "passkey", 0, "passkey.counter"));
}

function placeOf({ tenantId, tokenDigest }: PendingSignIn) {
	return { tenantId, purpose: "second_factor", subject: tokenDigest } as const;
}
