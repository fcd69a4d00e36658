// Changes the address of an account, verified by the code mailed there.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { RESTORE_SECONDS, type RecoveryLinkStore } from "../../../domain/recovery-link.ts";
import type { SignedIn } from "../../../domain/session.ts";
import type { Stores } from "../../../domain/stores.ts";
import { takenError, type User, userNotFound } from "../../../domain/user.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { tryCode, wrongCode } from "../steps/try-code.ts";
import { mailEmailChanged } from "./mail-email-changed.ts";
import { emailChangeKey } from "./request-email-change.ts";

type ConfirmStore = "users" | "sessions" | "emailCodes" | "recoveryLinks" | "mail" | "audit";

/**
 * The session in use stays, all others end, and mailed links that set a password end. The old address is notified; if it
 * was verified, the mail holds a link that restores it within `RESTORE_SECONDS`.
 *
 * @throws AppError `token.invalid` (the session ended meanwhile), `code.invalid` (wrong, expired, used or tried too often),
 * `email.taken` (after a right code only).
 */
export async function confirmEmailChange(
	needs: Needs<ConfirmStore, "keys" | "clock" | "publicUrl" | "wakeMail">,
	{ email, code }: { readonly email: string; readonly code: string },
	caller: SignedIn,
): Promise<User> {
	const key = emailChangeKey(caller, email);
	const codeDigest = await tryCode(needs, key, code, "user.email_code_refused", caller);
	const nowMs = needs.clock();
	const user = await needs.db.transaction(async (stores) => {
		if (!(await stores.emailCodes.consume(key, codeDigest, nowMs))) throw wrongCode();
		return move(stores, needs.publicUrl, email, nowMs, caller);
	});
	needs.wakeMail();
	return user;
}

async function move(
	stores: Stores<ConfirmStore>,
	publicUrl: string,
	email: string,
	nowMs: number,
	caller: SignedIn,
): Promise<User> {
	const { users, sessions, recoveryLinks, audit } = stores;
	const { tenantId, userId, sessionId, user: before } = caller;
	const taken = await users.update(tenantId, userId, { email, emailVerified: true }, nowMs);
	if (taken === "missing") throw userNotFound();
	if (taken !== undefined) throw takenError(taken);
	// A password that is set at the same time ends this session, and then the address must stay.
	if (!(await sessions.hold(tenantId, userId, sessionId)))
		throw new AppError("token.invalid", "access token is invalid or expired");
	const revoked = await sessions.endAll(tenantId, userId, nowMs, sessionId);
	await recoveryLinks.endAll(tenantId, userId, "password_reset");
	await audit.append(caller, "user.email_changed", `user:${userId}`, { sessions_revoked: revoked });
	// An unverified address may belong to a stranger: it is notified, but gets no link.
	const restore = before.emailVerified
		? await putRestoreLink(recoveryLinks, publicUrl, before, nowMs)
		: undefined;
	await mailEmailChanged(stores, { user: before, nowMs, restore }, caller);
	return (await users.findById(tenantId, userId)) ?? { ...before, email, emailVerified: true };
}

async function putRestoreLink(links: RecoveryLinkStore, publicUrl: string, before: User, nowMs: number) {
	const token = randomToken();
	const endsAtMs = nowMs + RESTORE_SECONDS * SECOND_MS;
	await links.put({
		digest: tokenDigest(token),
		tenantId: before.tenantId,
		userId: before.id,
		purpose: "email_restore",
		email: before.email,
		createdAtMs: nowMs,
		expiresAtMs: endsAtMs,
	});
	return { url: `${publicUrl}/restore-email#${token}`, endsAtMs };
}
