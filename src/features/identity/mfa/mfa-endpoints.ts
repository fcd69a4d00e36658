// `/auth/mfa`: the second step of a sign-in or of a session, and enrollment of a required second factor.

import { FRESH_OWNER_RULE } from "../../../domain/second-factor.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { PASSWORD_TEXT_MAX, type SignInOutcome } from "../../../domain/sign-in.ts";
import { data, empty, endpoint } from "../../../http/describe/endpoint.ts";
import {
	allOf,
	type Infer,
	object,
	optional,
	secretText,
	text,
	uuid,
} from "../../../http/describe/schema.ts";
import { invalidField } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import { typedCode } from "../../../kernel/typed-code.ts";
import type { Platform } from "../../platform.ts";
import {
	ENTRY_ERRORS,
	SECOND_FACTOR_ERRORS,
	secondFactorSchema,
	tokensSchema,
	toWireCompleted,
	toWireSecondFactor,
} from "../auth/sign-in-wire.ts";
import { needsSecondFactor } from "../oauth/decide-interaction.ts";
import {
	confirmPasskeyAtSignIn,
	confirmTotpAtSignIn,
	type EnrolledSignIn,
	startPasskeyAtSignIn,
	startTotpAtSignIn,
} from "./enrol-at-sign-in.ts";
import { beginStepUp } from "./step-up.ts";
import {
	startPasskeyVerification,
	verifyPasskey,
	verifyRecoveryCode,
	verifyTotpCode,
} from "./verify-second-factor.ts";
import {
	credentialSchema,
	mfaToken,
	OWNER_ERRORS,
	passkeyName,
	passkeyOptionsSchema,
	recoveryCodesSchema,
	secondFactorBody,
	startedTotpSchema,
	totpCode,
	toWirePasskeyOptions,
	toWireStartedTotp,
} from "./wire.ts";

const ENROL_ERRORS = ["mfa.invalid", ...ENTRY_ERRORS] as const;

const enrolledResponse = data(
	200,
	allOf(tokensSchema, recoveryCodesSchema),
	"Enrolled and signed in. Keep the recovery codes in a safe place.",
);

