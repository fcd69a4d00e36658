// The wire form of a sign-in: tokens, or a required second factor.

import type { IssuedTokens } from "../../../domain/session.ts";
import { SECOND_FACTOR_METHODS, type SecondFactorDue, type SignInOutcome } from "../../../domain/sign-in.ts";
import {
	anyOf,
	boolean,
	choice,
	type Infer,
	integer,
	list,
	object,
	plain,
	withMovable,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { toWireUser, userSchema } from "../users/user-wire.ts";

export const secondFactorSchema = object(
	{
		mfa_required: boolean("Always true."),
		mfa_token: plain("For `POST /auth/mfa`. Valid for five tries and one sign-in."),
		expires_in: integer("Seconds until the `mfa_token` expires."),
		methods: list(choice(SECOND_FACTOR_METHODS), {
			description: "The methods that this user can use. Empty if `enrolment_required` is true.",
		}),
		enrolment_required: boolean(
			"A second factor is required, and this user has none: enroll one with `POST /auth/mfa/totp` or `POST /auth/mfa/passkeys`.",
		),
		help_offered: boolean(
			"Whether `POST /auth/mfa/help` notifies the administrators that the user can use none of the methods.",
		),
	},
	{ title: "SecondFactorDue" },
);

const issuedSchema = object(
	{
		access_token: plain("JWT (`typ: at+jwt`, ES256)."),
		token_type: choice(["Bearer"]),
		expires_in: integer("Seconds until the access token expires."),
		refresh_token: plain("Valid for one refresh. Absent with `X-Session: cookie`."),
		refresh_expires_in: integer("Seconds until the session expires unless it is refreshed."),
		user: userSchema,
	},
	{ title: "Tokens" },
);
/** The responses of endpoints that set `session`. */
export const tokensSchema = withMovable(issuedSchema, "refresh_token");
export const signInSchema = anyOf([tokensSchema, secondFactorSchema]);

/** The errors that may follow a correct factor. */
export const ENTRY_ERRORS = ["account.disabled", "application.access_denied"] as const;
/** Of a first factor other than a provider. */
export const FIRST_FACTOR_ERRORS = [...ENTRY_ERRORS, "sign_in.enforced"] as const;
export const PASSWORD_SIGN_IN_ERRORS = [
	"credentials.invalid",
	...FIRST_FACTOR_ERRORS,
	"login.too_many",
	"service.overloaded",
] as const;
export const SECOND_FACTOR_ERRORS = ["mfa.invalid", ...ENTRY_ERRORS, "login.too_many"] as const;
export const REFRESH_ERRORS = ["refresh_token.invalid", ...ENTRY_ERRORS, "mfa.required"] as const;

const toWireDue = toWire(secondFactorSchema);

type WireTokens = Infer<typeof tokensSchema>;

export function toWireTokens(issued: IssuedTokens): WireTokens {
	return {
		access_token: issued.accessToken,
		token_type: "Bearer",
		expires_in: issued.expiresInSeconds,
		refresh_token: issued.refreshToken,
		refresh_expires_in: issued.refreshExpiresInSeconds,
		user: toWireUser(issued.user),
	};
}

export function toWireSignIn(outcome: SignInOutcome): Infer<typeof signInSchema> {
	return "tokens" in outcome ? toWireTokens(outcome.tokens) : toWireSecondFactor(outcome.secondFactor);
}

/** For a sign-in with every factor verified: its outcome has tokens, never a required second factor. */
export function toWireCompleted(outcome: SignInOutcome): WireTokens {
	if ("tokens" in outcome) return toWireTokens(outcome.tokens);
	throw new Error("a second factor is required after all factors were verified");
}

export function toWireSecondFactor(due: SecondFactorDue): Infer<typeof secondFactorSchema> {
	return toWireDue({ ...due, mfaRequired: true, expiresIn: due.expiresInSeconds });
}
