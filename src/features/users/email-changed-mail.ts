// The mail that tells the owner of an address that their account has another one now.

import { isoTime } from "../../kernel/clock.ts";
import type { Origin } from "../../kernel/origin.ts";
import { type NewMail, parseLocale } from "../mail/model.ts";
import type { User } from "./model.ts";

/**
 * To the address known before. In the language of whoever changed it: nobody's own is stored. The new address is not
 * named: the old mailbox may be somebody else's by now.
 */
export function emailChangedMail(
	before: User,
	origin: Origin,
	atMs: number,
	wayBack?: { readonly url: string; readonly endsAtMs: number },
): NewMail {
	return {
		tenantId: before.tenantId,
		to: before.email,
		toName: before.displayName || before.username,
		locale: parseLocale(origin.acceptLanguage),
		message: {
			kind: "email_changed",
			username: before.username,
			at: isoTime(atMs),
			restoreUrl: wayBack?.url ?? "",
			restoreEndsAt: wayBack === undefined ? "" : isoTime(wayBack.endsAtMs),
		},
	};
}
