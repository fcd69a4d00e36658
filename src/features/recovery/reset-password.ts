// Sets a new password for whoever holds the link mailed for it.

import { tokenDigest } from "../../crypto/digest.ts";
import type { PasswordHasher } from "../../crypto/password.ts";
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
import type { PasskeyStore, SecondFactorStore } from "../mfa/model.ts";
import type { ThirdPartyAccountStore } from "../third-party/model.ts";
import { NO_PASSWORD, type User, type UserStore } from "../users/model.ts";
import type { RecoveryLink, RecoveryLinkStore } from "./model.ts";

interface ResetStores {
	readonly users: UserStore;
	readonly sessions: SessionStore;
	readonly loginFailures: LoginFailureStore;
	readonly recoveryLinks: RecoveryLinkStore;
	readonly thirdPartyAccounts: ThirdPartyAccountStore;
	readonly secondFactors: SecondFactorStore;
	readonly passkeys: PasskeyStore;
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
 * holds the link reads the mail of the address, which counts as proved.
 *
 * @throws AppError `reset.not_found` (unknown, used, replaced or expired; the account disabled, or its address another by
 * now), `password.*` (policy, field `new_password`), `service.overloaded`, `service.unavailable`.
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
	const named = { username: owner.username, email: owner.email, field: "new_password" };
	const newPlain = await passwords.check(given.newPasswordPlain, named);
	const passwordHash = await passwords.hash(newPlain);
	const now = clock();
	await db.transaction(async (stores) => {
		const consumed = await stores.recoveryLinks.consume(digest, "password_reset", now);
		const user = await findOwner(stores.users, consumed);
		const takenAway = await takeAwayStrangers(stores, user);
		const missing = await stores.users.update(
			user.tenantId,
			user.id,
			{ passwordHash, emailVerified: true },
			now,
		);
		if (missing !== undefined) throw notFound();
		await writeReset(stores, deps.keys, user, takenAway, now, origin);
	});
	deps.wakeMail();
}

async function findOwner(users: UserStore, link: RecoveryLink | undefined): Promise<User> {
	const user = link && (await users.findById(link.tenantId, link.userId));
	if (user === undefined || user.status !== "active" || user.email !== link?.email) throw notFound();
	return user;
}

/** What could be signed in with before, as the audit trail tells it; nothing where nothing was taken away. */
interface TakenAway {
	readonly third_party_accounts_unlinked?: number;
	readonly passkeys_removed?: number;
}

/**
 * An account that never had a password and whose address nobody had proved was made by somebody with an account at a
 * provider, under an address that may be another's. Now that its owner has come, other ways in and second factors go.
 */
async function takeAwayStrangers(stores: ResetStores, { tenantId, id }: User): Promise<TakenAway> {
	await stores.secondFactors.lock(tenantId, id);
	const user = await stores.users.findWithPassword(tenantId, id);
	if (user === undefined || user.emailVerified || user.passwordHash !== NO_PASSWORD) return {};
	const unlinked = await stores.thirdPartyAccounts.removeAll(tenantId, id);
	const passkeys = await stores.passkeys.listAll(tenantId, id);
	// An authenticator app too: it would keep the owner out.
	await stores.secondFactors.removeAll(tenantId, id);
	await stores.secondFactors.settle(tenantId, id);
	return { third_party_accounts_unlinked: unlinked, passkeys_removed: passkeys.length };
}

async function writeReset(
	{ sessions, loginFailures, recoveryLinks, mail, audit }: ResetStores,
	keys: NameSubjects,
	user: User,
	takenAway: TakenAway,
	nowMs: number,
	origin: Origin,
): Promise<void> {
	const { id, tenantId, username } = user;
	const ended = await sessions.endAll(tenantId, id, nowMs);
	await recoveryLinks.endAll(tenantId, id, "password_reset");
	await forgetGuesses(loginFailures, keys, user);
	await audit.append({
		tenantId,
		actor: `user:${id}`,
		action: "user.password_reset",
		target: `user:${id}`,
		origin,
		details: { sessions_revoked: ended, ...takenAway },
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
