// Where a second factor is required and there is none yet: the sign-in enrols one, and only then opens a session.

import type { Clock } from "../../kernel/clock.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { CompleteSignIn, PendingSignInStore, SignInOutcome } from "../auth/model.ts";
import type { User, UserStore } from "../users/model.ts";
import { findPending, takeTry, wrongAnswer } from "./answer-second-factor.ts";
import {
	activateTotp,
	checkFirstCode,
	type EnrolTotpDeps,
	type StartedTotp,
	startTotp,
	type TotpStores,
} from "./enrol-totp.ts";
import { hasFactor } from "./model.ts";

type EnrolStores = TotpStores & { readonly users: UserStore; readonly pendingSignIns: PendingSignInStore };

export type EnrolAtSignInDeps = EnrolTotpDeps & {
	readonly db: Persistence<EnrolStores>;
	readonly clock: Clock;
	readonly complete: CompleteSignIn<EnrolStores>;
	readonly wakeMail: () => void;
};

/** The first factor was proved a moment ago: no password is asked for again. @throws AppError `mfa.invalid`. */
export async function startTotpAtSignIn(deps: EnrolAtSignInDeps, mfaToken: string): Promise<StartedTotp> {
	const { user } = await findPending(deps, mfaToken, true);
	if (await hasOneByNow(deps.db.stores, user)) throw wrongAnswer();
	return await startTotp(deps, user);
}

/** Whoever began with the password alone must not replace a factor that its owner has enrolled meanwhile. */
async function hasOneByNow(
	{ secondFactors }: Pick<EnrolStores, "secondFactors">,
	user: User,
): Promise<boolean> {
	return hasFactor(await secondFactors.findEnrolled(user.tenantId, user.id));
}

export type EnrolledSignIn = SignInOutcome & { readonly recoveryCodes: readonly string[] };

/**
 * A wrong code costs one of the token's tries.
 *
 * @throws AppError `mfa.invalid`, `mfa.code_wrong`, `totp.not_found`; `account.disabled` and `application.access_denied` as
 * at sign-in.
 */
export async function confirmTotpAtSignIn(
	deps: EnrolAtSignInDeps,
	given: { readonly mfaToken: string; readonly code: string },
	origin: Origin,
): Promise<EnrolledSignIn> {
	const { pending, user } = await findPending(deps, given.mfaToken, true);
	await takeTry(deps, pending);
	const confirmed = await checkFirstCode(deps, user, given.code);
	const nowMs = deps.clock();
	let recoveryCodes: readonly string[] = [];
	const outcome = await deps.complete(
		{
			user: { ...user, mfaEnabled: true },
			appId: pending.appId,
			amr: [...pending.amr, "otp", "mfa"],
			async confirm(stores) {
				await stores.secondFactors.lock(user.tenantId, user.id);
				if (await hasOneByNow(stores, user)) return false;
				if (!(await stores.pendingSignIns.consume(pending.tokenDigest, nowMs))) return false;
				const context = { user, actor: `user:${user.id}`, origin, nowMs } as const;
				recoveryCodes = await activateTotp(stores, confirmed, context);
				return true;
			},
		},
		origin,
	);
	if (outcome === undefined) throw wrongAnswer();
	deps.wakeMail();
	return { ...outcome, recoveryCodes };
}
