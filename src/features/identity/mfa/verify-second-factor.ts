// Completes a sign-in with a second factor: a code of an authenticator app, a recovery code, or a passkey.

import { assertionOptions } from "../../../crypto/passkey.ts";
import { recoveryCodeDigest } from "../../../crypto/recovery-code.ts";
import { verifyTotp } from "../../../crypto/totp.ts";
import { userTarget } from "../../../domain/audit.ts";
import { userCaller } from "../../../domain/caller.ts";
import { totpContext } from "../../../domain/second-factor.ts";
import type { PendingSignIn, SignInOutcome } from "../../../domain/sign-in.ts";
import { type AttemptCount, totpAttempt } from "../../../domain/sign-in-attempt.ts";
import { isoTime } from "../../../kernel/clock.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { countSignIn, type SignInNeeds, type SignInStores } from "../steps/complete-sign-in.ts";
import { mailOwner } from "../steps/mail-owner.ts";
import {
	type ChallengeScope,
	issueChallenge,
	type PasskeyOptions,
	provePasskey,
} from "./passkey-challenge.ts";
import {
	findPending,
	finishSignIn,
	invalidSecondFactor,
	type PendingAttempt,
	recordFailed,
	refuse,
	takeTry,
} from "./pending-sign-in.ts";

/** RFC 8176. */
const CODE_AMR = ["otp", "mfa"];

/**
 * TOTP codes can be guessed, so the attempt counts against the account, across all tokens and IP addresses, before the
 * code is verified. Wrong codes delay further attempts as wrong passwords do.
 *
 * @throws AppError `mfa.invalid`, `login.too_many`; `account.disabled` and `application.access_denied` as at sign-in.
 */
export async function verifyTotpCode(
	deps: SignInNeeds<never, "secretBox" | "attempts">,
	mfaToken: string,
	code: string,
	origin: Origin,
): Promise<SignInOutcome> {
	const pendingAttempt = { ...(await findPending(deps, mfaToken, false)), origin };
	const { tenantId, userId } = pendingAttempt.pending;
	const attempt = { ...totpAttempt(tenantId, userId), address: origin.ip };
	const verify = async ({ failures, locked }: AttemptCount): Promise<SignInOutcome> => {
		await takeTry(deps, pendingAttempt.pending);
		const factor = await deps.db.stores.totp.findActive(tenantId, userId);
		if (factor === undefined || locked) return refuse(deps, pendingAttempt, "totp", failures);
		const secret = deps.secretBox.open(factor.secretSealed, totpContext(factor.id));
		const step = verifyTotp(secret, code, deps.clock());
		if (step === undefined) return refuse(deps, pendingAttempt, "totp", failures);
		const consume = ({ totp }: SignInStores) => totp.useStep(factor, step);
		const outcome = await finishSignIn(deps, pendingAttempt, { amr: CODE_AMR, consume });
		return outcome ?? refuse(deps, pendingAttempt, "totp", failures);
	};
	return await countSignIn(deps.statistics, tenantId, () =>
		deps.attempts.run(attempt, verify, (audit, why) => recordFailed(audit, pendingAttempt, "totp", why)),
	);
}

/**
 * Wrong codes do not count against the account: the code has 120 random bits.
 *
 * @throws as `verifyTotpCode`, except `login.too_many`.
 */
export async function verifyRecoveryCode(
	deps: SignInNeeds,
	mfaToken: string,
	code: string,
	origin: Origin,
): Promise<SignInOutcome> {
	const pendingAttempt = { ...(await findPending(deps, mfaToken, false)), origin };
	return await countSignIn(deps.statistics, pendingAttempt.pending.tenantId, async () => {
		await takeTry(deps, pendingAttempt.pending);
		const digest = recoveryCodeDigest(code);
		if (digest === undefined) return refuse(deps, pendingAttempt, "recovery_code");
		const consume = (stores: SignInStores) =>
			consumeRecoveryCode(stores, digest, pendingAttempt, deps.clock());
		const outcome = await finishSignIn(deps, pendingAttempt, { amr: CODE_AMR, consume });
		deps.wakeMail();
		return outcome ?? refuse(deps, pendingAttempt, "recovery_code");
	});
}

async function consumeRecoveryCode(
	stores: SignInStores,
	digest: string,
	{ user, origin }: PendingAttempt,
	nowMs: number,
): Promise<boolean> {
	const { id, tenantId, username } = user;
	if (!(await stores.recoveryCodes.use(tenantId, id, digest, nowMs))) return false;
	const { recoveryCodes: left } = await stores.secondFactors.findEnrolled(tenantId, id);
	await stores.audit.append(userCaller(user, origin), "user.recovery_code_used", userTarget(user), { left });
	await mailOwner(stores, user, { kind: "recovery_code_used", username, at: isoTime(nowMs), left }, origin);
	return true;
}

/** @throws AppError `mfa.invalid`, also if the user has no passkey. */
export async function startPasskeyVerification(
	deps: Needs<"users" | "pendingSignIns" | "passkeys" | "passkeyChallenges", "clock" | "party">,
	mfaToken: string,
): Promise<PasskeyOptions> {
	const { pending, user } = await findPending(deps, mfaToken, false);
	const allow = await deps.db.stores.passkeys.listAll(user.tenantId, user.id);
	if (allow.length === 0) throw invalidSecondFactor();
	return issueChallenge(deps, scopeOf(pending), (challenge) =>
		assertionOptions({ ...challenge, party: deps.party, allow, userVerification: "preferred" }),
	);
}

/** @throws AppError `mfa.invalid`; `account.disabled` and `application.access_denied` as at sign-in. */
export async function verifyPasskey(
	deps: SignInNeeds<"passkeyChallenges", "party">,
	mfaToken: string,
	assertion: unknown,
	origin: Origin,
): Promise<SignInOutcome> {
	const pendingAttempt = { ...(await findPending(deps, mfaToken, false)), origin };
	const { pending } = pendingAttempt;
	return await countSignIn(deps.statistics, pending.tenantId, async () => {
		await takeTry(deps, pending);
		const { passkey, proved } = await provePasskey(deps, scopeOf(pending), assertion, { alone: false });
		if (passkey === undefined || proved === undefined || passkey.userId !== pending.userId)
			return refuse(deps, pendingAttempt, "passkey");
		const { amr, signCount } = proved;
		const consume = ({ passkeys }: SignInStores) => passkeys.use(passkey, signCount, deps.clock());
		const outcome = await finishSignIn(deps, pendingAttempt, { amr, consume });
		return outcome ?? refuse(deps, pendingAttempt, "passkey", 0, "passkey.counter");
	});
}

function scopeOf({ tenantId, tokenDigest }: PendingSignIn): ChallengeScope {
	return { tenantId, purpose: "second_factor", subject: tokenDigest };
}
