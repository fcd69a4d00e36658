// The second step of a sign-in: an answer with a second factor, and tokens for a right one.

import { tokenDigest } from "../../crypto/digest.ts";
import { recoveryCodeDigest } from "../../crypto/recovery-code.ts";
import type { SecretBox } from "../../crypto/secret-box.ts";
import { verifyTotp } from "../../crypto/totp.ts";
import { type Clock, isoTime } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	ANY_ADDRESS,
	accountSubject,
	type CompleteSignIn,
	FAILURES_BEFORE_DELAY,
	type LoginFailureStore,
	type PasswordAttemptCounter,
	type PendingSignIn,
	type PendingSignInStore,
	type SecondFactorMethod,
	type SignInOutcome,
} from "../auth/model.ts";
import type { MailOutbox } from "../mail/model.ts";
import type { User, UserStore } from "../users/model.ts";
import { mfaMail } from "./mfa-mail.ts";
import { type RecoveryCodeStore, type SecondFactorStore, type TotpStore, totpContext } from "./model.ts";

export interface AnswerStores {
	readonly users: UserStore;
	readonly pendingSignIns: PendingSignInStore;
	readonly secondFactors: SecondFactorStore;
	readonly totp: TotpStore;
	readonly recoveryCodes: RecoveryCodeStore;
	readonly loginFailures: LoginFailureStore;
	readonly audit: AuditLog;
	readonly mail: MailOutbox;
}

export interface AnswerDeps {
	readonly db: Persistence<AnswerStores>;
	readonly clock: Clock;
	readonly secretBox: SecretBox;
	readonly attempts: PasswordAttemptCounter;
	readonly complete: CompleteSignIn<AnswerStores>;
	readonly wakeMail: () => void;
}

/** An answer under way: the sign-in it is for, and whose. */
export interface Answering {
	readonly pending: PendingSignIn;
	readonly user: User;
	readonly origin: Origin;
}

/** A second factor that was shown to be right; `use` is false for one that was used before, by somebody faster. */
export interface ProvedSecond<S extends AnswerStores = AnswerStores> {
	readonly amr: readonly string[];
	use(stores: S): Promise<boolean>;
}

/** @throws AppError `mfa.invalid` for a token that is unknown, expired, used up, or for another purpose. */
export async function findPending(
	{
		db,
		clock,
	}: Pick<AnswerDeps, "clock"> & { db: Persistence<Pick<AnswerStores, "users" | "pendingSignIns">> },
	mfaToken: string,
	enrolment: boolean,
): Promise<Omit<Answering, "origin">> {
	const pending = await db.stores.pendingSignIns.find(tokenDigest(mfaToken), clock());
	if (pending === undefined || pending.enrolment !== enrolment) throw wrongAnswer();
	const user = await db.stores.users.findById(pending.tenantId, pending.userId);
	if (user === undefined) throw wrongAnswer();
	return { pending, user };
}

/**
 * Codes of an app can be guessed: wrong ones are counted for the account over all tokens and addresses, before they are
 * looked at, and make it wait as wrong passwords do.
 *
 * @throws AppError `mfa.invalid`, `login.too_many`; `account.disabled` and `application.access_denied` as at sign-in.
 */
export async function answerWithTotp(
	deps: AnswerDeps,
	{ mfaToken, code }: { readonly mfaToken: string; readonly code: string },
	origin: Origin,
): Promise<SignInOutcome> {
	const answering = { ...(await findPending(deps, mfaToken, false)), origin };
	const { tenantId, userId } = answering.pending;
	const guesses = { tenantId, ...totpSubjects(userId), ip: ANY_ADDRESS };
	return await deps.attempts.run(guesses, async ({ failures, locked }) => {
		await takeTry(deps, answering.pending);
		const factor = await deps.db.stores.totp.findActive(tenantId, userId);
		const step =
			factor === undefined || locked
				? undefined
				: verifyTotp(deps.secretBox.open(factor.secretSealed, totpContext(factor.id)), code, deps.clock());
		if (factor === undefined || step === undefined) return await refuse(deps, answering, "totp", failures);
		const proved: ProvedSecond = {
			amr: ["otp", "mfa"],
			use: ({ totp }) => totp.useStep(factor, step),
		};
		return (await enter(deps, answering, proved)) ?? (await refuse(deps, answering, "totp", failures));
	});
}

