// Mails a link to set a new password, without revealing whether the address has an account.

import { takeMailAllowance } from "../../../domain/address-allowance.ts";
import { userTarget } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { mailLocale } from "../../../domain/locale.ts";
import type { Needs } from "../../platform.ts";
import { issueRecoveryLink, resetLink } from "../steps/issue-recovery-link.ts";

/**
 * Runs the same statements for every address. Without an active account the link is unusable and no mail is sent. An
 * address gets at most one mail a minute and five an hour; beyond that nothing is sent and the last link stays valid.
 *
 * @throws AppError `mail.too_many`, which depends on the caller's address alone.
 */
export async function forgotPassword(
	deps: Needs<
		"users" | "emailCodes" | "recoveryLinks" | "mail" | "allowances" | "audit",
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
		const user = owner?.status === "active" ? owner : undefined;
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
