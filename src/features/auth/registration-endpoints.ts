// The wire of registration: contract section 3.

import { data, endpoint } from "../../http/endpoint.ts";
import { email, integer, object, optional, type Schema, secretText, text } from "../../http/schema.ts";
import type { Visitor } from "../tenants/model.ts";
import { DISPLAY_NAME_MAX, USERNAME, type User } from "../users/model.ts";
import { CODE_DIGITS, CODE_SECONDS, PASSWORD_TEXT_MAX } from "./model.ts";
import { type RegisterDeps, register } from "./register.ts";
import { type SendCodeDeps, sendRegistrationCode } from "./send-registration-code.ts";

/** How the feature `users` shows a user: it owns that form, and is handed in. */
export interface UserWire<WireUser> {
	readonly schema: Schema<WireUser>;
	toWire(user: User): WireUser;
}

const sendCodeBody = object({ email: email() });

const sentCodeSchema = object({
	expires_in: integer({ description: "Seconds the code is good for." }),
	resend_after: integer({ description: "Seconds after which another may be asked for." }),
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
	code: text({ max: CODE_DIGITS, pattern: `^[0-9]{${CODE_DIGITS}}$`, description: "As it was mailed." }),
	display_name: optional(text({ min: 0, max: DISPLAY_NAME_MAX })),
});

export function registrationEndpoints<WireUser>(
	deps: SendCodeDeps & RegisterDeps & { readonly userWire: UserWire<WireUser> },
) {
	const { userWire } = deps;
	return {
		sendCode: endpoint<Visitor>()({
			name: "sendRegistrationCode",
			summary: "Send a registration e-mail code",
			description: `Mails ${CODE_DIGITS} digits that are good for ${CODE_SECONDS / 60} minutes, five wrong tries and one registration; a new code replaces the one before. An address that has an account gets the same answer, and its owner a mail that says so. One code a minute and five an hour for an address.`,
			body: sendCodeBody,
			answer: data(200, sentCodeSchema, "The code is on its way, unless the address has an account."),
			errors: ["code.too_many", "mail.too_many"],
			async handle({ caller, body, request }) {
				const sent = await sendRegistrationCode(
					deps,
					{ tenantId: caller.tenantId, email: body.email },
					request,
				);
				return { expires_in: sent.expiresInSeconds, resend_after: sent.resendAfterSeconds };
			},
		}),
		register: endpoint<Visitor>()({
			name: "register",
			summary: "Register a new user",
			description:
				"Needs the code mailed to the address. What is taken is told only after a right code; a taken username leaves the code good for another try. The password must not be a common one, nor the username or e-mail.",
			body: registerBody,
			answer: data(201, userWire.schema, "The account was made; its e-mail address is verified."),
			errors: [
				"code.invalid",
				"username.taken",
				"email.taken",
				"password.too_short",
				"password.too_long",
				"password.too_common",
				"password.breached",
				"password.same_as_name",
				"service.overloaded",
			],
			async handle({ caller, body, request }) {
				const wanted = {
					tenantId: caller.tenantId,
					username: body.username,
					email: body.email,
					passwordPlain: body.password,
					code: body.code,
					displayName: body.display_name ?? "",
				};
				return userWire.toWire(await register(deps, wanted, request));
			},
		}),
	};
}
