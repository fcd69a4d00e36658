// When a user becomes platform admin: removes every way to sign in that an admin of the tenant could have added.

import type { AuditCaller } from "../../../domain/audit.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { mailOwner } from "../steps/mail-owner.ts";

/** What was removed, as details of the audit event. */
export interface RemovedWaysIn {
	readonly third_party_accounts_unlinked: number;
	readonly passkeys_removed: number;
	readonly totp_removed: boolean;
}

/** Whether the change makes the user platform admin. Before it, every admin of the tenant could manage the account. */
export function becomesPlatformAdmin(before: Pick<User, "roles">, after: Pick<User, "roles">): boolean {
	return after.roles.includes("platform_admin") && !before.roles.includes("platform_admin");
}

/**
 * Inside the transaction of the promotion, with the user's row locked: removes second factors, recovery codes,
 * third-party accounts, and mailed links that restore an address, and mails the owner. The caller removes or replaces
 * the password and ends the sessions.
 */
export async function removeWaysIn(
	stores: Stores<"secondFactors" | "thirdPartyAccounts" | "recoveryLinks" | "mail">,
	user: User,
	nowMs: number,
	{ origin }: AuditCaller,
): Promise<RemovedWaysIn> {
	const { tenantId, id, username } = user;
	const { secondFactors, thirdPartyAccounts, recoveryLinks } = stores;
	const enrolled = await secondFactors.findEnrolled(tenantId, id);
	await secondFactors.removeAll(tenantId, id);
	await secondFactors.settle(tenantId, id);
	const unlinked = await thirdPartyAccounts.removeAll(tenantId, id);
	await recoveryLinks.endAll(tenantId, id, "email_restore");
	await mailOwner(stores, user, { kind: "platform_admin_made", username, at: isoTime(nowMs) }, origin);
	return {
		third_party_accounts_unlinked: unlinked,
		passkeys_removed: enrolled.passkeys,
		totp_removed: enrolled.totp,
	};
}
