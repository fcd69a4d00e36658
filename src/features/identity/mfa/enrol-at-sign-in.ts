// Enrolls a required second factor during sign-in, before a session is opened.

import { userCaller } from "../../../domain/caller.ts";
import { hasFactor } from "../../../domain/second-factor.ts";
import type { PendingSignIn, SignInOutcome } from "../../../domain/sign-in.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import type { Origin } from "../../../kernel/origin.ts";
import {
	completeSignIn,
	countSignIn,
	type SignInNeeds,
	type SignInStores,
} from "../steps/complete-sign-in.ts";
import { addPasskey, checkCredential, startEnrolment } from "./enrol-passkey.ts";
import { activateTotp, checkFirstCode, type StartedTotp, startTotp } from "./enrol-totp.ts";
import type { FactorContext } from "./factor-change.ts";
import type { ChallengeScope, PasskeyOptions } from "./passkey-challenge.ts";
import { findPending, invalidSecondFactor, type PendingAttempt, takeTry } from "./pending-sign-in.ts";

type Needed = SignInNeeds<"passkeyChallenges", "secretBox" | "publicUrl" | "party">;

/** @throws AppError `mfa.invalid`. */
export async function startTotpAtSignIn(deps: Needed, mfaToken: string): Promise<StartedTotp> {
	const { user } = await findEnrolling(deps, mfaToken);
	return startTotp(deps, user);
}

async function findEnrolling(deps: Needed, mfaToken: string): Promise<Omit<PendingAttempt, "origin">> {
	const enrolling = await findPending(deps, mfaToken, true);
	if (await hasEnrolled(deps.db.stores, enrolling.user)) throw invalidSecondFactor();
	return enrolling;
}

/** A first factor alone must not replace a second factor that the owner enrolled in the meantime. */
async function hasEnrolled(
	{ secondFactors }: Stores<"secondFactors">,
	{ id, tenantId }: User,
): Promise<boolean> {
	return hasFactor(await secondFactors.findEnrolled(tenantId, id));
}

export type EnrolledSignIn = SignInOutcome & { readonly recoveryCodes: readonly string[] };

/**
 * A wrong code costs one of the token's tries.
 *
 * @throws AppError `mfa.invalid`, `mfa.code_wrong`, `totp.not_found`; `account.disabled` and
 * `application.access_denied` as at sign-in.
 */
export function confirmTotpAtSignIn(
	deps: Needed,
	mfaToken: string,
	code: string,
	origin: Origin,
): Promise<EnrolledSignIn> {
	return confirm(deps, mfaToken, origin, async ({ user }) => {
		const confirmed = await checkFirstCode(deps, user, code);
		return { amr: ["otp", "mfa"], enrol: (stores, context) => activateTotp(stores, confirmed, context) };
	});
}

/** @throws AppError `mfa.invalid`. */
export async function startPasskeyAtSignIn(deps: Needed, mfaToken: string): Promise<PasskeyOptions> {
	const { pending, user } = await findEnrolling(deps, mfaToken);
	return startEnrolment(deps, user, scopeOf(pending));
}

/** Like `confirmTotpAtSignIn`. @throws AppError also `passkey.refused`, `passkey.enrolled`. */
export function confirmPasskeyAtSignIn(
	deps: Needed,
	{ mfaToken, name, credential }: { mfaToken: string; name: string; credential: unknown },
	origin: Origin,
): Promise<EnrolledSignIn> {
	return confirm(deps, mfaToken, origin, async ({ pending }) => {
		const verified = await checkCredential(deps, scopeOf(pending), credential);
		return {
			amr: [verified.synced ? "swk" : "hwk", "user", "mfa"],
			async enrol(stores, context) {
				const { recoveryCodes = [] } = await addPasskey(stores, verified, name, context);
				return recoveryCodes;
			},
		};
	});
}

/** A new factor that was verified. `enrol` returns the recovery codes. */
interface ProvedFactor {
	readonly amr: readonly string[];
	enrol(stores: SignInStores, context: FactorContext): Promise<readonly string[]>;
}

/** Counts a try of the token before `prove` verifies the factor. */
async function confirm(
	deps: Needed,
	mfaToken: string,
	origin: Origin,
	prove: (enrolling: Omit<PendingAttempt, "origin">) => Promise<ProvedFactor>,
): Promise<EnrolledSignIn> {
	const { pending, user } = await findPending(deps, mfaToken, true);
	return await countSignIn(deps.statistics, pending.tenantId, async () => {
		await takeTry(deps, pending);
		const { amr, enrol } = await prove({ pending, user });
		const { id, tenantId } = user;
		const nowMs = deps.clock();
		let recoveryCodes: readonly string[] = [];
		const factor = {
			user: { ...user, mfaEnabled: true },
			appId: pending.appId,
			amr: [...pending.amr, ...amr],
			provider: pending.provider,
			async confirm(stores: SignInStores): Promise<boolean> {
				await stores.secondFactors.lock(tenantId, id);
				if (await hasEnrolled(stores, user)) return false;
				if (!(await stores.pendingSignIns.consume(pending.tokenDigest, nowMs))) return false;
				recoveryCodes = await enrol(stores, { user, caller: userCaller(user, origin), nowMs });
				return true;
			},
		};
		const outcome = await completeSignIn(deps, factor, origin);
		if (outcome === undefined) throw invalidSecondFactor();
		deps.wakeMail();
		return { ...outcome, recoveryCodes };
	});
}

function scopeOf({ tenantId, tokenDigest }: PendingSignIn): ChallengeScope {
	return { tenantId, purpose: "enrolment", subject: tokenDigest };
}
