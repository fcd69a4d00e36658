// `/users/me/mfa`: second factors as their owner manages them, and their reset by an administrator.

import { data, empty, endpoint } from "../../http/endpoint.ts";
import { boolean, integer, list, object, optional, plain, secretText } from "../../http/schema.ts";
import { PASSWORD_TEXT_MAX, type SignedIn } from "../auth/model.ts";
import {
	confirmOwnTotp,
	type OwnFactorDeps,
	removeOwnTotp,
	renewRecoveryCodes,
	startOwnTotp,
} from "./change-own-factors.ts";
import type { StartedTotp } from "./enrol-totp.ts";
import { FRESH_SIGN_IN_SECONDS, hasFactor, TOTP_PENDING_SECONDS } from "./model.ts";
import { type ResetFactorsDeps, resetFactors } from "./reset-factors.ts";

export const TOTP_CODE_MAX = 16;
const FRESH = `may be left out when the sign-in is at most ${FRESH_SIGN_IN_SECONDS / 60} minutes old`;
/** What asking for the password can answer. */
export const OWNER_ERRORS = ["password.wrong", "login.too_many", "service.overloaded"] as const;

const ownerBody = object({
	password: optional(secretText({ max: PASSWORD_TEXT_MAX, description: `The current password; ${FRESH}.` })),
});
const totpOwnerBody = object({
	password: optional(
		secretText({
			max: PASSWORD_TEXT_MAX,
			description: `The current password; ${FRESH} and needed no password.`,
		}),
	),
});
/** Six digits; space between them is no mistake. */
export const totpCode = secretText({ max: TOTP_CODE_MAX, description: "Six digits, as the app shows them." });

const factorsSchema = object(
	{
		mfa_enabled: boolean({ description: "Whether sign-in asks for a second factor." }),
		totp: boolean({ description: "Whether an authenticator app is enrolled." }),
		passkeys: integer(),
		recovery_codes_left: integer(),
		required: boolean({ description: "Whether the tenant, or the application signed in to, requires one." }),
	},
	{ title: "SecondFactors" },
);

export const recoveryCodesSchema = object({
	recovery_codes: list(plain({ examples: ["7G2K-0QZ4-M9XA-3TBN-HW5E-R8CD"] }), {
		description: "Ten, each good for one sign-in, shown this once. Those before are worthless.",
	}),
});

export const startedTotpSchema = object({
	secret: plain({ description: "Base32, for typing into an authenticator app. Shown this once." }),
	otpauth_uri: plain({ description: "The same as a QR code wants it: `otpauth://totp/…`." }),
});

export function toWireStartedTotp({ secretBase32, otpauthUri }: StartedTotp) {
	return { secret: secretBase32, otpauth_uri: otpauthUri };
}

/** Codes are read in groups and typed so. */
export function withoutSpace(code: string): string {
	return code.replaceAll(/\s/g, "");
}

export function factorsEndpoints(deps: OwnFactorDeps & ResetFactorsDeps) {
	const { secondFactors } = deps.db.stores;
	return {
		get: endpoint<SignedIn>()({
			name: "getMySecondFactors",
			summary: "Get the current user's second factors",
			answer: data(200, factorsSchema, "What is enrolled."),
			async handle({ caller: { tenantId, user, appId } }) {
				const enrolled = await secondFactors.findEnrolled(tenantId, user.id);
				return {
					mfa_enabled: hasFactor(enrolled),
					totp: enrolled.totp,
					passkeys: enrolled.passkeys,
					recovery_codes_left: enrolled.recoveryCodes,
					required: await secondFactors.isRequired(tenantId, appId),
				};
			},
		}),

		startTotp: endpoint<SignedIn>()({
			name: "startMyTotp",
			summary: "Begin to enrol an authenticator app",
			description: `The secret counts once a first code has confirmed it, within ${TOTP_PENDING_SECONDS / 60} minutes; beginning again replaces one that waits. An app enrolled before goes on being used until then. Codes: SHA-1, 6 digits, 30 seconds.`,
			body: totpOwnerBody,
			answer: data(201, startedTotpSchema, "Put the secret into the app, then confirm with a code."),
			errors: OWNER_ERRORS,
			secret: true,
			handle: async ({ caller, body, request }) =>
				toWireStartedTotp(await startOwnTotp(deps, body.password, { signedIn: caller, origin: request })),
		}),

		confirmTotp: endpoint<SignedIn>()({
			name: "confirmMyTotp",
			summary: "Confirm an authenticator app with its first code",
			description: "From now on sign-in asks for a second factor. The owner is told by mail.",
			body: object({ code: totpCode }),
			answer: data(200, recoveryCodesSchema, "Enrolled. Keep the recovery codes in a safe place."),
			errors: ["mfa.code_wrong", "totp.not_found"],
			secret: true,
			async handle({ caller, body, request }) {
				const context = { signedIn: caller, origin: request };
				return { recovery_codes: await confirmOwnTotp(deps, withoutSpace(body.code), context) };
			},
		}),

		removeTotp: endpoint<SignedIn>()({
			name: "removeMyTotp",
			summary: "Remove the authenticator app",
			description:
				"Recovery codes go with the last second factor. Where the tenant requires one, the last cannot be removed. The owner is told by mail.",
			body: totpOwnerBody,
			answer: empty(204, "The app's codes are worthless."),
			errors: [...OWNER_ERRORS, "totp.not_found", "mfa.last_factor"],
			handle: ({ caller, body, request }) =>
				removeOwnTotp(deps, body.password, { signedIn: caller, origin: request }),
		}),

		renewRecoveryCodes: endpoint<SignedIn>()({
			name: "renewMyRecoveryCodes",
			summary: "Make new recovery codes",
			description: "All codes before are worthless at once. The owner is told by mail.",
			body: ownerBody,
			answer: data(200, recoveryCodesSchema, "The new codes."),
			errors: [...OWNER_ERRORS, "mfa.not_enabled"],
			secret: true,
			async handle({ caller, body, request }) {
				const context = { signedIn: caller, origin: request };
				return { recovery_codes: await renewRecoveryCodes(deps, body.password, context) };
			},
		}),

		reset: endpoint<SignedIn>()({
			name: "resetUserSecondFactors",
			summary: "Remove all second factors of a user",
			description:
				"For somebody who lost them. Authenticator app, passkeys and recovery codes go, every session ends, the owner is told by mail; the password stays. Make sure that it is the owner who asks. Only a platform_admin may do so to a platform_admin (403).",
			ids: { id: "user.not_found" },
			answer: empty(204, "The password alone signs in again, unless a second factor is required."),
			errors: ["role.required", "user.not_found"],
			handle: ({ caller, ids, request }) =>
				resetFactors(deps, ids.id as string, { actor: caller.user, origin: request }),
		}),
	};
}
