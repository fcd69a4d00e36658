// `/auth/password` and `/auth/email`: resets a forgotten password, and restores a former email address.

import type { Visitor } from "../../../domain/tenant.ts";
import { empty, endpoint } from "../../../http/describe/endpoint.ts";
import { email, object, secretText } from "../../../http/describe/schema.ts";
import type { Platform } from "../../platform.ts";
import { NEW_PASSWORD_ERRORS, newPassword } from "../users/user-wire.ts";
import { forgotPassword } from "./mail-reset-link.ts";
import { resetPassword } from "./reset-password.ts";
import { restoreEmail } from "./restore-email.ts";

/** Tokens have 43 characters. Any other text of up to 512 is an unknown token (404); a longer one is invalid (400). */
export const mailedToken = secretText({ max: 512, description: "The token in the mail." });

export function recoveryEndpoints(platform: Platform) {
	return {
		forgot: endpoint<Visitor>()({
			name: "forgotPassword",
			summary: "Request a link to set a new password",
			description:
				"Mails the owner of the address a link that works once within 60 minutes. A new link replaces the previous one. The response is the same whether or not the address has an account. An address receives at most one mail a minute and five an hour; beyond that, no mail is sent and the response is the same. Also works for accounts without a password, but not for disabled ones.",
			body: object({ email: email() }),
			response: empty(202, "A link is sent if the address has an account."),
			errors: ["mail.too_many"],
			handle: ({ caller, body }) => forgotPassword(platform, body.email, caller),
		}),

		reset: endpoint<undefined>()({
			name: "resetPassword",
			summary: "Set a new password with a mailed link",
			description:
				"The token is the part of the link after `#`. Ends all sessions of the account, notifies its owner by mail, and clears counted failures. Does not sign in. The link stays valid if the password is refused. An unknown, used, replaced, expired, or malformed token returns the same 404.",
			body: object({
				token: mailedToken,
				new_password: newPassword,
			}),
			response: empty(204, "The password is set."),
			errors: ["reset.not_found", ...NEW_PASSWORD_ERRORS],
			handle: ({ body, request }) => resetPassword(platform, body.token, body.new_password, request),
		}),

		restoreEmail: endpoint<undefined>()({
			name: "restoreEmail",
			summary: "Restore the former email of an account",
			description:
				"The token is the part after `#` of the link that was mailed to the former address of an account. It works once within 7 days. Restores the address, ends all sessions, clears the password, and mails a link to set a new one. Removes second factors and third-party accounts that were added after the address changed, and passkeys and third-party accounts that were added in the 7 days before.",
			body: object({ token: mailedToken }),
			response: empty(204, "The address is restored."),
			errors: ["email_restore.not_found", "email.taken", "user.of_directory"],
			handle: ({ body, request }) => restoreEmail(platform, body.token, request),
		}),
	};
}
