// `/auth/mfa`: the second step of a sign-in, and enrolment where a second factor is required and missing.

import { data, endpoint } from "../../http/endpoint.ts";
import { choice, type Infer, object, optional, type Schema, secretText } from "../../http/schema.ts";
import { invalidField } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import { SECOND_FACTOR_METHODS, type SignInOutcome } from "../auth/model.ts";
import { answerWithRecoveryCode, answerWithTotp } from "./answer-second-factor.ts";
import { answerWithPasskey, askPasskeyAnswer, type PasskeyAnswerDeps } from "./answer-with-passkey.ts";
import {
	confirmPasskeyAtSignIn,
	confirmTotpAtSignIn,
	type EnrolAtSignInDeps,
	startPasskeyAtSignIn,
	startTotpAtSignIn,
} from "./enrol-at-sign-in.ts";
import {
	recoveryCodesSchema,
	startedTotpSchema,
	totpCode,
	toWireStartedTotp,
	withoutSpace,
} from "./factor-endpoints.ts";

import {
	askedSchema,
	assertionSchema,
	credentialSchema,
	passkeyName,
	toWireAsked,
} from "./passkey-endpoints.ts";

const MFA_TOKEN_MAX = 128;
const CODE_MAX = 64;

const mfaToken = secretText({ max: MFA_TOKEN_MAX, description: "From the answer of the sign-in." });
const answerBody = object({
	mfa_token: mfaToken,
	method: choice(SECOND_FACTOR_METHODS),
	code: optional(
		secretText({
			max: CODE_MAX,
			description: "Of the app, or a recovery code in whatever case, with or without its dashes.",
		}),
	),
	assertion: optional(assertionSchema),
});

/** How a sign-in's outcome looks on the wire, and tokens alone. */
interface OutcomeWire<Tokens> {
	readonly signIn: { toWire(outcome: SignInOutcome): unknown };
	readonly tokens: { readonly schema: Schema<Tokens> };
}

const SIGN_IN_ERRORS = ["mfa.invalid", "account.disabled", "application.access_denied"] as const;

export function mfaEndpoints<Tokens>(
	deps: PasskeyAnswerDeps & EnrolAtSignInDeps & { readonly signInWire: OutcomeWire<Tokens> },
) {
	const { signIn, tokens } = deps.signInWire;
	const toTokens = (outcome: SignInOutcome): Tokens => signIn.toWire(outcome) as Tokens;
	return {
		answer: endpoint<undefined>()({
			name: "answerSecondFactor",
			summary: "Finish a sign-in with a second factor",
			description:
				"A wrong answer, and a token that is unknown, expired or used, get the same 401. A token bears five wrong answers. Wrong codes of an app are counted for the account besides, over all tokens: after five it has to wait, 30 s at first and up to 15 minutes (429); after 100 in a row codes of the app are refused until a recovery code, a passkey or an administrator helps. Each code works once.",
			body: answerBody,
			answer: data(200, tokens.schema, "Signed in."),
			errors: [...SIGN_IN_ERRORS, "login.too_many"],
			secret: true,
			handle: async ({ body, request }) => toTokens(await answer(deps, body, request)),
		}),

		askPasskey: endpoint<undefined>()({
			name: "askPasskeyAnswer",
			summary: "Begin to answer with a passkey",
			description: "For an `mfa_token` whose `methods` hold `passkey`; any other is 401.",
			body: object({ mfa_token: mfaToken }),
			answer: data(200, askedSchema, "What to ask the browser for."),
			errors: ["mfa.invalid"],
			secret: true,
			handle: async ({ body }) => toWireAsked(await askPasskeyAnswer(deps, body.mfa_token)),
		}),

		startTotp: endpoint<undefined>()({
			name: "startTotpAtSignIn",
			summary: "Begin to enrol an authenticator app at sign-in",
			description:
				"For an `mfa_token` that came with `enrolment_required`; any other is 401, and so is one whose user has enrolled a factor since.",
			body: object({ mfa_token: mfaToken }),
			answer: data(201, startedTotpSchema, "Put the secret into the app, then confirm with a code."),
			errors: ["mfa.invalid"],
			secret: true,
			handle: async ({ body }) => toWireStartedTotp(await startTotpAtSignIn(deps, body.mfa_token)),
		}),

		confirmTotp: endpoint<undefined>()({
			name: "confirmTotpAtSignIn",
			summary: "Confirm an authenticator app and finish the sign-in",
			description: "A wrong code costs one of the token's five tries.",
			body: object({ mfa_token: mfaToken, code: totpCode }),
			answer: data(
				200,
				allOf(tokens.schema, recoveryCodesSchema),
				"Enrolled and signed in. Keep the recovery codes in a safe place.",
			),
			errors: [...SIGN_IN_ERRORS, "mfa.code_wrong", "totp.not_found"],
			secret: true,
			async handle({ body, request }) {
				const given = { mfaToken: body.mfa_token, code: withoutSpace(body.code) };
				const { recoveryCodes, ...outcome } = await confirmTotpAtSignIn(deps, given, request);
				return { ...toTokens(outcome), recovery_codes: [...recoveryCodes] };
			},
		}),

		startPasskey: endpoint<undefined>()({
			name: "startPasskeyAtSignIn",
			summary: "Begin to add a passkey at sign-in",
			description: "For an `mfa_token` that came with `enrolment_required`; any other is 401.",
			body: object({ mfa_token: mfaToken }),
			answer: data(201, askedSchema, "What to ask the browser for."),
			errors: ["mfa.invalid"],
			secret: true,
			handle: async ({ body }) => toWireAsked(await startPasskeyAtSignIn(deps, body.mfa_token)),
		}),

		confirmPasskey: endpoint<undefined>()({
			name: "confirmPasskeyAtSignIn",
			summary: "Add the passkey the browser made and finish the sign-in",
			description: "An answer that is refused costs one of the token's five tries.",
			body: object({ mfa_token: mfaToken, name: passkeyName, credential: credentialSchema }),
			answer: data(
				200,
				allOf(tokens.schema, recoveryCodesSchema),
				"Enrolled and signed in. Keep the recovery codes in a safe place.",
			),
			errors: [...SIGN_IN_ERRORS, "passkey.refused", "passkey.enrolled"],
			secret: true,
			async handle({ body, request }) {
				const given = { mfaToken: body.mfa_token, name: body.name, credential: body.credential };
				const { recoveryCodes, ...outcome } = await confirmPasskeyAtSignIn(deps, given, request);
				return { ...toTokens(outcome), recovery_codes: [...recoveryCodes] };
			},
		}),
	};
}

async function answer(
	deps: PasskeyAnswerDeps,
	{ mfa_token: mfaToken, method, code, assertion }: Infer<typeof answerBody>,
	origin: Origin,
): Promise<SignInOutcome> {
	if (method === "passkey") {
		if (assertion === undefined) throw invalidField("assertion", "is required");
		return await answerWithPasskey(deps, { mfaToken, assertion }, origin);
	}
	if (code === undefined) throw invalidField("code", "is required");
	return method === "totp"
		? await answerWithTotp(deps, { mfaToken, code: withoutSpace(code) }, origin)
		: await answerWithRecoveryCode(deps, { mfaToken, code }, origin);
}

/** One object with the fields of both. */
function allOf<A, B>(a: Schema<A>, b: Schema<B>): Schema<A & B> {
	const { title: _, ...first } = a as { title?: string; properties: object; required: string[] };
	const second = b as unknown as { properties: object; required: string[] };
	return {
		...first,
		properties: { ...first.properties, ...second.properties },
		required: [...first.required, ...second.required],
	};
}
