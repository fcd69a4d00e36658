// A user changes their own password, proving the current one.

import { normalizePassword, type PasswordHasher } from "../../crypto/password.ts";
import type { Clock } from "../../kernel/clock.ts";
import { invalidField } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	ANY_ADDRESS,
	accountSubject,
	type LoginFailureStore,
	type PasswordAttemptCounter,
	type SessionStore,
	type SignedIn,
} from "../auth/model.ts";
import type { MailOutbox } from "../mail/model.ts";
import type { RecoveryLinkStore } from "../recovery/model.ts";
import type { UserStore } from "./model.ts";
import { passwordChangedMail } from "./password-changed-mail.ts";
import { proveCurrentPassword, wrongPassword } from "./prove-password.ts";

interface ChangeStores {
	readonly users: UserStore;
	readonly sessions: SessionStore;
	readonly loginFailures: LoginFailureStore;
	readonly recoveryLinks: RecoveryLinkStore;
	readonly audit: AuditLog;
	readonly mail: MailOutbox;
}

export interface ChangePasswordDeps {
	readonly db: Persistence<ChangeStores>;
	readonly passwords: PasswordHasher;
	readonly attempts: PasswordAttemptCounter;
	readonly clock: Clock;
	readonly wakeMail: () => void;
}

interface Context {
	readonly signedIn: SignedIn;
	readonly origin: Origin;
}

/**
 * Replaces the password. The session in use stays, all others end, and the owner is told by mail. A wrong current
 * password is counted like one at sign-in, over all addresses too. Of two changes at once the second proved a
 * password that is no longer the current one.
 *
 * @returns how many other live sessions ended.
 * @throws AppError `password.*` (policy, field `new_password`), `password.wrong`, `login.too_many`, `request.invalid`
 * when the new password is the current one.
 */
export async function changePassword(
	deps: ChangePasswordDeps,
	given: { readonly currentPasswordPlain: string; readonly newPasswordPlain: string },
	context: Context,
): Promise<number> {
	const { signedIn, origin } = context;
	const { id, username, email } = signedIn.user;
	const currentPlain = normalizePassword(given.currentPasswordPlain);
	const owner = { username, email, field: "new_password" };
	const newPlain = await deps.passwords.check(given.newPasswordPlain, owner);
	if (newPlain === currentPlain) throw invalidField("new_password", "must differ from the current password");
	const account = accountSubject(id);
	const attempt = { tenantId: signedIn.tenantId, name: account, account, ip: origin.ip };
	const revoked = await deps.attempts.run(attempt, async ({ locked }) => {
		const refusedAs = "user.password_change_refused";
		const fromHash = await proveCurrentPassword(deps, currentPlain, { ...context, locked, refusedAs });
		const toHash = await deps.passwords.hash(newPlain);
		const now = deps.clock();
		return deps.db.transaction((stores) => replace(stores, { fromHash, toHash }, now, context));
	});
	deps.wakeMail();
	return revoked;
}

async function replace(
	{ users, sessions, loginFailures, recoveryLinks, audit, mail }: ChangeStores,
	{ fromHash, toHash }: { readonly fromHash: string; readonly toHash: string },
	nowMs: number,
	{ signedIn, origin }: Context,
): Promise<number> {
	const { tenantId, user, sessionId } = signedIn;
	const replaced = await users.replacePassword(tenantId, user.id, fromHash, toHash, nowMs);
	if (!replaced) throw wrongPassword();
	const revoked = await sessions.endAll(tenantId, user.id, nowMs, sessionId);
	await recoveryLinks.endAll(tenantId, user.id, "password_reset");
	await loginFailures.clear(tenantId, accountSubject(user.id), origin.ip);
	await loginFailures.clear(tenantId, accountSubject(user.id), ANY_ADDRESS);
	await audit.append({
		tenantId,
		actor: `user:${user.id}`,
		action: "user.password_changed",
		target: `user:${user.id}`,
		origin,
		details: { sessions_revoked: revoked },
	});
	await mail.put(passwordChangedMail(user, origin, nowMs));
	return revoked;
}
