// The mail that tells an account's owner that the password is another one now.

import { isoTime } from "../../kernel/clock.ts";
import type { Origin } from "../../kernel/origin.ts";
import { type NewMail, parseLocale } from "../mail/model.ts";
import type { User } from "./model.ts";

/**
 * To the address known so far, so that the owner learns of it even when the address is changed along. In the
 * language of whoever changed it: nobody's own is stored.
 */
export function passwordChangedMail(owner: User, origin: Origin, atMs: number): NewMail {
	return {
		tenantId: owner.tenantId,
		to: owner.email,
		toName: owner.displayName || owner.username,
		locale: parseLocale(origin.acceptLanguage),
		message: { kind: "password_changed", username: owner.username, at: isoTime(atMs) },
	};
}
