// Gives an account back to the address it was moved away from.

import { tokenDigest } from "../../crypto/digest.ts";
import { randomToken } from "../../crypto/random.ts";
import { type Clock, SECOND_MS } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { SessionStore } from "../auth/model.ts";
import { type MailOutbox, parseLocale } from "../mail/model.ts";
import type { PasskeyStore, SecondFactorStore } from "../mfa/model.ts";
import type { ThirdPartyAccountStore } from "../third-party/model.ts";
import { NO_PASSWORD, placeholderAddress, takenError, type UserStore } from "../users/model.ts";
import { RESET_SECONDS, RESTORE_SECONDS, type RecoveryLink, type RecoveryLinkStore } from "./model.ts";
import { RESET_MINUTES, resetUrl } from "./reset-mail.ts";

interface RestoreStores {
	readonly users: UserStore;
	readonly sessions: SessionStore;
	readonly secondFactors: SecondFactorStore;
	readonly passkeys: PasskeyStore;
	readonly thirdPartyAccounts: ThirdPartyAccountStore;
	readonly recoveryLinks: RecoveryLinkStore;
	readonly mail: MailOutbox;
	readonly audit: AuditLog;
}

export interface RestoreEmailDeps {
	readonly db: Persistence<RestoreStores>;
	readonly clock: Clock;
	readonly publicUrl: string;
	readonly wakeMail: () => void;
}

/**
 * The address is what it was, every way in that was added since the move, or may have been added for it, is gone, every session ends, and the password opens nothing any more: the mail that says so carries
 * a link to set a new one. Links of later moves die; those of earlier ones stay, they lead further back.
 *
 * @throws AppError `email_restore.not_found` (unknown, used, expired), `email.taken` (by another account meanwhile).
 */
export async function restoreEmail(
	{ db, clock, publicUrl, wakeMail }: RestoreEmailDeps,
	restoreToken: string,
	origin: Origin,
): Promise<void> {
	const now = clock();
	const resetToken = randomToken();
	await db.transaction(async (stores) => {
		const digest = tokenDigest(restoreToken);
		const link = await stores.recoveryLinks.consume(digest, "email_restore", now);
		if (link === undefined) throw notFound();
		const { tenantId, userId, email } = link;
		await displaceSquatter(stores, link, now, origin);
		// Whoever moved the account knew the password.
		const changes = { email, emailVerified: true, passwordHash: NO_PASSWORD };
		const taken = await stores.users.update(tenantId, userId, changes, now);
		if (taken === "missing") throw notFound();
		if (taken !== undefined) throw takenError(taken);
		await closeWaysIn(stores, link);
		await stores.recoveryLinks.endAll(tenantId, userId, "email_restore", link.createdAtMs);
		await stores.recoveryLinks.put({
			digest: tokenDigest(resetToken),
			tenantId,
			userId,
			purpose: "password_reset",
			email,
			createdAtMs: now,
			expiresAtMs: now + RESET_SECONDS * SECOND_MS,
		});
		await writeRestored(stores, link, resetUrl(publicUrl, resetToken), now, origin);
	});
	wakeMail();
}

/**
 * Whoever moved an account away can make another under its old address with a provider that verifies none, so that the
 * way back ends at a taken address. Such an account, which nobody proved the address of and which has no password,
 * gives it up.
 */
async function displaceSquatter(
	{ users, audit }: RestoreStores,
	{ tenantId, userId, email }: RecoveryLink,
	nowMs: number,
	origin: Origin,
): Promise<void> {
	const holder = await users.findByLogin(tenantId, email);
	if (holder === undefined || holder.id === userId) return;
	if (holder.emailVerified || holder.passwordHash !== NO_PASSWORD) return;
	await users.update(tenantId, holder.id, { email: placeholderAddress(holder.id) }, nowMs);
	await audit.append({
		tenantId,
		actor: "system",
		action: "user.email_displaced",
		target: `user:${holder.id}`,
		origin,
		details: { by: `user:${userId}` },
	});
}

/**
 * What the owner had before the move stays: a mailbox alone must not take second factors away. But what signs in alone, and
 * is so young that a thief may have added it in preparation, goes.
 */
async function closeWaysIn(
	{ secondFactors, passkeys, thirdPartyAccounts }: RestoreStores,
	{ tenantId, userId, createdAtMs }: RecoveryLink,
): Promise<void> {
	const youngSinceMs = createdAtMs - RESTORE_SECONDS * SECOND_MS;
	await secondFactors.lock(tenantId, userId);
	await secondFactors.removeSince(tenantId, userId, createdAtMs);
	const young = (await passkeys.listAll(tenantId, userId)).filter((key) => key.createdAtMs >= youngSinceMs);
	for (const passkey of young) await passkeys.remove(tenantId, userId, passkey.id);
	await secondFactors.settle(tenantId, userId);
	await thirdPartyAccounts.removeSince(tenantId, userId, youngSinceMs);
}

async function writeRestored(
	{ users, sessions, mail, audit }: RestoreStores,
	{ tenantId, userId, email }: RecoveryLink,
	url: string,
	nowMs: number,
	origin: Origin,
): Promise<void> {
	const user = await users.findById(tenantId, userId);
	if (user === undefined) throw notFound();
	const ended = await sessions.endAll(tenantId, userId, nowMs);
	await audit.append({
		tenantId,
		actor: `user:${userId}`,
		action: "user.email_restored",
		target: `user:${userId}`,
		origin,
		details: { sessions_revoked: ended },
	});
	await mail.put({
		tenantId,
		to: email,
		toName: user.displayName || user.username,
		locale: parseLocale(origin.acceptLanguage),
		message: {
			kind: "email_restored",
			username: user.username,
			resetUrl: url,
			expiresInMinutes: RESET_MINUTES,
		},
	});
}

function notFound(): AppError {
	return new AppError("email_restore.not_found", "the link is not valid: it was used or has expired");
}
