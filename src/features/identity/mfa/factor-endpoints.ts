// `/users/me/mfa`: users manage their own second factors, and administrators reset them.

import type { Administrator } from "../../../domain/caller.ts";
import { TOTP_PENDING_SECONDS } from "../../../domain/second-factor.ts";
import { checkInPerson, type InPerson, type SignedIn } from "../../../domain/session.ts";
import { getUser } from "../../../domain/user.ts";
import { data, empty, endpoint } from "../../../http/describe/endpoint.ts";
import { object } from "../../../http/describe/schema.ts";
import { typedCode } from "../../../kernel/typed-code.ts";
import type { Platform } from "../../platform.ts";
import { confirmOwnTotp, removeOwnTotp, renewRecoveryCodes, startOwnTotp } from "./change-own-factors.ts";
import { resetFactors } from "./factor-change.ts";
import { readFactors } from "./read-factors.ts";
import {
	factorsSchema,
	OWNER_ERRORS,
	ownerBody,
	ownFactorsSchema,
	recoveryCodesSchema,
	startedTotpSchema,
	totpCode,
	toWireFactors,
	toWireStartedTotp,
} from "./wire.ts";

export function factorsEndpoints(platform: Platform) {
	const { passkeys, users } = platform.db.stores;
	return {
		get: endpoint<SignedIn>()({
			name: "getMySecondFactors",
			summary: "Get the current user's second factors",
			response: data(200, ownFactorsSchema, "The enrolled factors."),
			errors: ["application.token"],
			async handle({ caller }) {
				checkInPerson(caller, "list second factors of its user");
				const { tenantId, userId } = caller;
				const [factors, known, own] = await Promise.all([
					readFactors(platform, tenantId, userId),
					passkeys.findUser(tenantId, userId),
					passkeys.listAll(tenantId, userId),
				]);
				// The handle is stored before the first passkey, of which a browser may already have its part.
				const hasAccount = own.length > 0 || known?.declined === true;
				const passkeyAccount = hasAccount &&
					known && {
						rp_id: platform.party.rpId,
						user_id: known.userHandle,
						credential_ids: own.map(({ credentialId }) => credentialId),
					};
				return { ...toWireFactors(factors), passkey_account: passkeyAccount || null };
			},
		}),

		getOfUser: endpoint<Administrator>()({
			name: "getUserSecondFactors",
			summary: "Get the second factors of a user",
			description: "Lists the factors without secrets.",
			ids: { id: "user.not_found" },
			response: data(200, factorsSchema, "The enrolled factors."),
			async handle({ caller: { tenantId }, ids: { id } }) {
				await getUser(users, tenantId, id);
				return toWireFactors(await readFactors(platform, tenantId, id));
			},
		}),

		startTotp: endpoint<SignedIn>()({
			name: "startMyTotp",
			summary: "Start enrolling an authenticator app",
			description: `A first code must confirm the secret within ${TOTP_PENDING_SECONDS / 60} minutes. Starting again replaces a pending secret. An app that is already enrolled stays valid until the confirmation. Codes use SHA-1, 6 digits, and a period of 30 seconds.`,
			body: ownerBody,
			response: data(201, startedTotpSchema, "Add the secret to the app, then confirm with a code."),
			errors: OWNER_ERRORS,
			secret: true,
			handle: async ({ caller, body }) =>
				toWireStartedTotp(await startOwnTotp(platform, body.password, caller)),
		}),

		confirmTotp: endpoint<SignedIn>()({
			name: "confirmMyTotp",
			summary: "Confirm an authenticator app with its first code",
			description: "From then on, sign-in requires a second factor. The owner is notified by mail.",
			body: object({ code: totpCode }),
			response: data(200, recoveryCodesSchema, "Enrolled. Keep the recovery codes in a safe place."),
			errors: ["mfa.code_wrong", "totp.not_found"],
			secret: true,
			handle: async ({ caller, body }) => ({
				recovery_codes: await confirmOwnTotp(platform, typedCode(body.code), caller),
			}),
		}),

		removeTotp: endpoint<SignedIn>()({
			name: "removeMyTotp",
			summary: "Remove the authenticator app",
			description:
				"Recovery codes are removed with the last second factor. If the tenant requires a second factor, the last one cannot be removed. The owner is notified by mail.",
			body: ownerBody,
			response: empty(204, "The app is removed."),
			errors: [...OWNER_ERRORS, "totp.not_found", "mfa.last_factor"],
			handle: ({ caller, body }) => removeOwnTotp(platform, body.password, caller),
		}),

		renewRecoveryCodes: endpoint<SignedIn>()({
			name: "renewMyRecoveryCodes",
			summary: "Create new recovery codes",
			description: "Earlier codes become invalid immediately. The owner is notified by mail.",
			body: ownerBody,
			response: data(200, recoveryCodesSchema, "The new codes."),
			errors: [...OWNER_ERRORS, "mfa.not_enabled"],
			secret: true,
			handle: async ({ caller, body }) => ({
				recovery_codes: await renewRecoveryCodes(platform, body.password, caller),
			}),
		}),

		reset: endpoint<InPerson>()({
			name: "resetUserSecondFactors",
			summary: "Remove all second factors of a user",
			description:
				"For a user who has lost them. Removes the authenticator app, passkeys, and recovery codes, ends every session, and notifies the owner by mail. The password is unchanged. Verify that the request comes from the owner. Only a platform_admin may reset a platform_admin (403).",
			ids: { id: "user.not_found" },
			response: empty(
				204,
				"The user can sign in with only the password, unless a second factor is required.",
			),
			errors: ["role.required"],
			handle: ({ caller, ids }) => resetFactors(platform, ids.id, caller),
		}),
	};
}
