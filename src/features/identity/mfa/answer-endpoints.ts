// `/auth/mfa`: the second step of a sign-in or of a session, and enrolment of a required second factor.

import { FRESH_OWNER_RULE } from "../../../domain/second-factor.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { PASSWORD_TEXT_MAX, type SignInOutcome } from "../../../domain/sign-in.ts";
import { data, endpoint } from "../../../http/endpoint.ts";
import { allOf, type Infer, object, optional, secretText, text, uuid } from "../../../http/schema.ts";
import { invalidField } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Platform } from "../../platform.ts";
import {
	ENTRY_ERRORS,
	SECOND_FACTOR_ERRORS,
	secondFactorSchema,
	tokensSchema,
	toWireCompleted,
	toWireSecondFactor,
} from "../auth/sign-in-wire.ts";
import { needsSecondFactor } from "../oauth/answer-interaction.ts";
import {
	answerWithPasskey,
	answerWithRecoveryCode,
	answerWithTotp,
	startPasskeyAnswer,
} from "./answer-second-factor.ts";
import {
	confirmPasskeyAtSignIn,
	confirmTotpAtSignIn,
	type EnrolledSignIn,
	startPasskeyAtSignIn,
	startTotpAtSignIn,
} from "./enrol-at-sign-in.ts";
import { beginStepUp } from "./step-up.ts";
import {
	answerBody,
	credentialSchema,
	mfaToken,
	OWNER_ERRORS,
	passkeyName,
	passkeyOptionsSchema,
	recoveryCodesSchema,
	startedTotpSchema,
	totpCode,
	toWirePasskeyOptions,
	toWireStartedTotp,
	withoutSpace,
} from "./wire.ts";

const ENROL_ERRORS = ["mfa.invalid", ...ENTRY_ERRORS] as const;

const enrolledAnswer = data(
	200,
	allOf(tokensSchema, recoveryCodesSchema),
	"Enrolled and signed in. Keep the recovery codes in a safe place.",
);

