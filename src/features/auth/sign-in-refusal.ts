// A wrong password: what is recorded of it, what a right one forgets, and what the caller may know.

import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { User } from "../users/model.ts";
import { ANY_ADDRESS, FAILURES_BEFORE_LOCK, type LoginFailureStore } from "./model.ts";
import type { Attempt, AttemptCount } from "./password-attempts.ts";

type RefusalDb = Persistence<{ readonly audit: AuditLog }>;

/** An attempt that was made: where it was counted, whom it named (if anybody), and where it came from. */
export interface MadeAttempt {
	readonly attempt: Attempt;
	readonly user: User | undefined;
	readonly appId: string | null;
	readonly origin: Origin;
}

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

/** A right password forgets the failures of this name from this address, and those in a row over all addresses. */
export async function clearFailures(loginFailures: LoginFailureStore, attempt: Attempt): Promise<void> {
	await loginFailures.clear(attempt.tenantId, attempt.name, attempt.ip);
	await loginFailures.clear(attempt.tenantId, attempt.account, ANY_ADDRESS);
}

/** One message for every reason: whether a name exists is nobody's business. */
export function wrongCredentials(): AppError {
	return new AppError("credentials.invalid", "username or password is wrong");
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
