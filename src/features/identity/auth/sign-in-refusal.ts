// A wrong password: its audit events, the counts that a right one clears, and its error.

import {
	ANY_ADDRESS,
	type Attempt,
	type AttemptCount,
	FAILURES_BEFORE_LOCK,
	type LoginFailureStore,
} from "../../../domain/sign-in-attempt.ts";
import type { Db } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";

/** An attempt at a name; `user` is undefined for an unknown one. */
export interface NamedAttempt {
	readonly attempt: Attempt;
	readonly user: User | undefined;
	readonly appId: string | null;
	readonly origin: Origin;
}

/**
 * Records a wrong password, and that the account gets locked by it. The name is recorded as a digest, because people type
 * passwords as names.
 */
export async function recordFailure(
	db: Db<"audit">,
	named: NamedAttempt,
	{ failures, locked }: AttemptCount,
): Promise<void> {
	const reason = locked ? "login.locked" : "credentials.invalid";
	const failed = failureEntry(named, { reason, name: named.attempt.name });
	const locksNow = failures === FAILURES_BEFORE_LOCK && named.user !== undefined;
	await db.transaction(async ({ audit }) => {
		await audit.append(failed, failed.action, failed.target, failed.details);
		if (locksNow)
			await audit.append(failed, "user.password_locked", failed.target, { failures, app_id: named.appId });
	});
}

/** Clears the failures of the name from this address, and the consecutive ones of the account over all addresses. */
export async function clearFailures(loginFailures: LoginFailureStore, attempt: Attempt): Promise<void> {
	await loginFailures.clear(attempt.tenantId, attempt.name, attempt.ip);
	await loginFailures.clear(attempt.tenantId, attempt.account, ANY_ADDRESS);
}

/** One message for every reason, so that it does not reveal whether a name exists. */
export function wrongCredentials(): AppError {
	return new AppError("credentials.invalid", "username or password is wrong");
}

/** The audit event of a failed sign-in. */
export function failureEntry(
	{ attempt, user, appId, origin }: NamedAttempt,
	details: Record<string, string | number>,
) {
	return {
		tenantId: attempt.tenantId,
		actor: "anonymous",
		action: "user.sign_in_failed",
		target: user === undefined ? "" : `user:${user.id}`,
		origin,
		details: { ...details, app_id: appId },
	} as const;
}
