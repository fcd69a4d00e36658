// The wire of registration.

import { CODE_DIGITS, CODE_RESEND_SECONDS, CODE_SECONDS } from "../../../domain/mailed-code.ts";
import { PASSWORD_TEXT_MAX } from "../../../domain/sign-in.ts";
import type { Visitor } from "../../../domain/tenant.ts";
import { DISPLAY_NAME_MAX, USERNAME } from "../../../domain/user.ts";
import { data, endpoint } from "../../../http/endpoint.ts";
import { email, integer, object, optional, secretText, text } from "../../../http/schema.ts";
import type { Platform } from "../../platform.ts";
import { NEW_PASSWORD_ERRORS, toWireUser, userSchema } from "../users/user-wire.ts";
import { register, sendRegistrationCode } from "./register.ts";

/** A code was mailed; the response is the same whether or not the email has an account. */
export const sentCodeResponse = data(
	200,
	object({
		expires_in: integer({ description: "Seconds the code is good for." }),
		resend_after: integer({ description: "Seconds after which another may be asked for." }),
	}),
	"The code is on its way, unless the address has an account.",
);
export const SENT_CODE = { expires_in: CODE_SECONDS, resend_after: CODE_RESEND_SECONDS };
export const mailedCode = text({
	max: CODE_DIGITS,
	pattern: `^[0-9]{${CODE_DIGITS}}$`,
	description: "As it was mailed.",
});

const registerBody = object({
	username: text({
		max: 64,
		pattern: USERNAME.source,
		description: "3 to 64 letters, digits, `.`, `_`, `-`; unique without regard to case.",
	}),
	email: email(),
	password: secretText({
		max: PASSWORD_TEXT_MAX,
		description: "At least 8 characters, at most 72 bytes in UTF-8.",
	}),
	code: mailedCode,
	display_name: optional(text({ min: 0, max: DISPLAY_NAME_MAX })),
});

export function registrationEndpoints(platform: Platform) {
	return {
		sendCode: endpoint<Visitor>()({
			name: "sendRegistrationCode",
			summary: "Send a registration email code",
			description: `Mails ${CODE_DIGITS} digits that are good for ${CODE_SECONDS / 60} minutes, five wrong tries and one registration; a new code replaces the one before. For an email that has an account the response is the same, and its owner is notified by mail. One code a minute and five an hour for an address.`,
			body: object({ email: email() }),
			response: sentCodeResponse,
			errors: ["code.too_many", "mail.too_many"],
			async handle({ caller, body }) {
				await sendRegistrationCode(platform, body.email, caller);
				return SENT_CODE;
			},
		}),
		register: endpoint<Visitor>()({
			name: "register",
			summary: "Register a new user",
			description:
				"Needs the code mailed to the address. Only a right code reveals what is taken; a taken username leaves the code valid for another try. The password must not be a common one, nor the username or email.",
			body: registerBody,
			response: data(201, userSchema, "The account was created; its email address is verified."),
			errors: ["code.invalid", "username.taken", "email.taken", ...NEW_PASSWORD_ERRORS],
			async handle({ caller, body }) {
				const { password: passwordPlain, display_name: displayName = "", ...fields } = body;
				const registration = { ...fields, passwordPlain, displayName };
				return toWireUser(await register(platform, registration, caller));
			},
		}),
	};
}
