// Mails the administrators of a tenant.

import { LOCALES } from "../../../domain/locale.ts";
import type { MailMessage } from "../../../domain/mail-message.ts";
import type { Stores } from "../../../domain/stores.ts";

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
	for (const { roles, email, displayName, username, locale } of await users.listReviewers(tenantId))
		if (roles.includes("admin"))
			await mail[put]({
				tenantId,
				to: email,
				toName: displayName || username,
				locale: locale ?? LOCALES[0],
				message,
			});
}
