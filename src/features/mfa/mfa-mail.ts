// Mails that tell an account's owner what happened to their second factors.

import type { Origin } from "../../kernel/origin.ts";
import { type MailMessage, type NewMail, parseLocale } from "../mail/model.ts";
import type { User } from "../users/model.ts";

type About = MailMessage<"second_factor_changed" | "recovery_code_used" | "second_factor_guessed">;

/** In the language of whoever did it: nobody's own is stored. */
export function mfaMail(owner: User, message: About, origin: Origin): NewMail {
	return {
		tenantId: owner.tenantId,
		to: owner.email,
		toName: owner.displayName || owner.username,
		locale: parseLocale(origin.acceptLanguage),
		message,
	};
}