export function mfaEndpoints(platform: Platform) {
	return {
		response: endpoint<undefined>()({
			name: "answerSecondFactor",
			summary: "Finish a sign-in with a second factor",
			description:
				"A wrong answer, and a token that is unknown, expired or used, get the same 401. A token allows five wrong attempts. Wrong codes of an app are also counted for the account, over all tokens: after five the account is delayed, 30 s at first and up to 15 minutes (429); after 100 in a row codes of the app are refused until the user signs in with a recovery code or a passkey, or an admin resets the factors. Each code works once.",
			body: answerBody,
			response: data(200, tokensSchema, "Signed in."),
			errors: SECOND_FACTOR_ERRORS,
			secret: true,
			session: "opens",
			handle: async ({ body, request }) => toWireCompleted(await response(platform, body, request)),
		}),

		stepUp: endpoint<SignedIn>()({
			name: "beginStepUp",
			summary: "Add a second factor to a session that began without one",
			description:
				"For a person who is signed in without `app_id` and was refused with `mfa.required`. The response is that of a sign-in that requires a second factor: answer it with `POST /auth/mfa`, or enrol a factor where the user has none, and the tenant, the application or one of its APIs requires one or the application asks for one. That opens a new session with all methods in its `amr`; this one goes on until it is ended.",
			body: object({
				app_id: optional(uuid({ description: "The application to go on to." })),
				interaction_id: optional(
					text({
						max: 64,
						description:
							"Instead of `app_id`: the sign-in under way at an application that speaks OpenID Connect.",
					}),
				),
				password: optional(secretText({ max: PASSWORD_TEXT_MAX, description: FRESH_OWNER_RULE })),
			}),
			response: data(200, secondFactorSchema, "A second factor is required."),
			errors: [...OWNER_ERRORS, "mfa.not_due", "interaction.not_found", "interaction.other_tenant"],
			secret: true,
			async handle({ caller, body: { app_id: appId = null, interaction_id: id, password: passwordPlain } }) {
				const isFactorAsked = id !== undefined && (await needsSecondFactor(platform, id, caller));
				const asked = { appId, isFactorAsked, passwordPlain };
				return toWireSecondFactor(await beginStepUp(platform, asked, caller));
			},
		}),

		askPasskey: endpoint<undefined>()({
			name: "askPasskeyAnswer",
			summary: "Begin to answer with a passkey",
			description: "For an `mfa_token` whose `methods` contain `passkey`; any other is 401.",
			body: object({ mfa_token: mfaToken }),
			response: data(200, passkeyOptionsSchema, "Options for the browser."),
			errors: ["mfa.invalid"],
			secret: true,
			handle: async ({ body }) => toWirePasskeyOptions(await startPasskeyAnswer(platform, body.mfa_token)),
		}),

		startTotp: endpoint<undefined>()({
			name: "startTotpAtSignIn",
			summary: "Begin to enrol an authenticator app at sign-in",
			description:
				"For an `mfa_token` that came with `enrolment_required`; any other is 401, also one whose user has enrolled a factor since.",
			body: object({ mfa_token: mfaToken }),
			response: data(201, startedTotpSchema, "Put the secret into the app, then confirm with a code."),
			errors: ["mfa.invalid"],
			secret: true,
			handle: async ({ body }) => toWireStartedTotp(await startTotpAtSignIn(platform, body.mfa_token)),
		}),

		confirmTotp: endpoint<undefined>()({
			name: "confirmTotpAtSignIn",
			summary: "Confirm an authenticator app and finish the sign-in",
			description: "A wrong code costs one of the token's five tries.",
			body: object({ mfa_token: mfaToken, code: totpCode }),
			response: enrolledAnswer,
			errors: [...ENROL_ERRORS, "mfa.code_wrong", "totp.not_found"],
			secret: true,
			session: "opens",
			async handle({ body, request }) {
				const { mfa_token: mfaToken, code } = body;
				return toWireEnrolled(await confirmTotpAtSignIn(platform, mfaToken, withoutSpace(code), request));
			},
		}),

		startPasskey: endpoint<undefined>()({
			name: "startPasskeyAtSignIn",
			summary: "Begin to add a passkey at sign-in",
			description: "For an `mfa_token` that came with `enrolment_required`; any other is 401.",
			body: object({ mfa_token: mfaToken }),
			response: data(201, passkeyOptionsSchema, "Options for the browser."),
			errors: ["mfa.invalid"],
			secret: true,
			handle: async ({ body }) => toWirePasskeyOptions(await startPasskeyAtSignIn(platform, body.mfa_token)),
		}),

		confirmPasskey: endpoint<undefined>()({
			name: "confirmPasskeyAtSignIn",
			summary: "Add a new passkey and finish the sign-in",
			description: "A refused credential costs one of the token's five tries.",
			body: object({ mfa_token: mfaToken, name: passkeyName, credential: credentialSchema }),
			response: enrolledAnswer,
			errors: [...ENROL_ERRORS, "passkey.refused", "passkey.enrolled"],
			secret: true,
			session: "opens",
			async handle({ body, request }) {
				const { mfa_token: mfaToken, ...passkey } = body;
				const response = { mfaToken, ...passkey };
				return toWireEnrolled(await confirmPasskeyAtSignIn(platform, response, request));
			},
		}),
	};
}

function toWireEnrolled({ recoveryCodes, ...outcome }: EnrolledSignIn) {
	return { ...toWireCompleted(outcome), recovery_codes: [...recoveryCodes] };
}

/** @throws AppError `request.invalid` for a missing `code` or `assertion`, and the errors of the method. */
export async function response(
	platform: Platform,
	{ mfa_token: mfaToken, method, code, assertion }: Infer<typeof answerBody>,
	origin: Origin,
): Promise<SignInOutcome> {
	if (method === "passkey") {
		if (assertion === undefined) throw invalidField("assertion", "required");
		return await answerWithPasskey(platform, mfaToken, assertion, origin);
	}
	if (code === undefined) throw invalidField("code", "required");
	return method === "totp"
		? await answerWithTotp(platform, mfaToken, withoutSpace(code), origin)
		: await answerWithRecoveryCode(platform, mfaToken, code, origin);
}
