// Proves that a signed-in user is the owner of the account, before a change that a stolen access token must not allow.

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

/** The stores that the proof of an owner reads and writes. */
export type OwnerStore = "users" | "sessions" | "loginFailures" | "audit";
type OwnerNeeds = Needs<OwnerStore, "passwords" | "attempts" | "clock">;

export interface Proof {
	/** The body field that holds the password: errors name it. */
	readonly field: "current_password" | "password";
	/** The audit action of a wrong password. */
	readonly refusedAs: AuditAction;
}

/**
 * Counts the attempt like a sign-in, proves the password, then makes the change. A locked account refuses every
 * password.
 * `change` receives the hash that the password was proved against, and clears the count in the transaction that commits
 * the change; an attempt whose change throws stays counted.
 *
 * @throws AppError `password.wrong`, after it was recorded; `login.too_many`, `service.overloaded`; what `change`
 * throws.
 */
export function changeWithPassword<T>(
	{ db, passwords, attempts }: Needed,
	passwordPlain: string,
	{ field, refusedAs }: Proof,
	caller: SignedIn,
	change: (provedHash: string) => Promise<T>,
): Promise<T> {
	const { tenantId, userId } = caller;
	const { ip } = caller.origin;
	const plain = normalizePassword(passwordPlain);
	return attempts.run(attemptOf(caller), async ({ locked }) => {
		const stored = locked ? undefined : await db.stores.users.findWithPassword(tenantId, userId);
		const isRight =
			stored === undefined
				? await passwords.verifyAbsent(plain, ip)
				: await passwords.verify(plain, stored.passwordHash, ip);
		if (stored !== undefined && isRight) return await change(stored.passwordHash);
		const reason = locked ? "login.locked" : "password.wrong";
		await db.transaction(({ audit }) => audit.append(caller, refusedAs, userTarget(caller.user), { reason }));
		throw wrongPassword(field);
	});
}

/** Counts for the account, whatever name its user signs in with. */
function attemptOf({ tenantId, userId, origin }: SignedIn): Attempt {
	const account = accountSubject(userId);
	return { tenantId, name: account, account, ip: origin.ip };
}

export function wrongPassword(field: Proof["field"]): AppError {
	return refusedField("password.wrong", field, problem("incorrect"));
}

interface OwnerProof extends Proof {
	/** Whether an account without a password may rely on its sign-in; absent: always. */
	mayRelyOnSignIn?(user: User): boolean;
	/** A new sign-in proves the owner of an account with a password, too. */
	readonly freshSignInSuffices?: true;
}

/**
 * Proves the password where the account has one. An account without a password needs a sign-in that is at most
 * `FRESH_SIGN_IN_SECONDS` old and not for an application; with `freshSignInSuffices` that proves any owner.
 *
 * @throws AppError what `changeWithPassword` throws; `request.invalid` when a password or a newer sign-in is required;
 * `application.token`; `token.invalid` when the user was deleted or the session ended meanwhile.
 */
export async function proveOwner(
	needs: OwnerNeeds,
	passwordPlain: string | undefined,
	proof: OwnerProof,
	caller: SignedIn,
): Promise<void> {
	// Clears the count at once, because the caller may still refuse for other reasons.
	const clear = () =>
		needs.db.transaction((stores) => clearFailures(stores.loginFailures, attemptOf(caller)));
	if (passwordPlain !== undefined)
		return await changeWithPassword(needs, passwordPlain, proof, caller, clear);
	checkInPerson(caller, "change how its user signs in without the password");
	const { users, sessions } = needs.db.stores;
	const stored = await users.findWithPassword(caller.tenantId, caller.userId);
	if (stored === undefined) throw sessionEnded();
	const hasPassword = stored.passwordHash !== NO_PASSWORD;
	const needsPassword = hasPassword && proof.freshSignInSuffices !== true;
	if (needsPassword || proof.mayRelyOnSignIn?.(stored) === false) throw invalidField(proof.field, "required");
	const session = found(await sessions.findById(caller.sessionId), sessionEnded);
	const ageMs = needs.clock() - session.authenticatedAtMs;
	if (ageMs <= FRESH_SIGN_IN_SECONDS * SECOND_MS) return;
	throw invalidField(proof.field, hasPassword ? "required_or_recent_sign_in" : "recent_sign_in", {
		minutes: FRESH_SIGN_IN_SECONDS / 60,
	});
}

/** @throws what `proveOwner` throws, about the field `password`. */
export function confirmOwner(
	needs: OwnerNeeds,
	passwordPlain: string | undefined,
	caller: SignedIn,
	refusedAs: AuditAction = "user.second_factor_change_refused",
): Promise<void> {
	return proveOwner(needs, passwordPlain, { field: "password", refusedAs }, caller);
}

/**
 * First in the transaction that adds a factor: refuses a session that ended meanwhile, and serializes with other
 * changes of the user's factors.
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
