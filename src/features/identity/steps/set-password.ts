// Sets a new password, with all its consequences.

import { type AuditCaller, type AuditDetails, userTarget } from "../../../domain/audit.ts";
import type { AuditAction } from "../../../domain/audit-action.ts";
import { forgetGuesses, type NameSubjects } from "../../../domain/sign-in-attempt.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User, UserChanges } from "../../../domain/user.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { mailOwner } from "./mail-owner.ts";

type EndStores = Stores<"sessions" | "loginFailures" | "recoveryLinks">;
/** The stores that a new password writes to. */
export type PasswordStore = "users" | "sessions" | "loginFailures" | "recoveryLinks" | "audit" | "mail";

interface PasswordChange {
	/** As before the change. */
	readonly user: User;
	readonly nowMs: number;
	/** The session that does not end. */
	readonly keepSessionId?: string;
}

interface NewPassword extends PasswordChange {
	readonly passwordHash: string;
	/** Replaces only this hash, so that a password changed in the meantime stays. */
	readonly fromHash?: string;
	/** Further changes to write. */
	readonly changes?: UserChanges;
	readonly action: AuditAction;
	readonly details?: AuditDetails;
}

/**
 * Inside a transaction: stores the hash, ends sessions, revokes mailed links, clears counted guesses, writes the audit
 * event, and mails the owner.
 *
 * @returns the number of live sessions ended; undefined if the user was deleted or `fromHash` is no longer stored.
 */
export async function setPassword(
	stores: Stores<PasswordStore>,
	keys: NameSubjects,
	change: NewPassword,
	caller: AuditCaller,
): Promise<number | undefined> {
	const { user, nowMs, passwordHash, fromHash, action, details } = change;
	const { users, audit } = stores;
	const isStored =
		fromHash === undefined
			? (await users.update(user.tenantId, user.id, { ...change.changes, passwordHash }, nowMs)) === undefined
			: await users.replacePassword(user.tenantId, user.id, fromHash, passwordHash, nowMs);
	if (!isStored) return undefined;
	const ended = await endOldPassword(stores, keys, change);
	await audit.append(caller, action, userTarget(user), { sessions_revoked: ended, ...details });
	await mailPasswordChanged(stores, change, caller);
	return ended;
}

/**
 * Inside the transaction that replaced the hash: ends the sessions, revokes mailed links that set a password, and clears
 * the counted guesses, including a lock.
 *
 * @returns the number of live sessions ended.
 */
export async function endOldPassword(
	{ sessions, loginFailures, recoveryLinks }: EndStores,
	keys: NameSubjects,
	{ user, nowMs, keepSessionId }: PasswordChange,
): Promise<number> {
	const ended = await sessions.endAll(user.tenantId, user.id, nowMs, keepSessionId);
	await recoveryLinks.endAll(user.tenantId, user.id, "password_reset");
	await forgetGuesses(loginFailures, keys, user);
	return ended;
}

/** Mails the address before the change, so that the owner is notified even if the change also replaces the address. */
export function mailPasswordChanged(
	stores: Stores<"mail">,
	{ user, nowMs }: PasswordChange,
	{ origin }: AuditCaller,
): Promise<void> {
	const message = { kind: "password_changed", username: user.username, at: isoTime(nowMs) } as const;
	return mailOwner(stores, user, message, origin);
}
