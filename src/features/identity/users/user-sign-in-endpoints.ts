// `/users/{id}/sessions`: where a user is signed in, for administrators.

import type { SignedIn } from "../../../domain/session.ts";
import { getUser } from "../../../domain/user.ts";
import { data, endpoint, page } from "../../../http/endpoint.ts";
import { integer, object } from "../../../http/schema.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { revokeSessions } from "./manage-users.ts";
import { sessionSchema, toWireSession } from "./session-wire.ts";
import { PLATFORM_ADMIN_RULE } from "./user-wire.ts";

const ids = { id: "user.not_found" } as const;

export function userSignInEndpoints(platform: Platform) {
	const { users, sessions } = platform.db.stores;
	return {
		listSessions: endpoint<SignedIn>()({
			name: "listUserSessions",
			summary: "List the sessions of a user",
			description: "Only live ones: neither ended nor expired.",
			ids,
			answer: page(sessionSchema, "Sessions, the one begun last first."),
			async handle({ caller: { tenantId, sessionId }, ids: { id }, page }) {
				await getUser(users, tenantId, id);
				const live = await sessions.list(tenantId, id, platform.clock(), page);
				return mapPage(live, (session) => toWireSession(session, sessionId));
			},
		}),

		revokeSessions: endpoint<SignedIn>()({
			name: "revokeUserSessions",
			summary: "End all sessions of a user",
			description: PLATFORM_ADMIN_RULE,
			ids,
			answer: data(
				200,
				object({ sessions_revoked: integer({ description: "How many live sessions ended." }) }),
				"The user is signed out everywhere.",
			),
			errors: ["role.required"],
			handle: async ({ caller, ids }) => ({
				sessions_revoked: await revokeSessions(platform, ids.id, caller),
			}),
		}),
	};
}
