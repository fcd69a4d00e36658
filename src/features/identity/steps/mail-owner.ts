// Mails the owner of an account.

import { mailLocale } from "../../../domain/locale.ts";
import type { MailMessage } from "../../../domain/mail-message.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import type { Origin } from "../../../kernel/origin.ts";

/**
 * Inside the transaction of the change that the mail reports.
 *
 * @param owner as before the change, so that a notice of a new address goes to the old one.
 * @param origin of the request, whose language the mail uses if the owner has not chosen one.
 * @param put `putNothing` does the same work without sending.
 */
export function mailOwner(
	{ mail }: Stores<"mail">,
	owner: User,
	message: MailMessage,
	{ acceptLanguage }: Origin,
	put: "put" | "putNothing" = "put",
): Promise<void> {
	return mail[put]({
		tenantId: owner.tenantId,
		to: owner.email,
		toName: owner.displayName || owner.username,
		locale: mailLocale(owner.locale, acceptLanguage),
		message,
	});
}
