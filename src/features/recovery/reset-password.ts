// Sets a new password for whoever holds the link mailed for it.

import { tokenDigest } from "../../crypto/digest.ts";
import { checkPasswordPolicy, normalizePassword, type PasswordHasher } from "../../crypto/password.ts";
import { type Clock, isoTime } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	forgetGuesses,
	type LoginFailureStore,
	type NameSubjects,
	type SessionStore,
} from "../auth/model.ts";
import { type MailOutbox, parseLocale } from "../mail/model.ts";
import type { ThirdPartyAccountStore } from "../third-party/model.ts";
import type { User, UserStore } from "../users/model.ts";
import type { RecoveryLink, RecoveryLinkStore } from "./model.ts";

interface ResetStores {
	readonly users: UserStore;
	readonly sessions: SessionStore;
	readonly loginFailures: LoginFailureStore;
	readonly recoveryLinks: RecoveryLinkStore;
	readonly thirdPartyAccounts: ThirdPartyAccountStore;
	readonly mail: MailOutbox;
	readonly audit: AuditLog;
}

export interface ResetPasswordDeps {
	readonly db: Persistence<ResetStores>;
	readonly passwords: PasswordHasher;
	readonly keys: NameSubjects;
	readonly clock: Clock;
	readonly wakeMail: () => void;
}

/**
 * Every session ends, a lock ends, guesses are forgotten, the owner is mailed. Nobody is signed in by it: a second factor
 * is asked for as ever. A password that is refused leaves the link good; of several uses at once one succeeds. Whoever
 * holds the link reads the mail of the address, which counts as proved. Where nobody had proved it before, accounts
 * elsewhere that were linked until now are unlinked: the account may have been made to wait for the owner of the address.
 *
 * @throws AppError `reset.not_found` (unknown, used, replaced or expired; the account disabled, or its address another by
 * now), `password.*` (policy, field `new_password`), `service.overloaded`.
 */
export async function resetPassword(
	deps: ResetPasswordDeps,
	given: { readonly token: string; readonly newPasswordPlain: string },
	origin: Origin,
): Promise<void> {
	const { db, passwords, clock } = deps;
	const digest = tokenDigest(given.token);
	// Nobody without a live link makes us pay for a hash.
	const link = await db.stores.recoveryLinks.find(digest, "password_reset", clock());
	const owner = await findOwner(db.stores.users, link);
	const newPlain = normalizePassword(given.newPasswordPlain);
	checkPasswordPolicy(newPlain, { username: owner.username, email: owner.email, field: "new_password" });
	const passwordHash = await passwords.hash(newPlain);
	const now = clock();
	await db.transaction(async (stores) => {
		const consumed = await stores.recoveryLinks.consume(digest, "password_reset", now);
		const user = await findOwner(stores.users, consumed);
		const missing = await stores.users.update(
			user.tenantId,
			user.id,
			{ passwordHash, emailVerified: true },
			now,
		);
		if (missing !== undefined) throw notFound();
		await writeReset(stores, deps.keys, user, now, origin);
	});
	deps.wakeMail();
}

async function findOwner(users: UserStore, link: RecoveryLink | undefined): Promise<User> {
	const user = link && (await users.findById(link.tenantId, link.userId));
	if (user === undefined || user.status !== "active" || user.email !== link?.email) throw notFound();
	return user;
}

async function writeReset(
	{ sessions, loginFailures, recoveryLinks, thirdPartyAccounts, mail, audit }: ResetStores,
	keys: NameSubjects,
	user: User,
	nowMs: number,
	origin: Origin,
): Promise<void> {
	const { id, tenantId, username } = user;
	const ended = await sessions.endAll(tenantId, id, nowMs);
	await recoveryLinks.endAll(tenantId, id, "password_reset");
	await forgetGuesses(loginFailures, keys, user);
	const unlinked = user.emailVerified ? 0 : await thirdPartyAccounts.removeAll(tenantId, id);
	await audit.append({
		tenantId,
		actor: `user:${id}`,
		action: "user.password_reset",
		target: `user:${id}`,
		origin,
		details: { sessions_revoked: ended, ...(unlinked > 0 && { third_party_accounts_unlinked: unlinked }) },
	});
	await mail.put({
		tenantId,
		to: user.email,
		toName: user.displayName || username,
		locale: parseLocale(origin.acceptLanguage),
		message: { kind: "password_changed", username, at: isoTime(nowMs) },
	});
}

function notFound(): AppError {
	return new AppError("reset.not_found", "the link is not valid: it was used or replaced, or has expired");
}
