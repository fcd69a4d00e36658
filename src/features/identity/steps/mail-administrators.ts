// Mails the administrators of a tenant.

import type { MailMessage } from "../../../domain/mail-message.ts";
import type { Stores } from "../../../domain/stores.ts";
import { SYSTEM_ORIGIN } from "../../../kernel/origin.ts";
import { mailOwner } from "./mail-owner.ts";

/**
 * Inside the transaction of the change that the mail reports. In English for those who have chosen no language.
 *
 * @param put `putNothing` does the same work without sending.
 */
export async function mailAdministrators(
	{ users, mail }: Stores<"users" | "mail">,
	tenantId: string,
	message: MailMessage,
	put: "put" | "putNothing" = "put",
): Promise<void> {
	for (const user of await users.listReviewers(tenantId))
		if (user.roles.includes("admin")) await mailOwner({ mail }, user, message, SYSTEM_ORIGIN, put);
}
