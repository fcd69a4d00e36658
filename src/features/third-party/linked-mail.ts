// The mail that tells an account's owner of a new way into it.

import { isoTime } from "../../kernel/clock.ts";
import type { Origin } from "../../kernel/origin.ts";
import { type NewMail, parseLocale } from "../mail/model.ts";
import type { User } from "../users/model.ts";

/** In the language of whoever did it: nobody's own is stored. */
export function linkedMail(owner: User, provider: string, atMs: number, origin: Origin): NewMail {
	return {
		tenantId: owner.tenantId,
		to: owner.email,
		toName: owner.displayName || owner.username,
		locale: parseLocale(origin.acceptLanguage),
		message: { kind: "third_party_account_linked", username: owner.username, at: isoTime(atMs), provider },
	};
}
