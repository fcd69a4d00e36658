// Confirms that the caller owns the account, before a change that a stolen access token must not allow.

import { normalizePassword } from "../../../crypto/password.ts";
import { userTarget } from "../../../domain/audit.ts";
import type { AuditAction } from "../../../domain/audit-action.ts";
import { FRESH_SIGN_IN_SECONDS } from "../../../domain/second-factor.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { type Attempt, accountSubject, clearFailures } from "../../../domain/sign-in-attempt.ts";
import type { Stores } from "../../../domain/stores.ts";
import { NO_PASSWORD, type User } from "../../../domain/user.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError, found, invalidField, refusedField } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import type { Needs } from "../../platform.ts";

type Needed = Needs<"users" | "loginFailures" | "audit", "passwords" | "attempts">;

/** The stores that the confirmation reads and writes. */
export type OwnerStore = "users" | "sessions" | "loginFailures" | "audit";
export type OwnerNeeds = Needs<OwnerStore, "passwords" | "attempts" | "clock">;

interface PasswordCheck {
	/** The field of the body that contains the password, for errors. */
	readonly field: "current_password" | "password";
	/** The audit action of a wrong password. */
	readonly refusedAs: AuditAction;
}

/**
 * Counts the attempt like a sign-in, verifies the password, then makes the change. A locked account refuses every
 * password. `change` receives the hash against which the password was verified, and clears the count in its transaction.
 * If `change` throws, the attempt stays counted.
 *
 * @throws AppError `password.wrong`, after recording it; `login.too_many`, `service.overloaded`; what `change` throws.
 */
export function changeWithPassword<T>(
	{ db, passwords, attempts }: Needed,
	passwordPlain: string,
	{ field, refusedAs }: PasswordCheck,
	caller: SignedIn,
	change: (verifiedHash: string) => Promise<T>,
): Promise<T> {
	const { tenantId, userId } = caller;
	const { ip } = caller.origin;
	const plain = normalizePassword(passwordPlain);
	return attempts.run(attemptOf(caller), async ({ locked }) => {
		const stored = locked ? undefined : await db.stores.users.findWithPassword(tenantId, userId);
		const isCorrect =
			stored === undefined
				? await passwords.verifyAbsent(plain, ip)
				: await passwords.verify(plain, stored.passwordHash, ip);
		if (stored !== undefined && isCorrect) return await change(stored.passwordHash);
		const reason = locked ? "login.locked" : "password.wrong";
		await db.transaction(({ audit }) => audit.append(caller, refusedAs, userTarget(caller.user), { reason }));
		throw wrongPassword(field);
	});
}

/** Counts against the account, whichever name its user signs in with. */
function attemptOf({ tenantId, userId, origin }: SignedIn): Attempt {
	const account = accountSubject(userId);
	return { tenantId, name: account, account, ip: origin.ip };
}

export function wrongPassword(field: PasswordCheck["field"]): AppError {
	return refusedField("password.wrong", field, problem("incorrect"));
}

interface OwnerCheck extends PasswordCheck {
	/** Whether a recent sign-in is enough for an account without a password; by default it is. */
	mayRelyOnSignIn?(user: User): boolean;
	/** A recent sign-in is enough for an account with a password, too. */
	readonly freshSignInSuffices?: true;
}

/**
 * Verifies the password if the account has one. An account without a password needs a sign-in that is at most
 * `FRESH_SIGN_IN_SECONDS` old and not for an application; with `freshSignInSuffices`, that is enough for any account.
 *
 * @throws AppError what `changeWithPassword` throws; `request.invalid` if a password or a newer sign-in is required;
 * `application.token`; `token.invalid` if the user was deleted or the session ended in the meantime.
 */
export async function checkOwner(
	needs: OwnerNeeds,
	passwordPlain: string | undefined,
	check: OwnerCheck,
	caller: SignedIn,
): Promise<void> {
	// Clears the count immediately, because the use case may still refuse for other reasons.
	const clear = () =>
		needs.db.transaction((stores) => clearFailures(stores.loginFailures, attemptOf(caller)));
	if (passwordPlain !== undefined)
		return await changeWithPassword(needs, passwordPlain, check, caller, clear);
	checkInPerson(caller, "change how its user signs in without the password");
	const { users, sessions } = needs.db.stores;
	const stored = found(await users.findWithPassword(caller.tenantId, caller.userId), sessionEnded);
	const hasPassword = stored.passwordHash !== NO_PASSWORD;
	const needsPassword = hasPassword && check.freshSignInSuffices !== true;
	if (needsPassword || check.mayRelyOnSignIn?.(stored) === false) throw invalidField(check.field, "required");
	const session = found(await sessions.findById(caller.sessionId), sessionEnded);
	const ageMs = needs.clock() - session.authenticatedAtMs;
	if (ageMs <= FRESH_SIGN_IN_SECONDS * SECOND_MS) return;
	throw invalidField(check.field, hasPassword ? "required_or_recent_sign_in" : "recent_sign_in", {
		minutes: FRESH_SIGN_IN_SECONDS / 60,
	});
}

/** Like `checkOwner`, with the password in the field `password`. */
export function confirmOwner(
	needs: OwnerNeeds,
	passwordPlain: string | undefined,
	caller: SignedIn,
	refusedAs: AuditAction = "user.second_factor_change_refused",
): Promise<void> {
	return checkOwner(needs, passwordPlain, { field: "password", refusedAs }, caller);
}

/**
 * Call it first in the transaction that adds a factor. Refuses a session that ended in the meantime, and serializes with other
 * changes to the user's factors.
 *
 * @throws AppError `token.invalid`.
 */
export async function checkStillSignedIn(
	{ secondFactors, sessions }: Stores<"secondFactors" | "sessions">,
	{ tenantId, userId, sessionId }: SignedIn,
): Promise<void> {
	await secondFactors.lock(tenantId, userId);
	if (!(await sessions.hold(tenantId, userId, sessionId))) throw sessionEnded();
}

export function sessionEnded(): AppError {
	return new AppError("token.invalid", "access token is invalid or expired");
}
