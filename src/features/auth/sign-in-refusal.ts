// Why a sign-in is refused: what is counted, what is recorded, and what the caller may know of it.

import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { User } from "../users/model.ts";
import { ANY_ADDRESS, FAILURES_BEFORE_LOCK, type LoginFailureStore } from "./model.ts";
import type { Attempt, AttemptCount } from "./password-attempts.ts";

type RefusalDb = Persistence<{ readonly loginFailures: LoginFailureStore; readonly audit: AuditLog }>;

/** An attempt that was made: where it was counted, whom it named (if anybody), and where it came from. */
export interface MadeAttempt {
	readonly attempt: Attempt;
	readonly user: User | undefined;
	readonly appId: string | null;
	readonly origin: Origin;
}

/** What stands in the way of somebody who knows the password. */
export type Refusal = "account.disabled" | "application.access_denied";

/**
 * Records a wrong password, and the moment an account gets locked by it. What was typed as a name is recorded as a
 * digest: it may be a password.
 */
export async function recordFailure(db: RefusalDb, made: MadeAttempt, count: AttemptCount): Promise<void> {
	const locks = count.failures === FAILURES_BEFORE_LOCK && made.user !== undefined;
	await db.transaction(async ({ audit }) => {
		const reason = count.locked ? "login.locked" : "credentials.invalid";
		await audit.append(entryFor(made, { reason, name: made.attempt.name }));
		if (locks)
			await audit.append({
				...entryFor(made, { failures: count.failures }),
				action: "user.password_locked",
			});
	});
}

/** Records a right password that opened nothing: not a guess, so the counts are cleared. */
export async function recordRefusal(db: RefusalDb, made: MadeAttempt, reason: Refusal): Promise<void> {
	await db.transaction(async ({ loginFailures, audit }) => {
		await clearFailures(loginFailures, made.attempt);
		await audit.append(entryFor(made, { reason }));
	});
}

/** A right password forgets the failures of this name from this address, and those in a row over all addresses. */
export async function clearFailures(loginFailures: LoginFailureStore, attempt: Attempt): Promise<void> {
	await loginFailures.clear(attempt.tenantId, attempt.name, attempt.ip);
	await loginFailures.clear(attempt.tenantId, attempt.account, ANY_ADDRESS);
}

/** One message for every reason: whether a name exists is nobody's business. */
export function wrongCredentials(): AppError {
	return new AppError("credentials.invalid", "username or password is wrong");
}

export function refusalError(refusal: Refusal): AppError {
	return refusal === "account.disabled"
		? new AppError(refusal, "this account is disabled")
		: new AppError(refusal, "you have no access to this application");
}

function entryFor({ attempt, user, appId, origin }: MadeAttempt, details: Record<string, string | number>) {
	return {
		tenantId: attempt.tenantId,
		actor: "anonymous",
		action: "user.sign_in_failed",
		target: user === undefined ? "" : `user:${user.id}`,
		origin,
		details: { ...details, app_id: appId },
	} as const;
}
