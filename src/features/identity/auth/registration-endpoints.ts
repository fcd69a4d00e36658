// `/auth/register`: registration with a mailed code.

import { CODE_DIGITS, CODE_RESEND_SECONDS, CODE_SECONDS } from "../../../domain/mailed-code.ts";
import type { Visitor } from "../../../domain/tenant.ts";
import { DISPLAY_NAME_MAX, USERNAME } from "../../../domain/user.ts";
import { data, empty, endpoint } from "../../../http/describe/endpoint.ts";
import { codeText, email, integer, nameText, object, optional, text } from "../../../http/describe/schema.ts";
import type { Platform } from "../../platform.ts";
import { NEW_PASSWORD_ERRORS, newPassword, toWireUser, userSchema } from "../users/user-wire.ts";
import { checkRegistrationCode, register, sendRegistrationCode } from "./register.ts";

/** The same whether or not the address has an account. */
export const sentCodeResponse = data(
	200,
	object({
		expires_in: integer("Seconds until the code expires."),
		resend_after: integer("Seconds until another code can be requested."),
	}),
	"The code is sent, unless the address has an account.",
);
export const SENT_CODE = { expires_in: CODE_SECONDS, resend_after: CODE_RESEND_SECONDS };
export const mailedCode = codeText(CODE_DIGITS, "The mailed code.");

const registerBody = object({
	username: text({
		max: 64,
		pattern: USERNAME.source,
		description: "3 to 64 letters, digits, `.`, `_`, or `-`. Unique in the tenant, ignoring case.",
	}),
	email: email(),
	password: newPassword,
	code: mailedCode,
	display_name: optional(nameText({ min: 0, max: DISPLAY_NAME_MAX })),
});

export function registrationEndpoints(platform: Platform) {
	return {
		sendCode: endpoint<Visitor>()({
			name: "sendRegistrationCode",
			summary: "Send a registration email code",
			description: `Mails ${CODE_DIGITS} digits for one registration. The code expires after ${CODE_SECONDS / 60} minutes or five wrong tries. A new code replaces the previous one. If the address already has an account, the response is the same, and its owner is notified by mail. An address receives at most one code a minute and five an hour.`,
			body: object({ email: email() }),
			response: sentCodeResponse,
			errors: ["sign_in.enforced", "code.too_many", "mail.too_many"],
			async handle({ caller, body }) {
				await sendRegistrationCode(platform, body.email, caller);
				return SENT_CODE;
			},
		}),
		checkCode: endpoint<Visitor>()({
			name: "checkRegistrationCode",
			summary: "Check a registration email code",
			description:
				"For a sign-up page that asks for the code first. A correct code remains valid for `POST /auth/register`; a wrong one counts as one of five tries.",
			body: object({ email: email(), code: mailedCode }),
			response: empty(204, "The code is correct."),
			errors: ["code.invalid"],
			handle: ({ caller, body }) => checkRegistrationCode(platform, body, caller),
		}),
		register: endpoint<Visitor>()({
			name: "register",
			summary: "Register a new user",
			description:
				"Requires the code that was mailed to the address. Only a correct code reveals what is taken. The code stays valid for another try if the username is taken.",
			body: registerBody,
			response: data(201, userSchema, "The new user, with a verified email address."),
			errors: ["sign_in.enforced", "code.invalid", "username.taken", "email.taken", ...NEW_PASSWORD_ERRORS],
			async handle({ caller, body }) {
				const { password: passwordPlain, display_name: displayName = "", ...fields } = body;
				const registration = { ...fields, passwordPlain, displayName };
				return toWireUser(await register(platform, registration, caller));
			},
		}),
	};
}
