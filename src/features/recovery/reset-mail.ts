// The mail that carries a link to set a new password.

import { MINUTE_MS, SECOND_MS } from "../../kernel/clock.ts";
import type { Origin } from "../../kernel/origin.ts";
import { type NewMail, parseLocale } from "../mail/model.ts";
import { RESET_SECONDS } from "./model.ts";

/** How long a password link is good, as mails say it. */
export const RESET_MINUTES = (RESET_SECONDS * SECOND_MS) / MINUTE_MS;

/** `{publicUrl}/reset#<token>`: the fragment reaches no server, and no header of the request has a say in the host. */
export function resetUrl(publicUrl: string, token: string): string {
	return `${publicUrl}/reset#${token}`;
}

/** In the language of whoever asked: nobody's own is stored. */
export function resetMail(
	owner: { readonly tenantId: string; readonly email: string; readonly username: string },
	publicUrl: string,
	token: string,
	origin: Origin,
): NewMail {
	return {
		tenantId: owner.tenantId,
		to: owner.email,
		locale: parseLocale(origin.acceptLanguage),
		message: {
			kind: "password_reset",
			username: owner.username,
			resetUrl: resetUrl(publicUrl, token),
			expiresInMinutes: RESET_MINUTES,
		},
	};
}