/** @throws as `answerWithTotp`, but for the wait: 120 random bits need not be counted. */
export async function answerWithRecoveryCode(
	deps: AnswerDeps,
	{ mfaToken, code }: { readonly mfaToken: string; readonly code: string },
	origin: Origin,
): Promise<SignInOutcome> {
	const answering = { ...(await findPending(deps, mfaToken, false)), origin };
	await takeTry(deps, answering.pending);
	const digest = recoveryCodeDigest(code);
	if (digest === undefined) return await refuse(deps, answering, "recovery_code");
	const proved = {
		amr: ["otp", "mfa"],
		use: (stores: AnswerStores) => useCode(stores, digest, answering, deps.clock()),
	};
	const outcome = await enter(deps, answering, proved);
	deps.wakeMail();
	return outcome ?? (await refuse(deps, answering, "recovery_code"));
}

/** Counts the answer against the token, before it is looked at. @throws AppError `mfa.invalid`. */
export async function takeTry(
	{ db, clock }: Pick<AnswerDeps, "clock"> & { db: Persistence<Pick<AnswerStores, "pendingSignIns">> },
	pending: PendingSignIn,
): Promise<void> {
	if (!(await db.stores.pendingSignIns.takeTry(pending.tokenDigest, clock()))) throw wrongAnswer();
}

/** Undefined when the factor or the token was used by somebody faster, or the account changed meanwhile. */
export function enter<S extends AnswerStores>(
	{ clock, complete }: Pick<AnswerDeps, "clock"> & { readonly complete: CompleteSignIn<S> },
	{ pending, user, origin }: Answering,
	proved: ProvedSecond<S>,
): Promise<SignInOutcome | undefined> {
	const use = async (stores: S): Promise<boolean> => {
		if (!(await proved.use(stores))) return false;
		// Thrown, so that the factor is not used up for a token that somebody else was faster with.
		if (!(await stores.pendingSignIns.consume(pending.tokenDigest, clock()))) throw wrongAnswer();
		await clearTotpFailures(stores.loginFailures, user.tenantId, user.id);
		return true;
	};
	const factor = {
		user,
		appId: pending.appId,
		amr: [...pending.amr, ...proved.amr],
		confirm: use,
		refused: async (stores: S) => void (await use(stores)),
	};
	return complete(factor, origin);
}

/** @throws AppError `mfa.invalid`, always. `failures` of an account in a row, where they are counted. */
export async function refuse(
	deps: AnswerDeps,
	{ pending, user, origin }: Answering,
	method: SecondFactorMethod,
	failures = 0,
	reason = "mfa.invalid",
): Promise<never> {
	const tells = failures === FAILURES_BEFORE_DELAY;
	await deps.db.transaction(async ({ audit, mail }) => {
		await audit.append({
			tenantId: user.tenantId,
			actor: "anonymous",
			action: "user.sign_in_failed",
			target: `user:${user.id}`,
			origin,
			details: { reason, method, app_id: pending.appId },
		});
		if (!tells) return;
		const message = {
			kind: "second_factor_guessed",
			username: user.username,
			at: isoTime(deps.clock()),
		} as const;
		await mail.put(mfaMail(user, message, origin));
	});
	if (tells) deps.wakeMail();
	throw wrongAnswer();
}

/** One message for every reason: whether it was the code or the token is nobody's business. */
export function wrongAnswer(): AppError {
	return new AppError("mfa.invalid", "mfa_token or second factor is wrong, used or expired");
}

/** What wrong codes of an app are counted by: those that make wait, and those in a row, kept as those of the password are. */
function totpSubjects(userId: string): { readonly name: string; readonly account: string } {
	return { name: `totp:${userId}`, account: `${accountSubject(userId)}:totp` };
}

/** Any right second factor shows that it is the owner. */
export async function clearTotpFailures(
	loginFailures: LoginFailureStore,
	tenantId: string,
	userId: string,
): Promise<void> {
	const { name, account } = totpSubjects(userId);
	await loginFailures.clear(tenantId, name, ANY_ADDRESS);
	await loginFailures.clear(tenantId, account, ANY_ADDRESS);
}

async function useCode(
	{ recoveryCodes, secondFactors, audit, mail }: AnswerStores,
	digest: string,
	{ user, origin }: Answering,
	nowMs: number,
): Promise<boolean> {
	if (!(await recoveryCodes.use(user.tenantId, user.id, digest, nowMs))) return false;
	const { recoveryCodes: left } = await secondFactors.findEnrolled(user.tenantId, user.id);
	await audit.append({
		tenantId: user.tenantId,
		actor: `user:${user.id}`,
		action: "user.recovery_code_used",
		target: `user:${user.id}`,
		origin,
		details: { left },
	});
	const message = { kind: "recovery_code_used", username: user.username, at: isoTime(nowMs), left } as const;
	await mail.put(mfaMail(user, message, origin));
	return true;
}
