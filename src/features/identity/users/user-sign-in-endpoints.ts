// `/users/{id}/sessions`, `/unlock` and `/send-reset`: how a user signs in, for administrators.

import type { KeyCaller } from "../../../domain/admin-key.ts";
import type { Administrator } from "../../../domain/caller.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { getUser } from "../../../domain/user.ts";
import { data, empty, endpoint, page } from "../../../http/endpoint.ts";
import { integer, object } from "../../../http/schema.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { sendReset } from "../recovery/send-reset.ts";
import { endSessionOf } from "./end-session.ts";
import { revokeSessions } from "./manage-users.ts";
import { sessionSchema, toWireSession } from "./session-wire.ts";
import { unlockUser } from "./unlock-user.ts";
import { PLATFORM_ADMIN_RULE } from "./user-wire.ts";

const ids = { id: "user.not_found" } as const;

export function userSignInEndpoints(platform: Platform) {
	const { users, sessions } = platform.db.stores;
	return {
		listSessions: endpoint<SignedIn | KeyCaller>()({
			name: "listUserSessions",
			summary: "List the sessions of a user",
			description: "Only live ones: neither ended nor expired.",
			ids,
			response: page(sessionSchema, "Sessions, the one begun last first."),
			async handle({ caller, ids: { id }, page }) {
				const { tenantId } = caller;
				await getUser(users, tenantId, id);
				const current = caller.isKey ? null : caller.sessionId;
				const live = await sessions.list(tenantId, id, platform.clock(), page);
				return mapPage(live, (session) => toWireSession(session, current));
			},
		}),

		endSession: endpoint<Administrator>()({
			name: "endUserSession",
			summary: "End one session of a user",
			description: `Its tokens are dead at once; the other sessions stay. ${PLATFORM_ADMIN_RULE}`,
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
			response: data(
				200,
				object({ sessions_revoked: integer({ description: "How many live sessions ended." }) }),
				"The user is signed out everywhere.",
			),
			errors: ["role.required"],
			handle: async ({ caller, ids }) => ({
				sessions_revoked: await revokeSessions(platform, ids.id, caller),
			}),
		}),

		unlock: endpoint<Administrator>()({
			name: "unlockUser",
			summary: "Unlock a user",
			description: `Forgets the wrong passwords and wrong codes that were counted for the account, on every node: a lock after 100 of them ends, and so does every wait of its username and email. Password, second factors and sessions stay, and so does what client addresses failed. Idempotent. ${PLATFORM_ADMIN_RULE}`,
			ids,
			response: empty(204, "The user may try again at once."),
			errors: ["role.required"],
			handle: ({ caller, ids }) => unlockUser(platform, ids.id, caller),
		}),

		sendReset: endpoint<Administrator>()({
			name: "sendUserReset",
			summary: "Mail a user the link to set a new password",
			description: `The link of \`POST /auth/password/forgot\`: it works once within 60 minutes and replaces earlier ones; only the owner of the email sees it. Nothing changes until the owner uses it. An address gets at most one such mail a minute and five an hour (429). Refused (409) where the link would be of no use: for an account that is not active, or without an email address of its own. ${PLATFORM_ADMIN_RULE}`,
			ids,
			response: empty(202, "The link is sent."),
			errors: ["role.required", "user.reset_unusable", "code.too_many"],
			handle: ({ caller, ids }) => sendReset(platform, ids.id, caller),
		}),
	};
}
