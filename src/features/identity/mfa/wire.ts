// The wire form of second factors.

import { PASSKEY_NAME_MAX } from "../../../domain/passkey.ts";
import { OWNER_PASSWORD_RULE } from "../../../domain/second-factor.ts";
import { PASSWORD_TEXT_MAX, SECOND_FACTOR_METHODS } from "../../../domain/sign-in.ts";
import {
	anyObject,
	boolean,
	choice,
	integer,
	list,
	nameText,
	nullable,
	object,
	optional,
	plain,
	secretText,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import type { StartedTotp } from "./enrol-totp.ts";
import type { PasskeyOptions } from "./passkey-challenge.ts";

const factors = {
	has_password: boolean(
		"Whether the account has a password. The owner of an account without one confirms changes with a sign-in in the last 5 minutes.",
	),
	mfa_enabled: boolean("Whether sign-in requires a second factor."),
	totp: boolean("Whether an authenticator app is enrolled."),
	passkeys: integer(),
	recovery_codes_left: integer(),
	required: boolean("Whether the tenant requires one."),
};
export const factorsSchema = object(factors, { title: "SecondFactors" });
export const ownFactorsSchema = object(
	{
		...factors,
		passkey_account: nullable(
			object({
				rp_id: plain(),
				user_id: plain("The user handle of the passkeys, in base64url."),
				credential_ids: list(plain(), { description: "All passkeys of the user, in base64url." }),
			}),
		),
	},
	{
		title: "MySecondFactors",
		description:
			"`passkey_account` is for the signal methods of `PublicKeyCredential`, by which a browser removes and renames its passkeys. Null while the user has no passkey, unless they removed one that was created automatically: after the removal of the last one, signal the earlier object with an empty list.",
	},
);
export const toWireFactors = toWire(factorsSchema);

const MFA_TOKEN_MAX = 128;
const CODE_MAX = 64;
const TOTP_CODE_MAX = 16;

/** Errors of `confirmOwner`. */
export const OWNER_ERRORS = [
	"password.wrong",
	"application.token",
	"login.too_many",
	"service.overloaded",
] as const;
export const ownerFields = {
	password: optional(secretText({ max: PASSWORD_TEXT_MAX, description: OWNER_PASSWORD_RULE })),
};
export const ownerBody = object(ownerFields);

export const totpCode = secretText({ max: TOTP_CODE_MAX, description: "The six digits that the app shows." });
export const recoveryCodesSchema = object({
	recovery_codes: list(plain({ examples: ["7G2K-0QZ4-M9XA-3TBN-HW5E-R8CD"] }), {
		description: "Ten codes, each valid for one sign-in. They are shown once and replace all earlier codes.",
	}),
});

export const startedTotpSchema = object({
	secret: plain("Base32, to type into an authenticator app. Shown once."),
	otpauth_uri: plain("The same secret as a URI for a QR code: `otpauth://totp/…`."),
});

export function toWireStartedTotp({ secretBase32, otpauthUri }: StartedTotp) {
	return { secret: secretBase32, otpauth_uri: otpauthUri };
}

export const passkeyOptionsSchema = object({
	options: anyObject(
		"For `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`, then `navigator.credentials`.",
	),
	expires_in: integer("Seconds until the challenge expires. It is valid for one response."),
});

export function toWirePasskeyOptions({ options, expiresInSeconds }: PasskeyOptions) {
	return { options, expires_in: expiresInSeconds };
}

export const assertionSchema = anyObject("`toJSON()` of the result of `navigator.credentials.get`.");
export const credentialSchema = anyObject("`toJSON()` of the result of `navigator.credentials.create`.");
export const passkeyName = nameText({
	max: PASSKEY_NAME_MAX,
	description: "Chosen by the owner to recognize the passkey.",
});

export const mfaToken = secretText({ max: MFA_TOKEN_MAX, description: "From the response of the sign-in." });
export const secondFactorBody = object({
	mfa_token: mfaToken,
	method: choice(SECOND_FACTOR_METHODS),
	code: optional(
		secretText({
			max: CODE_MAX,
			description: "An authenticator code, or a recovery code in any case, with or without dashes.",
		}),
	),
	assertion: optional(assertionSchema),
});
