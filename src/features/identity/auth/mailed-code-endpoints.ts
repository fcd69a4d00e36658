// `/auth/login/send-code` and `/auth/login/code`: signs a user in with a mailed code.

import { CODE_DIGITS, CODE_RESEND_SECONDS, CODE_SECONDS, CODE_TRIES } from "../../../domain/mailed-code.ts";
import type { Visitor } from "../../../domain/tenant.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
import { email, integer, object, optional, plain, secretText, uuid } from "../../../http/describe/schema.ts";
import type { Platform } from "../../platform.ts";
import { mailedCode } from "./registration-endpoints.ts";
import { FIRST_FACTOR_ERRORS, signInSchema, toWireSignIn } from "./sign-in-wire.ts";
import { sendSignInCode, signInWithCode } from "./sign-in-with-code.ts";

const ATTEMPT_MAX = 512;

export function mailedCodeEndpoints(platform: Platform) {
	return {
		send: endpoint<Visitor>()({
			name: "sendSignInCode",
			summary: "Send a sign-in code",
			description: `Mails ${CODE_DIGITS} digits to the address of an account, if the tenant has \`mailed_code\`. The code expires after ${CODE_SECONDS / 60} minutes or ${CODE_TRIES} wrong tries. The response is the same whether or not the address has an account; disabled accounts, platform admins, and users with another system role but without a second factor get no mail. An address receives at most one code a minute and five an hour. Earlier codes remain valid.`,
			body: object({
				email: email(),
				app_id: optional(
					uuid("The application to sign in to. Access to it is checked once the code is correct."),
				),
			}),
			response: data(
				202,
				object({
					attempt: plain("Send it with the code. Opaque."),
					expires_in: integer("Seconds until the code expires."),
					resend_after: integer("Seconds until another code can be requested."),
				}),
				"The code is sent if the address has an account.",
			),
			errors: ["login.mailed_code_off", "sign_in.enforced", "code.too_many", "mail.too_many"],
			secret: true,
			async handle({ caller, body }) {
				const attempt = await sendSignInCode(platform, { address: body.email, appId: body.app_id }, caller);
				return { attempt, expires_in: CODE_SECONDS, resend_after: CODE_RESEND_SECONDS };
			},
		}),

		signIn: endpoint<Visitor>()({
			name: "signInWithCode",
			summary: "Sign in a user with a mailed code",
			description:
				'Responds like `POST /auth/login`: a mailed code replaces the password, and a required second factor follows. The tokens have `amr: ["otp"]`. An unknown, expired, or used attempt and a wrong code return the same response.',
			body: object({ attempt: secretText({ max: ATTEMPT_MAX }), code: mailedCode }),
			response: data(200, signInSchema, "Signed in, or a second factor is required."),
			errors: ["code.invalid", "login.mailed_code_off", ...FIRST_FACTOR_ERRORS],
			secret: true,
			session: "opens",
			handle: async ({ caller, body }) => toWireSignIn(await signInWithCode(platform, body, caller)),
		}),
	};
}
