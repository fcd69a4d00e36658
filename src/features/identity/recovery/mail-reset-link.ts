// Mails a link to set a new password, at the request of the owner or of an administrator.

import { takeMailAllowance } from "../../../domain/address-allowance.ts";
import { userTarget } from "../../../domain/audit.ts";
import type { Administrator, Caller } from "../../../domain/caller.ts";
import { findEnforcedRefusal, isBoundToDomain, isEnforcedFor } from "../../../domain/enforced-sign-in.ts";
import { mailLocale } from "../../../domain/locale.ts";
import { tooManyMails } from "../../../domain/mailed-code.ts";
import { getManaged, isPlaceholderAddress, mayResetPassword, type User } from "../../../domain/user.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { issueRecoveryLink, resetLink } from "../steps/issue-recovery-link.ts";
import { mailOwner } from "../steps/mail-owner.ts";

/**
 * Runs the same statements for every address, so that it does not reveal whether the address has an account. Without an
 * account that may have a password and is active, or was disabled as dormant, the link is unusable and no mail is sent. An
 * address receives at most one mail a minute and five an
 * hour; beyond that, nothing is sent and the latest link stays valid.
 *
 * @throws AppError `mail.too_many`, which depends only on the IP address of the caller.
 */
export async function forgotPassword(
	deps: Needs<
		"users" | "domains" | "emailCodes" | "recoveryLinks" | "mail" | "allowances" | "audit",
		"clock" | "mailsPerHour" | "publicUrl" | "wakeMail"
	>,
	email: string,
	caller: Caller,
): Promise<void> {
	const { tenantId, origin } = caller;
	const now = deps.clock();
	await deps.db.transaction(async (stores) => {
		await takeMailAllowance(stores.allowances, deps, origin.ip);
		const owner = await stores.users.findByLogin(tenantId, email);
		const isEnforced = await isEnforcedFor(stores, tenantId, email);
		const isUsable =
			owner !== undefined && mayResetPassword(owner, now) && !(isEnforced && isBoundToDomain(owner));
		const user = isUsable ? owner : undefined;
		const refusal = await stores.emailCodes.countSend({ purpose: "password_reset", address: email }, now);
		if (refusal !== undefined) return;
		const link = { tenantId, userId: user?.id ?? null, purpose: "password_reset", email } as const;
		const { token } = await issueRecoveryLink(stores, link, now);
		const username = user?.username ?? email;
		const mail = {
			tenantId,
			to: email,
			locale: mailLocale(user?.locale, origin.acceptLanguage),
			message: { kind: "password_reset", username, ...resetLink(deps.publicUrl, token) },
		} as const;
		await (user === undefined ? stores.mail.putNothing(mail) : stores.mail.put(mail));
		const target = user === undefined ? "" : userTarget(user);
		await stores.audit.append(caller, "user.password_reset_requested", target);
	});
	deps.wakeMail();
}

/**
 * An administrator mails a user the link of `forgotPassword`, with the same limits for the address, and does not see its
 * token. A new link replaces the previous one.
 *
 * @throws AppError `user.not_found`, `role.required`, `user.reset_unusable`, `code.too_many`.
 */
export async function sendReset(
	needs: Needs<
		"users" | "domains" | "emailCodes" | "recoveryLinks" | "mail" | "audit",
		"clock" | "publicUrl" | "wakeMail"
	>,
	userId: string,
	caller: Administrator,
): Promise<void> {
	const now = needs.clock();
	const refusal = await needs.db.transaction(async (stores) => {
		const user = await getManaged(stores.users, userId, caller);
		checkUsable(user, now);
		const enforced = await findEnforcedRefusal(stores, user, null);
		if (enforced !== undefined) throw new AppError("user.reset_unusable", enforced.message);
		const { tenantId, email, username } = user;
		const refused = await stores.emailCodes.countSend({ purpose: "password_reset", address: email }, now);
		if (refused !== undefined) return refused;
		const link = { tenantId, userId, purpose: "password_reset", email } as const;
		const { token } = await issueRecoveryLink(stores, link, now);
		const message = { kind: "password_reset", username, ...resetLink(needs.publicUrl, token) } as const;
		await mailOwner(stores, user, message, caller.origin);
		await stores.audit.append(caller, "user.password_reset_requested", userTarget(user));
		return undefined;
	});
	if (refusal !== undefined) throw tooManyMails(refusal, now);
	needs.wakeMail();
}

/** Checks what `resetPassword` requires, and that the account can receive mail. */
function checkUsable(user: User, nowMs: number): void {
	if (!mayResetPassword(user, nowMs))
		throw new AppError(
			"user.reset_unusable",
			`the account is ${user.status}: the link works only for active accounts`,
		);
	if (isPlaceholderAddress(user.email))
		throw new AppError("user.reset_unusable", "the account has no email address that receives mail");
}
