// `/users/me/email`: a user changes the email address of their account.

import { CODE_DIGITS, CODE_SECONDS } from "../../../domain/mailed-code.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { PASSWORD_TEXT_MAX } from "../../../domain/sign-in.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
import { email, object, optional, secretText } from "../../../http/describe/schema.ts";
import type { Platform } from "../../platform.ts";
import { mailedCode, SENT_CODE, sentCodeResponse } from "../auth/registration-endpoints.ts";
import { OWNER_ERRORS } from "../mfa/wire.ts";
import { confirmEmailChange, requestEmailChange } from "./change-email.ts";
import { toWireUser, userSchema } from "./user-wire.ts";

const newEmail = email("The new address.");

export function emailEndpoints(platform: Platform) {
	return {
		request: endpoint<SignedIn>()({
			name: "requestMyEmailChange",
			summary: "Request a code to change the current user's email",
			description: `Mails ${CODE_DIGITS} digits to the new address. The code expires after ${CODE_SECONDS / 60} minutes or five wrong tries. If the address already has an account, the response is the same, and its owner is notified by mail. An address receives at most one code a minute and five an hour. After five wrong current passwords, the response is 429 for increasing periods. A user without a password and without a verified email to set one can omit it within five minutes of a sign-in without \`app_id\`. At a domain with \`enforce\`, only an administrator can change addresses.`,
			body: object({ email: newEmail, current_password: optional(secretText({ max: PASSWORD_TEXT_MAX })) }),
			response: sentCodeResponse,
			errors: [...OWNER_ERRORS, "user.of_directory", "sign_in.enforced", "code.too_many", "mail.too_many"],
			async handle({ caller, body }) {
				await requestEmailChange(platform, body.email, body.current_password, caller);
				return SENT_CODE;
			},
		}),

		confirm: endpoint<SignedIn>()({
			name: "confirmMyEmailChange",
			summary: "Change the current user's email with a mailed code",
			description:
				"The current session continues, and all others end. The old address is notified by mail. If it was verified, the mail contains a link that restores it within 7 days.",
			body: object({ email: newEmail, code: mailedCode }),
			response: data(200, userSchema, "The user with the new, verified address."),
			errors: ["code.invalid", "email.taken", "user.of_directory", "sign_in.enforced"],
			handle: async ({ caller, body }) => toWireUser(await confirmEmailChange(platform, body, caller)),
		}),
	};
}
