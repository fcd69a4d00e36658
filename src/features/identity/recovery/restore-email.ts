// Restores the former email address of an account, with the link that was mailed to it.

import { tokenDigest } from "../../../crypto/digest.ts";
import { userTarget } from "../../../domain/audit.ts";
import { systemCaller, userCaller } from "../../../domain/caller.ts";
import { checkOfNoDirectory } from "../../../domain/directory.ts";
import { endKeysOf } from "../../../domain/end-admin-keys.ts";
import { LINK_SECONDS, type RecoveryLink } from "../../../domain/recovery-link.ts";
import { NO_PASSWORD, placeholderAddress, writeError } from "../../../domain/user.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { issueRecoveryLink, resetLink } from "../steps/issue-recovery-link.ts";
import { mailOwner } from "../steps/mail-owner.ts";

type Needed = Needs<
	| "users"
	| "adminKeys"
	| "sessions"
	| "secondFactors"
	| "passkeys"
	| "thirdPartyAccounts"
	| "recoveryLinks"
	| "directoryPeople"
	| "mail"
	| "audit",
	"clock" | "publicUrl" | "wakeMail"
>;
type RestoreStores = Needed["db"]["stores"];

/**
 * Restores the address, removes every way to sign in that was added after the change of address or shortly before it,
 * ends every session and admin key, and clears the password. The mail about it contains a link to set a new one. Deletes
 * the links of later changes; those of earlier changes stay valid.
 *
 * @throws AppError `email_restore.not_found` (unknown, used, expired), `user.of_directory`, `email.taken` (by another account in the meantime).
 */
export async function restoreEmail(
	{ db, clock, publicUrl, wakeMail }: Needed,
	restoreToken: string,
	origin: Origin,
): Promise<void> {
	const now = clock();
	await db.transaction(async (stores) => {
		const digest = tokenDigest(restoreToken);
		const link = await stores.recoveryLinks.consume(digest, "email_restore", now);
		if (link === undefined) throw notFound();
		const { tenantId, userId, email } = link;
		await checkOfNoDirectory(stores, tenantId, userId, "email");
		await displaceUnverified(stores, link, now, origin);
		// The person who changed the address knew the password.
		const changes = { email, emailVerified: true, passwordHash: NO_PASSWORD };
		const taken = await stores.users.update(tenantId, userId, changes, now);
		if (taken === "missing") throw notFound();
		if (taken !== undefined) throw writeError(taken);
		await removeRecentFactors(stores, link);
		await stores.recoveryLinks.endAll(tenantId, userId, "email_restore", link.createdAtMs);
		const resetOf = { tenantId, userId, email, purpose: "password_reset" } as const;
		const { token } = await issueRecoveryLink(stores, resetOf, now);
		await recordRestored(stores, link, resetLink(publicUrl, token), now, origin);
	});
	wakeMail();
}

/**
 * An attacker who changed the address could block its restoration by creating another account with the former address,
 * through a provider that does not verify addresses. Such an account, unverified and without a password, loses it.
 */
async function displaceUnverified(
	{ users, audit }: RestoreStores,
	{ tenantId, userId, email }: RecoveryLink,
	nowMs: number,
	origin: Origin,
): Promise<void> {
	const holder = await users.findByLogin(tenantId, email);
	if (holder === undefined || holder.id === userId) return;
	if (holder.emailVerified || holder.passwordHash !== NO_PASSWORD) return;
	await users.update(tenantId, holder.id, { email: placeholderAddress(holder.id) }, nowMs);
	const details = { by: `user:${userId}` };
	await audit.append(systemCaller(tenantId, origin), "user.email_displaced", userTarget(holder), details);
}

/**
 * Keeps second factors from before the change of address: control of a mailbox alone must not remove them. Passkeys and
 * third-party accounts can sign in alone, so this also removes those added shortly before the change.
 */
async function removeRecentFactors(
	{ secondFactors, passkeys, thirdPartyAccounts }: RestoreStores,
	{ tenantId, userId, createdAtMs }: RecoveryLink,
): Promise<void> {
	const sinceMs = createdAtMs - LINK_SECONDS.email_restore * SECOND_MS;
	await secondFactors.lock(tenantId, userId);
	await secondFactors.removeSince(tenantId, userId, createdAtMs);
	for (const passkey of await passkeys.listAll(tenantId, userId))
		if (passkey.createdAtMs >= sinceMs) await passkeys.remove(tenantId, userId, passkey.id);
	await secondFactors.settle(tenantId, userId);
	await thirdPartyAccounts.removeSince(tenantId, userId, sinceMs);
}

async function recordRestored(
	stores: RestoreStores,
	{ tenantId, userId }: RecoveryLink,
	link: ReturnType<typeof resetLink>,
	nowMs: number,
	origin: Origin,
): Promise<void> {
	const user = await stores.users.findById(tenantId, userId);
	if (user === undefined) throw notFound();
	const ended = await stores.sessions.endAll(tenantId, userId, nowMs);
	await endKeysOf(stores, user, "creator_restored", userCaller(user, origin));
	const details = { sessions_revoked: ended };
	await stores.audit.append(userCaller(user, origin), "user.email_restored", userTarget(user), details);
	await mailOwner(stores, user, { kind: "email_restored", username: user.username, ...link }, origin);
}

function notFound(): AppError {
	return new AppError("email_restore.not_found", "the link is not valid: it was used or has expired");
}
