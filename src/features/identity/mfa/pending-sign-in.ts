// A sign-in that waits for its second factor: finds it, counts its tries, and completes or refuses it.

import { tokenDigest } from "../../../crypto/digest.ts";
import type { AuditDetails, AuditLog } from "../../../domain/audit.ts";
import type { PendingSignIn, SecondFactorMethod, SignInOutcome } from "../../../domain/sign-in.ts";
import { clearFailures, FAILURES_BEFORE_DELAY, totpAttempt } from "../../../domain/sign-in-attempt.ts";
import type { User } from "../../../domain/user.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import {
	completeSignIn,
	recordFailedSignIn,
	type SignInNeeds,
	type SignInStores,
} from "../steps/complete-sign-in.ts";
import { mailOwner } from "../steps/mail-owner.ts";

/** A pending sign-in and its user, with the origin of the request. */
export interface PendingAttempt {
	readonly pending: PendingSignIn;
	readonly user: User;
	readonly origin: Origin;
}

/** A verified second factor. `consume` returns false if a concurrent request has used it. */
interface VerifiedFactor {
	readonly amr: readonly string[];
	consume(stores: SignInStores): Promise<boolean>;
}

/**
 * @param enrolment whether the token must have been issued to enroll a factor, or to verify one.
 * @throws AppError `mfa.invalid`: unknown, expired, consumed, or issued for the other purpose.
 */
export async function findPending(
	{ db, clock }: Needs<"users" | "pendingSignIns", "clock">,
	mfaToken: string,
	enrolment: boolean,
): Promise<Omit<PendingAttempt, "origin">> {
	const pending = await db.stores.pendingSignIns.find(tokenDigest(mfaToken), clock());
	if (pending === undefined || pending.enrolment !== enrolment) throw invalidSecondFactor();
	const user = await db.stores.users.findById(pending.tenantId, pending.userId);
	if (user === undefined) throw invalidSecondFactor();
	return { pending, user };
}

/** Counts a try of the token. Call it before verifying the factor. @throws AppError `mfa.invalid`. */
export async function takeTry(
	{ db, clock }: Needs<"pendingSignIns", "clock">,
	{ tokenDigest }: PendingSignIn,
): Promise<void> {
	if (!(await db.stores.pendingSignIns.takeTry(tokenDigest, clock()))) throw invalidSecondFactor();
}

/** @returns undefined if a concurrent request used the factor, or the account changed in the meantime. */
export function finishSignIn(
	deps: SignInNeeds,
	{ pending, user, origin }: PendingAttempt,
	factor: VerifiedFactor,
): Promise<SignInOutcome | undefined> {
	const confirm = async (stores: SignInStores): Promise<boolean> => {
		if (!(await factor.consume(stores))) return false;
		// Throws, so that no factor is consumed for a token that a concurrent request has consumed.
		if (!(await stores.pendingSignIns.consume(pending.tokenDigest, deps.clock())))
			throw invalidSecondFactor();
		await clearFailures(stores.loginFailures, totpAttempt(user.tenantId, user.id));
		return true;
	};
	const amr = [...pending.amr, ...factor.amr];
	const { appId, provider } = pending;
	return completeSignIn(deps, { user, appId, amr, provider, confirm, refused: confirm }, origin);
}

/**
 * Records the refusal, and mails the owner when the delays of the account begin.
 *
 * @param failures the consecutive failures of the account, for a method that counts them.
 * @throws AppError `mfa.invalid`, always.
 */
export async function refuse(
	{ db, clock, wakeMail }: Needs<"audit" | "mail", "clock" | "wakeMail">,
	attempt: PendingAttempt,
	method: SecondFactorMethod,
	failures = 0,
	reason = "mfa.invalid",
): Promise<never> {
	const { user, origin } = attempt;
	const notifies = failures === FAILURES_BEFORE_DELAY;
	await db.transaction(async (stores) => {
		await recordFailed(stores.audit, attempt, method, { reason });
		if (!notifies) return;
		const message = { username: user.username, at: isoTime(clock()) };
		await mailOwner(stores, user, { kind: "second_factor_guessed", ...message }, origin);
	});
	if (notifies) wakeMail();
	throw invalidSecondFactor();
}

export function recordFailed(
	audit: AuditLog,
	{ pending, user, origin }: PendingAttempt,
	method: SecondFactorMethod,
	why: AuditDetails,
): Promise<void> {
	const details = { method, app_id: pending.appId, ...why };
	return recordFailedSignIn(audit, user.tenantId, user, details, origin);
}

/** One error for every reason, so that it does not reveal whether the token or the factor was wrong. */
export function invalidSecondFactor(): AppError {
	return new AppError("mfa.invalid", "mfa_token or second factor is wrong, used or expired");
}
