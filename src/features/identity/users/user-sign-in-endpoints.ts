// `/users/{id}/sessions`, `/unlock`, and `/send-reset`: the sessions and sign-in of a user, for administrators.

import type { KeyCaller } from "../../../domain/admin-key.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { type InPerson, sessionOf } from "../../../domain/session.ts";
import { getUser } from "../../../domain/user.ts";
import { data, empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { sendReset } from "../recovery/mail-reset-link.ts";
import { endAllSessionsOf, endSessionOf } from "./end-session.ts";
import { unlockUser } from "./manage-users.ts";
import { endedSessions, sessionSchema, toWireSession } from "./session-wire.ts";
import { PLATFORM_ADMIN_RULE } from "./user-wire.ts";

const ids = { id: "user.not_found" } as const;

export function userSignInEndpoints(platform: Platform) {
	const { users, sessions } = platform.db.stores;
	return {
		listSessions: endpoint<InPerson | KeyCaller>()({
			name: "listUserSessions",
			summary: "List the sessions of a user",
			description: "Lists only live sessions.",
			ids,
			response: page(sessionSchema, "Sessions, newest first."),
			async handle({ caller, ids: { id }, page }) {
				const { tenantId } = caller;
				await getUser(users, tenantId, id);
				const current = sessionOf(caller);
				const live = await sessions.list(tenantId, id, platform.clock(), page);
				return mapPage(live, (session) => toWireSession(session, current));
			},
		}),

		endSession: endpoint<Administrator>()({
			name: "endUserSession",
			summary: "End one session of a user",
			description: `Its tokens become invalid immediately. Other sessions continue. ${PLATFORM_ADMIN_RULE}`,
			ids: { id: "user.not_found", session_id: "session.not_found" },
			response: empty(204, "The session ended."),
			errors: ["role.required"],
			handle: ({ caller, ids: { id: userId, session_id: sessionId } }) =>
				endSessionOf(platform, { userId, sessionId }, caller),
		}),

		revokeSessions: endpoint<Administrator>()({
			name: "revokeUserSessions",
			summary: "End all sessions of a user",
			description: PLATFORM_ADMIN_RULE,
			ids,
			response: data(200, endedSessions("The number of live sessions ended."), "The user is signed out."),
			errors: ["role.required"],
			handle: async ({ caller, ids }) => ({
				sessions_revoked: await endAllSessionsOf(platform, ids.id, caller),
			}),
		}),

		unlock: endpoint<Administrator>()({
			name: "unlockUser",
			summary: "Unlock a user",
			description: `Deletes the counted wrong passwords and codes of the account, on every node. This ends a lock after 100 failures, and every delay for its username and email. It does not change the password, second factors, sessions, or the failures that count against IP addresses. Idempotent. ${PLATFORM_ADMIN_RULE}`,
			ids,
			response: empty(204, "The user can try again immediately."),
			errors: ["role.required"],
			handle: ({ caller, ids }) => unlockUser(platform, ids.id, caller),
		}),

		sendReset: endpoint<Administrator>()({
			name: "sendUserReset",
			summary: "Mail a user the link to set a new password",
			description: `Mails the link of \`POST /auth/password/forgot\`. It works once within 60 minutes and replaces earlier links. Only the owner of the email address sees it, and nothing changes until the owner uses it. An address receives at most one such mail a minute and five an hour (429). Refused (409) for an account that is not active or has no email address of its own. ${PLATFORM_ADMIN_RULE}`,
			ids,
			response: empty(202, "The link is sent."),
			errors: ["role.required", "user.reset_unusable", "code.too_many"],
			handle: ({ caller, ids }) => sendReset(platform, ids.id, caller),
		}),
	};
}
