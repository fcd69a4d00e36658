// A code as the second factor of a sign-in: of an authenticator app, or a recovery code.

import { recoveryCodeDigest } from "../../../crypto/recovery-code.ts";
import { verifyTotp } from "../../../crypto/totp.ts";
import type { SignInOutcome } from "../../../domain/sign-in.ts";
import { ANY_ADDRESS, type AttemptCount } from "../../../domain/sign-in-attempt.ts";
import { totpContext } from "../../../domain/totp.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { limitAddress, type Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import type { SignInPart, SignInStore, SignInStores } from "../steps/complete-sign-in.ts";
import { mailOwner } from "../steps/mail-owner.ts";
import {
	type Answering,
	failureEntry,
	findPending,
	finishSignIn,
	type ProvedSecond,
	refuse,
	takeTry,
} from "./pending-sign-in.ts";
import { totpSubjects } from "./totp-failures.ts";

interface CodeAnswer {
	readonly mfaToken: string;
	readonly code: string;
}

/**
 * TOTP codes can be guessed: the attempt is counted for the account, over all tokens and addresses, before the code is
 * checked. Wrong codes delay further attempts as wrong passwords do.
 *
 * @throws AppError `mfa.invalid`, `login.too_many`; `account.disabled` and `application.access_denied` as at sign-in.
 */
export async function answerWithTotp(
	deps: Needs<SignInStore, SignInPart | "secretBox" | "attempts">,
	{ mfaToken, code }: CodeAnswer,
	origin: Origin,
): Promise<SignInOutcome> {
	const answering = { ...(await findPending(deps, mfaToken, false)), origin };
	const { tenantId, userId } = answering.pending;
	const attempt = { tenantId, ...totpSubjects(userId), ip: ANY_ADDRESS, address: limitAddress(origin) };
	const answer = async ({ failures, locked }: AttemptCount): Promise<SignInOutcome> => {
		await takeTry(deps, answering.pending);
		const factor = await deps.db.stores.totp.findActive(tenantId, userId);
		if (factor === undefined || locked) return refuse(deps, answering, "totp", failures);
		const secret = deps.secretBox.open(factor.secretSealed, totpContext(factor.id));
		const step = verifyTotp(secret, code, deps.clock());
		if (step === undefined) return refuse(deps, answering, "totp", failures);
		const proved: ProvedSecond = {
			amr: ["otp", "mfa"],
			consume: ({ totp }) => totp.useStep(factor, step),
		};
		return (await finishSignIn(deps, answering, proved)) ?? refuse(deps, answering, "totp", failures);
	};
	return await deps.attempts.run(attempt, answer, failureEntry(answering, "totp"));
}

/** Wrong codes are not counted for the account: the code has 120 random bits. @throws as `answerWithTotp`, except `login.too_many`. */
export async function answerWithRecoveryCode(
	deps: Needs<SignInStore, SignInPart>,
	{ mfaToken, code }: CodeAnswer,
	origin: Origin,
): Promise<SignInOutcome> {
	const answering = { ...(await findPending(deps, mfaToken, false)), origin };
	await takeTry(deps, answering.pending);
	const digest = recoveryCodeDigest(code);
	if (digest === undefined) return refuse(deps, answering, "recovery_code");
	const proved: ProvedSecond = {
		amr: ["otp", "mfa"],
		consume: (stores) => consumeRecoveryCode(stores, digest, answering, deps.clock()),
	};
	const outcome = await finishSignIn(deps, answering, proved);
	deps.wakeMail();
	return outcome ?? refuse(deps, answering, "recovery_code");
}

async function consumeRecoveryCode(
	stores: SignInStores,
	digest: string,
	{ user, origin }: Answering,
	nowMs: number,
): Promise<boolean> {
	const { id, tenantId, username } = user;
	if (!(await stores.recoveryCodes.use(tenantId, id, digest, nowMs))) return false;
	const { recoveryCodes: left } = await stores.secondFactors.findEnrolled(tenantId, id);
	const caller = { tenantId, actor: `user:${id}`, origin } as const;
	await stores.audit.append(caller, "user.recovery_code_used", `user:${id}`, { left });
	await mailOwner(stores, user, { kind: "recovery_code_used", username, at: isoTime(nowMs), left }, origin);
	return true;
}
