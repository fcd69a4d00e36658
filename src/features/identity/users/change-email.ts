// A user changes the email address of their account. A code that is mailed to the new address verifies it.

import { userTarget } from "../../../domain/audit.ts";
import { checkOfNoDirectory } from "../../../domain/directory.ts";
import { endUnboundSessions, findEnforcedRefusal } from "../../../domain/enforced-sign-in.ts";
import { CODE_SECONDS, type EmailCodeKey } from "../../../domain/mailed-code.ts";
import type { SignedIn } from "../../../domain/session.ts";
import type { Stores } from "../../../domain/stores.ts";
import { type User, writeError } from "../../../domain/user.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { invalidField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { checkOwner, type OwnerNeeds, sessionEnded } from "../steps/confirm-owner.ts";
import { issueRecoveryLink } from "../steps/issue-recovery-link.ts";
import { mailOwner } from "../steps/mail-owner.ts";
import { type CodeMail, type CodeNeeds, sendCode, tryCode, wrongCode } from "../steps/mailed-code.ts";

type ConfirmStore =
	| "users"
	| "sessions"
	| "emailCodes"
	| "recoveryLinks"
	| "directoryPeople"
	| "domains"
	| "mail"
	| "audit";

/** A code belongs to the user who requested it: no other user can try or consume it. */
function emailChangeKey({ tenantId, userId }: SignedIn, address: string): EmailCodeKey {
	return { tenantId, purpose: `email_change:${userId}`, address };
}

/**
 * For an account without a password and without a verified address, which was created through a provider, a recent
 * sign-in is enough. An account with a verified address must set a password by mail first, so that an attacker cannot
 * change its address with a provider account that they linked.
 *
 * @throws AppError what `checkOwner` and `sendCode` throw; `user.of_directory`; `sign_in.enforced`; `request.invalid` if the account already has
 * this address.
 */
export async function requestEmailChange(
	needs: OwnerNeeds & CodeNeeds & Needs<"directoryPeople" | "domains">,
	email: string,
	currentPasswordPlain: string | undefined,
	caller: SignedIn,
): Promise<void> {
	const { username, locale } = caller.user;
	if (email === caller.user.email) throw invalidField("email", "email_unchanged");
	await checkMayMove(needs.db.stores, caller);
	const proof = {
		field: "current_password",
		refusedAs: "user.email_change_refused",
		mayRelyOnSignIn: ({ emailVerified }: User) => !emailVerified,
	} as const;
	await checkOwner(needs, currentPasswordPlain, proof, caller);
	const expiresInMinutes = CODE_SECONDS / 60;
	const mail: CodeMail = {
		key: emailChangeKey(caller, email),
		purpose: "email_change",
		action: "user.email_change_requested",
		locale,
		withCode: (code) => ({ kind: "email_change_code", username, code, expiresInMinutes }),
		toOwner: (owner) => ({ kind: "email_change_taken", username: owner.username }),
	};
	await sendCode(needs, mail, caller);
}

/**
 * The current session continues, unless the new address must sign in elsewhere. All others end, as do mailed links that set
 * a password. The old address is notified; if it was verified, the mail contains a link that restores it for 7 days.
 *
 * @throws AppError `token.invalid` (the session ended in the meantime), `code.invalid` (wrong, expired, used, or tried too
 * often), `user.of_directory`, `sign_in.enforced`, `email.taken` (only after a correct code).
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
		await checkMayMove(stores, caller);
		return move(stores, needs.publicUrl, email, nowMs, caller);
	});
	needs.wakeMail();
	return user;
}

/**
 * The address decides where its user signs in: with another one, they could leave their organization's provider.
 *
 * @throws AppError `user.of_directory`, `sign_in.enforced`.
 */
async function checkMayMove(
	stores: Stores<"directoryPeople" | "domains">,
	{ tenantId, userId, user }: SignedIn,
): Promise<void> {
	await checkOfNoDirectory(stores, tenantId, userId, "email");
	const refusal = await findEnforcedRefusal(stores, user, null);
	if (refusal !== undefined) throw refusal;
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
	const refusal = await users.update(tenantId, userId, { email, emailVerified: true }, nowMs);
	if (refusal !== undefined) throw writeError(refusal);
	// A concurrent password change ends this session; then the address must not change.
	if (!(await sessions.hold(tenantId, userId, sessionId))) throw sessionEnded();
	const revoked = await sessions.endAll(tenantId, userId, nowMs, sessionId);
	await endUnboundSessions(stores, { ...before, email }, nowMs);
	await recoveryLinks.endAll(tenantId, userId, "password_reset");
	await audit.append(caller, "user.email_changed", userTarget(before), { sessions_revoked: revoked });
	const notice = emailChanged(before, nowMs);
	if (before.emailVerified) {
		// An unverified address may belong to a stranger: notify it, but send no link.
		const link = { tenantId, userId, purpose: "email_restore", email: before.email } as const;
		const { token, expiresAtMs } = await issueRecoveryLink(stores, link, nowMs);
		notice.restoreUrl = `${publicUrl}/restore-email#${token}`;
		notice.restoreEndsAt = isoTime(expiresAtMs);
	}
	await mailOwner(stores, before, notice, caller.origin);
	return (await users.findById(tenantId, userId)) ?? { ...before, email, emailVerified: true };
}

/** For the old address. Omits the new one, because the old mailbox may belong to another person by now. */
export function emailChanged({ username }: User, nowMs: number) {
	return {
		kind: "email_changed" as const,
		username,
		at: isoTime(nowMs),
		restoreUrl: "",
		restoreEndsAt: "",
	};
}
