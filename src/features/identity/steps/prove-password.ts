// Proves the current password of a signed-in user, before a change that a stolen access token must not allow.

import { normalizePassword } from "../../../crypto/password.ts";
import type { AuditAction } from "../../../domain/audit-action.ts";
import { FRESH_SIGN_IN_SECONDS } from "../../../domain/second-factor.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { ANY_ADDRESS, accountSubject } from "../../../domain/sign-in-attempt.ts";
import { NO_PASSWORD, type User } from "../../../domain/user.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { type AppError, invalidField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

type Needed = Needs<"users" | "loginFailures" | "audit", "passwords" | "attempts">;

export interface Proof {
	/** The body field that holds the password: errors name it. */
	readonly field: "current_password" | "password";
	/** The audit action of a wrong password. */
	readonly refusedAs: AuditAction;
}

/**
 * Counts the attempt like a sign-in, proves the password, then makes the change. A locked account refuses every password.
 * `change` receives the hash that the password was proved against, and clears the count in the transaction that commits
 * the change; an attempt whose change throws stays counted.
 *
 * @throws AppError `password.wrong`, after it was recorded; `login.too_many`, `service.overloaded`; what `change` throws.
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
	const account = accountSubject(userId);
	return attempts.run({ tenantId, name: account, account, ip }, async ({ locked }) => {
		const stored = locked ? undefined : await db.stores.users.findWithPassword(tenantId, userId);
		const isRight =
			stored === undefined
				? await passwords.verifyAbsent(plain, ip)
				: await passwords.verify(plain, stored.passwordHash, ip);
		if (stored !== undefined && isRight) return await change(stored.passwordHash);
		const reason = locked ? "login.locked" : "password.wrong";
		await db.transaction(({ audit }) => audit.append(caller, refusedAs, `user:${userId}`, { reason }));
		throw wrongPassword(field);
	});
}

/** As `changeWithPassword`, for a caller that may still refuse for other reasons: clears the count at once. */
function provePassword(needs: Needed, passwordPlain: string, proof: Proof, caller: SignedIn): Promise<void> {
	const { tenantId, userId, origin } = caller;
	const account = accountSubject(userId);
	return changeWithPassword(needs, passwordPlain, proof, caller, () =>
		needs.db.transaction(async ({ loginFailures }) => {
			await loginFailures.clear(tenantId, account, origin.ip);
			await loginFailures.clear(tenantId, account, ANY_ADDRESS);
		}),
	);
}

export function wrongPassword(field: Proof["field"]): AppError {
	return invalidField(field, "is wrong", "password.wrong");
}

interface OwnerProof extends Proof {
	/** Whether an account without a password may rely on its sign-in; absent: always. */
	mayRelyOnSignIn?(user: User): boolean;
}

/**
 * Proves the password where the account has one. An account without a password needs a sign-in that is at most
 * `FRESH_SIGN_IN_SECONDS` old and not for an application.
 *
 * @throws AppError what `changeWithPassword` throws; `request.invalid` when a password or a newer sign-in is required;
 * `application.token`.
 */
export async function proveOwner(
	needs: Needs<"users" | "sessions" | "loginFailures" | "audit", "passwords" | "attempts" | "clock">,
	passwordPlain: string | undefined,
	proof: OwnerProof,
	caller: SignedIn,
): Promise<void> {
	if (passwordPlain !== undefined) return await provePassword(needs, passwordPlain, proof, caller);
	checkInPerson(caller, "change how its user signs in without the password");
	const { users, sessions } = needs.db.stores;
	const stored = await users.findWithPassword(caller.tenantId, caller.userId);
	if (stored?.passwordHash !== NO_PASSWORD || proof.mayRelyOnSignIn?.(stored) === false)
		throw invalidField(proof.field, "is required");
	const session = await sessions.findById(caller.sessionId);
	const ageMs = needs.clock() - (session?.authenticatedAtMs ?? Number.NEGATIVE_INFINITY);
	if (ageMs <= FRESH_SIGN_IN_SECONDS * SECOND_MS) return;
	const minutes = FRESH_SIGN_IN_SECONDS / 60;
	throw invalidField(
		proof.field,
		`is required: the account has none, so sign in again at most ${minutes} minutes before`,
	);
}
