// `/auth/password` and `/auth/email`: forgotten passwords, and restoring a former email.

import { PASSWORD_TEXT_MAX } from "../../../domain/sign-in.ts";
import type { Visitor } from "../../../domain/tenant.ts";
import { empty, endpoint } from "../../../http/endpoint.ts";
import { email, object, secretText } from "../../../http/schema.ts";
import type { Platform } from "../../platform.ts";
import { NEW_PASSWORD_ERRORS } from "../users/user-wire.ts";
import { forgotPassword } from "./forgot-password.ts";
import { resetPassword } from "./reset-password.ts";
import { restoreEmail } from "./restore-email.ts";

/** Tokens have 43 characters. Other texts up to this length are unknown tokens (404), longer ones invalid (400). */
const TOKEN_MAX = 512;
const token = secretText({ max: TOKEN_MAX, description: "From the mail." });

export function recoveryEndpoints(platform: Platform) {
	return {
		forgot: endpoint<Visitor>()({
			name: "forgotPassword",
			summary: "Ask for a link to set a new password",
			description:
				"Mails the owner of the address a link that works once within 60 minutes; a new link replaces the previous one. The response does not depend on whether the address has an account. An address gets at most one mail a minute and five an hour; beyond that nothing is sent and the response stays the same. Also for accounts without a password, but not for disabled ones.",
			body: object({ email: email() }),
			response: empty(202, "A link is sent if the address has an account."),
			errors: ["mail.too_many"],
			handle: ({ caller, body }) => forgotPassword(platform, body.email, caller),
		}),

		reset: endpoint<undefined>()({
			name: "resetPassword",
			summary: "Set a new password with a mailed link",
			description:
				"The token is the part after `#` of the link. Ends all sessions of the account, notifies its owner by mail, and clears counted failures. It does not sign in. A refused password leaves the link valid. A token that is unknown, used, replaced, expired or malformed returns the same 404.",
			body: object({
				token,
				new_password: secretText({
					max: PASSWORD_TEXT_MAX,
					description: "At least 8 characters, at most 72 bytes in UTF-8.",
				}),
			}),
			response: empty(204, "The password is set."),
			errors: ["reset.not_found", ...NEW_PASSWORD_ERRORS],
			handle: ({ body, request }) => resetPassword(platform, body.token, body.new_password, request),
		}),

		restoreEmail: endpoint<undefined>()({
			name: "restoreEmail",
			summary: "Restore the former email of an account",
			description:
				"The token is the part after `#` of the link that was mailed to the former address of an account. It works once, within 7 days. Restores the address; removes second factors and third-party accounts added since the move, and passkeys and third-party accounts of the 7 days before it; ends all sessions; clears the password and mails a link to set a new one.",
			body: object({ token }),
			response: empty(204, "The address is restored."),
			errors: ["email_restore.not_found", "email.taken"],
			handle: ({ body, request }) => restoreEmail(platform, body.token, request),
		}),
	};
}