export function mfaEndpoints(platform: Platform) {
	return {
		verify: endpoint<undefined>()({
			name: "answerSecondFactor",
			summary: "Finish a sign-in with a second factor",
			description:
				"A wrong factor returns the same 401 as an unknown, expired, or used token. A token allows five wrong attempts. Wrong authenticator codes also count against the account, across all tokens: after five, further attempts are delayed by 30 s at first and by up to 15 minutes (429). After 100 in a row, authenticator codes are refused until the user signs in with a recovery code or a passkey, or an admin resets the factors. Each code works once.",
			body: secondFactorBody,
			response: data(200, tokensSchema, "Signed in."),
			errors: SECOND_FACTOR_ERRORS,
			secret: true,
			session: "opens",
			handle: async ({ body, request }) => toWireCompleted(await verifySecondFactor(platform, body, request)),
		}),

		stepUp: endpoint<SignedIn>()({
			name: "beginStepUp",
			summary: "Add a second factor to the current session",
			description:
				"For a user who signed in without `app_id` and got the error `mfa.required`. The response is that of a sign-in that requires a second factor. Complete it with `POST /auth/mfa`; a user without a factor enrolls one, if the tenant, the application, a rule of its gate, or one of its APIs requires it, or if the application requested it. This opens a new session with all methods in its `amr`. The current session continues.",
			body: object({
				app_id: optional(uuid("The application to continue to.")),
				interaction_id: optional(
					text({
						max: 64,
						description:
							"Instead of `app_id`: the sign-in in progress at an application that uses OpenID Connect.",
					}),
				),
				password: optional(secretText({ max: PASSWORD_TEXT_MAX, description: FRESH_OWNER_RULE })),
			}),
			response: data(200, secondFactorSchema, "A second factor is required."),
			errors: [...OWNER_ERRORS, "mfa.not_due", "interaction.not_found", "interaction.other_tenant"],
			secret: true,
			async handle({ caller, body: { app_id: appId = null, interaction_id: id, password: passwordPlain } }) {
				const isFactorRequested = id !== undefined && (await needsSecondFactor(platform, id, caller));
				const stepUp = { appId, isFactorRequested, passwordPlain };
				return toWireSecondFactor(await beginStepUp(platform, stepUp, caller));
			},
		}),

		askHelp: endpoint<undefined>()({
			name: "askFactorHelp",
			summary: "Notify the administrators that no second factor works",
			description:
				"For an `mfa_token` with `help_offered`. Mails the administrators of the tenant, at most once a day for each user, a link to the user's page, and the user a notice. The response is the same whether a mail is sent or not. The token remains valid.",
			body: object({ mfa_token: mfaToken }),
			response: empty(202, "The request is accepted."),
			errors: ["mfa.invalid", "mfa.help_off", "mail.too_many"],
			secret: true,
			async handle({ body, request }) {
				const { askFactorHelp } = await import("./ask-factor-help.ts");
				await askFactorHelp(platform, body.mfa_token, request);
			},
		}),

		startVerification: endpoint<undefined>()({
			name: "askPasskeyAnswer",
			summary: "Start verifying a passkey as the second factor",
			description: "For an `mfa_token` whose `methods` include `passkey`. Any other token returns 401.",
			body: object({ mfa_token: mfaToken }),
			response: data(200, passkeyOptionsSchema, "Options for the browser."),
			errors: ["mfa.invalid", "passkey.unavailable"],
			secret: true,
			handle: async ({ body }) =>
				toWirePasskeyOptions(await startPasskeyVerification(platform, body.mfa_token)),
		}),

		startTotp: endpoint<undefined>()({
			name: "startTotpAtSignIn",
			summary: "Start enrolling an authenticator app at sign-in",
			description:
				"For an `mfa_token` with `enrolment_required`. Any other token returns 401, as does a token whose user has enrolled a factor since.",
			body: object({ mfa_token: mfaToken }),
			response: data(201, startedTotpSchema, "Add the secret to the app, then confirm with a code."),
			errors: ["mfa.invalid"],
			secret: true,
			handle: async ({ body }) => toWireStartedTotp(await startTotpAtSignIn(platform, body.mfa_token)),
		}),

		confirmTotp: endpoint<undefined>()({
			name: "confirmTotpAtSignIn",
			summary: "Confirm an authenticator app and finish the sign-in",
			description: "A wrong code counts as one of the token's five tries.",
			body: object({ mfa_token: mfaToken, code: totpCode }),
			response: enrolledResponse,
			errors: [...ENROL_ERRORS, "mfa.code_wrong", "totp.not_found"],
			secret: true,
			session: "opens",
			async handle({ body, request }) {
				const { mfa_token: mfaToken, code } = body;
				return toWireEnrolled(await confirmTotpAtSignIn(platform, mfaToken, typedCode(code), request));
			},
		}),

		startPasskey: endpoint<undefined>()({
			name: "startPasskeyAtSignIn",
			summary: "Start adding a passkey at sign-in",
			description: "For an `mfa_token` with `enrolment_required`. Any other token returns 401.",
			body: object({ mfa_token: mfaToken }),
			response: data(201, passkeyOptionsSchema, "Options for the browser."),
			errors: ["mfa.invalid", "passkey.unavailable"],
			secret: true,
			handle: async ({ body }) => toWirePasskeyOptions(await startPasskeyAtSignIn(platform, body.mfa_token)),
		}),

		confirmPasskey: endpoint<undefined>()({
			name: "confirmPasskeyAtSignIn",
			summary: "Add a new passkey and finish the sign-in",
			description: "A refused credential counts as one of the token's five tries.",
			body: object({ mfa_token: mfaToken, name: passkeyName, credential: credentialSchema }),
			response: enrolledResponse,
			errors: [...ENROL_ERRORS, "passkey.refused", "passkey.enrolled"],
			secret: true,
			session: "opens",
			async handle({ body, request }) {
				const { mfa_token: mfaToken, ...passkey } = body;
				return toWireEnrolled(await confirmPasskeyAtSignIn(platform, { mfaToken, ...passkey }, request));
			},
		}),
	};
}

function toWireEnrolled({ recoveryCodes, ...outcome }: EnrolledSignIn) {
	return { ...toWireCompleted(outcome), recovery_codes: [...recoveryCodes] };
}

/** @throws AppError `request.invalid` for a missing `code` or `assertion`, and the errors of the method. */
async function verifySecondFactor(
	platform: Platform,
	{ mfa_token: mfaToken, method, code, assertion }: Infer<typeof secondFactorBody>,
	origin: Origin,
): Promise<SignInOutcome> {
	if (method === "passkey") {
		if (assertion === undefined) throw invalidField("assertion", "required");
		return await verifyPasskey(platform, mfaToken, assertion, origin);
	}
	if (code === undefined) throw invalidField("code", "required");
	return method === "totp"
		? await verifyTotpCode(platform, mfaToken, typedCode(code), origin)
		: await verifyRecoveryCode(platform, mfaToken, code, origin);
}
