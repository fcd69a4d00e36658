// Invitations: an administrator sends one again, and the invited user accepts it.

import type { Administrator } from "../../../domain/caller.ts";
import { DISPLAY_NAME_MAX } from "../../../domain/user.ts";
import { data, empty, endpoint } from "../../../http/describe/endpoint.ts";
import { nameText, object, optional } from "../../../http/describe/schema.ts";
import type { Platform } from "../../platform.ts";
import { signInSchema, toWireSignIn } from "../auth/sign-in-wire.ts";
import { mailedToken } from "../recovery/endpoints.ts";
import {
	NEW_PASSWORD_ERRORS,
	newPassword,
	PASSWORD_RULES,
	PLATFORM_ADMIN_RULE,
	username,
} from "../users/user-wire.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import { inviteAgain } from "./invite-user.ts";

export function invitationsEndpoints(platform: Platform) {
	return {
		send: endpoint<Administrator>()({
			name: "inviteUser",
			summary: "Mail an invited user a new invitation",
			description: `The link works once within 7 days and replaces the previous one. Only the owner of the email address sees it. Refused (409) for a user who is not \`invited\`. ${PLATFORM_ADMIN_RULE}`,
			ids: { id: "user.not_found" },
			response: empty(202, "The invitation is sent."),
			errors: ["role.required", "user.invite_unusable"],
			handle: ({ caller, ids }) => inviteAgain(platform, ids.id, caller),
		}),

		accept: endpoint<undefined>()({
			name: "acceptInvitation",
			summary: "Accept an invitation",
			description: `The token is the part of the link after \`#\`. Sets the password, verifies the email address, activates the user, and signs in. If a second factor is required, the response contains an \`mfa_token\` instead of tokens, as at sign-in. \`password\` can be absent only if an administrator linked an account at an enabled identity provider. The link stays valid if the password is refused or the username is taken. An unknown, used, replaced, expired, or malformed token returns the same 404. ${PASSWORD_RULES}`,
			body: object({
				token: mailedToken,
				password: optional(newPassword),
				username: optional(username),
				display_name: optional(nameText({ min: 0, max: DISPLAY_NAME_MAX })),
			}),
			response: data(200, signInSchema, "Signed in, or a second factor is required."),
			errors: ["invite.not_found", "sign_in.enforced", "username.taken", ...NEW_PASSWORD_ERRORS],
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
