// Recovery on the wire: forgot, reset, and taking an account back to its former address. Contract section 3.

import { empty, endpoint } from "../../http/endpoint.ts";
import { email, object, secretText } from "../../http/schema.ts";
import { PASSWORD_TEXT_MAX } from "../auth/model.ts";
import type { Visitor } from "../tenants/model.ts";
import { type ForgotPasswordDeps, forgotPassword } from "./forgot-password.ts";
import { type ResetPasswordDeps, resetPassword } from "./reset-password.ts";
import { type RestoreEmailDeps, restoreEmail } from "./restore-email.ts";

/** Ours have 43 characters; any other text is an unknown token (404), only a far longer one is not looked at (400). */
const TOKEN_MAX = 512;

export function recoveryEndpoints(deps: ForgotPasswordDeps & ResetPasswordDeps & RestoreEmailDeps) {
	return {
		forgot: endpoint<Visitor>()({
			name: "forgotPassword",
			summary: "Ask for a link to set a new password",
			description:
				"The owner of the address is mailed a link that is good once, for 60 minutes; a new one replaces the one before. The answer is the same whether the address has an account or not. One mail a minute and five an hour for an address: beyond that nothing is sent, and the answer stays the same. Works for accounts that never had a password, too; not for disabled ones.",
			body: object({ email: email() }),
			answer: empty(202, "A link is on its way, if the address has an account."),
			errors: ["mail.too_many"],
			handle: ({ caller, body, request }) =>
				forgotPassword(deps, { tenantId: caller.tenantId, email: body.email }, request),
		}),

		reset: endpoint<undefined>()({
			name: "resetPassword",
			summary: "Set a new password with a mailed link",
			description:
				"The token is the part after `#` of the link. All sessions of the account end, its owner is told by mail, and counted failures are forgotten. Nobody is signed in by it. A password that is refused leaves the link good. A token that is unknown, used, replaced, expired or malformed answers the same 404.",
			body: object({
				token: secretText({ max: TOKEN_MAX, description: "From the mail." }),
				new_password: secretText({
					max: PASSWORD_TEXT_MAX,
					description: "At least 8 characters, at most 72 bytes in UTF-8.",
				}),
			}),
			answer: empty(204, "The password is set."),
			errors: [
				"reset.not_found",
				"password.too_short",
				"password.too_long",
				"password.too_common",
				"password.breached",
				"password.same_as_name",
				"service.overloaded",
			],
			handle: ({ body, request }) =>
				resetPassword(deps, { token: body.token, newPasswordPlain: body.new_password }, request),
		}),

		restoreEmail: endpoint<undefined>()({
			name: "restoreEmail",
			summary: "Take an account back to its former e-mail address",
			description:
				"The token is the part after `#` of the link that was mailed to the address an account was moved away from: good once, for 7 days. The address is put back, second factors and third-party accounts added since the move are removed, passkeys and third-party accounts of the 7 days before it too, all sessions end, the password is void, and a link to set a new one is mailed to the address.",
			body: object({ token: secretText({ max: TOKEN_MAX, description: "From the mail." }) }),
			answer: empty(204, "The address is what it was."),
			errors: ["email_restore.not_found", "email.taken"],
			handle: ({ body, request }) => restoreEmail(deps, body.token, request),
		}),
	};
}
