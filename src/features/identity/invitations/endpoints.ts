// Invitations: an admin sends one again, the invited person accepts.

import type { Administrator } from "../../../domain/caller.ts";
import { PASSWORD_TEXT_MAX } from "../../../domain/sign-in.ts";
import { DISPLAY_NAME_MAX } from "../../../domain/user.ts";
import { data, empty, endpoint } from "../../../http/endpoint.ts";
import { object, optional, secretText, text } from "../../../http/schema.ts";
import type { Platform } from "../../platform.ts";
import { signInSchema, toWireSignIn } from "../auth/sign-in-wire.ts";
import { NEW_PASSWORD_ERRORS, PASSWORD_RULES, PLATFORM_ADMIN_RULE, username } from "../users/user-wire.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import { inviteAgain } from "./invite-again.ts";

/** Tokens have 43 characters. Other texts up to this length are unknown tokens (404), longer ones invalid (400). */
const TOKEN_MAX = 512;

export function invitationsEndpoints(platform: Platform) {
	return {
		send: endpoint<Administrator>()({
			name: "inviteUser",
			summary: "Mail an invited user a new invitation",
			description: `The link works once within 7 days and replaces the one before; only the owner of the email sees it. Refused (409) for a user who is not \`invited\`. ${PLATFORM_ADMIN_RULE}`,
			ids: { id: "user.not_found" },
			response: empty(202, "The invitation is sent."),
			errors: ["role.required", "user.invite_unusable"],
			handle: ({ caller, ids }) => inviteAgain(platform, ids.id, caller),
		}),

		accept: endpoint<undefined>()({
			name: "acceptInvitation",
			summary: "Accept an invitation",
			description: `The token is the part after \`#\` of the link. Sets the password, verifies the address, makes the user active and signs in; if a second factor is required, the response contains an \`mfa_token\` instead of tokens, as at sign-in. \`password\` may be absent only if an administrator linked an account at an enabled identity provider. A refused password or a taken username leaves the link valid. A token that is unknown, used, replaced, expired or malformed returns the same 404. ${PASSWORD_RULES}`,
			body: object({
				token: secretText({ max: TOKEN_MAX, description: "From the mail." }),
				password: optional(secretText({ max: PASSWORD_TEXT_MAX, description: PASSWORD_RULES })),
				username: optional(username),
				display_name: optional(text({ min: 0, max: DISPLAY_NAME_MAX })),
			}),
			response: data(200, signInSchema, "Signed in, or a second factor is required."),
			errors: ["invite.not_found", "username.taken", ...NEW_PASSWORD_ERRORS],
			secret: true,
			session: "opens",
			async handle({ body, request }) {
				const { token, password: passwordPlain, username, display_name: displayName } = body;
				const acceptance = { token, passwordPlain, username, displayName };
				return toWireSignIn(await acceptInvitation(platform, acceptance, request));
			},
		}),
	};
}
