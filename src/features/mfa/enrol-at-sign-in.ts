// Where a second factor is required and there is none yet: the sign-in enrols one, and only then opens a session.

import type { Clock } from "../../kernel/clock.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { CompleteSignIn, PendingSignIn, PendingSignInStore, SignInOutcome } from "../auth/model.ts";
import type { User, UserStore } from "../users/model.ts";
import { type Answering, findPending, takeTry, wrongAnswer } from "./answer-second-factor.ts";
import {
	addPasskey,
	askEnrolment,
	checkCredential,
	type EnrolPasskeyDeps,
	type EnrolPasskeyStores,
} from "./enrol-passkey.ts";
import {
	activateTotp,
	checkFirstCode,
	type EnrolTotpDeps,
	type StartedTotp,
	startTotp,
	type TotpStores,
} from "./enrol-totp.ts";
import type { FactorContext } from "./factor-change.ts";
import { hasFactor } from "./model.ts";
import type { AskedPasskey, ChallengePlace } from "./passkey-challenge.ts";

type EnrolStores = TotpStores &
	EnrolPasskeyStores & { readonly users: UserStore; readonly pendingSignIns: PendingSignInStore };

export type EnrolAtSignInDeps = {
	readonly db: Persistence<EnrolStores>;
	readonly clock: Clock;
	readonly complete: CompleteSignIn<EnrolStores>;
	readonly wakeMail: () => void;
} & EnrolTotpDeps &
	EnrolPasskeyDeps;

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
	return await finish(deps, { pending, user, origin }, ["otp", "mfa"], (stores, context) =>
		activateTotp(stores, confirmed, context),
	);
}

/** As `startTotpAtSignIn`. */
export async function startPasskeyAtSignIn(deps: EnrolAtSignInDeps, mfaToken: string): Promise<AskedPasskey> {
	const { pending, user } = await findPending(deps, mfaToken, true);
	if (await hasOneByNow(deps.db.stores, user)) throw wrongAnswer();
	return await askEnrolment(deps, user, placeOf(pending));
}

/** As `confirmTotpAtSignIn`. @throws AppError `passkey.refused`, `passkey.enrolled` besides. */
export async function confirmPasskeyAtSignIn(
	deps: EnrolAtSignInDeps,
	given: { readonly mfaToken: string; readonly name: string; readonly credential: unknown },
	origin: Origin,
): Promise<EnrolledSignIn> {
	const { pending, user } = await findPending(deps, given.mfaToken, true);
	await takeTry(deps, pending);
	const made = await checkCredential(deps, placeOf(pending), given.credential);
	const amr = [made.synced ? "swk" : "hwk", "user", "mfa"];
	return await finish(deps, { pending, user, origin }, amr, async (stores, context) => {
		const { recoveryCodes = [] } = await addPasskey(stores, made, given.name, context);
		return recoveryCodes;
	});
}

/** `enrol` answers the recovery codes. */
async function finish(
	{ clock, complete, wakeMail }: EnrolAtSignInDeps,
	{ pending, user, origin }: Answering,
	amr: readonly string[],
	enrol: (stores: EnrolStores, context: FactorContext) => Promise<readonly string[]>,
): Promise<EnrolledSignIn> {
	const nowMs = clock();
	let recoveryCodes: readonly string[] = [];
	const factor = {
		user: { ...user, mfaEnabled: true },
		appId: pending.appId,
		amr: [...pending.amr, ...amr],
		async confirm(stores: EnrolStores): Promise<boolean> {
			await stores.secondFactors.lock(user.tenantId, user.id);
			if (await hasOneByNow(stores, user)) return false;
			if (!(await stores.pendingSignIns.consume(pending.tokenDigest, nowMs))) return false;
			recoveryCodes = await enrol(stores, { user, actor: `user:${user.id}`, origin, nowMs });
			return true;
		},
	};
	const outcome = await complete(factor, origin);
	if (outcome === undefined) throw wrongAnswer();
	wakeMail();
	return { ...outcome, recoveryCodes };
}

function placeOf({ tenantId, tokenDigest }: PendingSignIn): ChallengePlace {
	return { tenantId, purpose: "enrolment", subject: tokenDigest };
}
