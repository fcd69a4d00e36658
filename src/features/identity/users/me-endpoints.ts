// `/users/me`: the account of the signed-in user.

import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { PASSWORD_TEXT_MAX } from "../../../domain/sign-in.ts";
import {
	data,
	type EndpointResponse,
	empty,
	endpoint,
	page,
	sharedData,
} from "../../../http/describe/endpoint.ts";
import { object, optional, secretText } from "../../../http/describe/schema.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { OWNER_ERRORS } from "../mfa/wire.ts";
import { endOtherSessions, endSession } from "./end-session.ts";
import { changePassword, changeProfile, deleteOwnAccount } from "./own-account.ts";
import { endedSessions, sessionSchema, toWireSession } from "./session-wire.ts";
import {
	fromProfilePatch,
	NEW_PASSWORD_ERRORS,
	PASSWORD_RULES,
	profilePatchSchema,
	toWireUser,
	userSchema,
} from "./user-wire.ts";

/** The endpoint never succeeds: the documented response is the error of its guard. */
const ALWAYS_REFUSED: EndpointResponse<never> = {
	status: 405,
	description: "Always.",
	schema: undefined,
	wrap: (result) => result,
};

export function meEndpoints(platform: Platform) {
	const { db, clock } = platform;
	return {
		get: endpoint<SignedIn>()({
			name: "getMe",
			summary: "Get the current user",
			response: sharedData(toWireUser, 200, userSchema, "The user behind the access token."),
			handle: ({ caller }) => caller.user,
		}),

		put: endpoint<never>()({
			name: "putMe",
			summary: "Always refused",
			description:
				"Returns 405 with `Allow: GET, PATCH, DELETE` to every request. Users change their profile with `PATCH /api/v1/users/me` and their password with `PUT /api/v1/users/me/password`. An administrator changes other fields with `PATCH /api/v1/users/{id}`.",
			response: ALWAYS_REFUSED,
			handle: ({ caller }) => caller,
		}),

		update: endpoint<SignedIn>()({
			name: "updateMe",
			summary: "Change the current user's profile",
			description:
				"Absent fields are unchanged. `locale` is the language of all mails to the user; with null, each mail uses the language of the request that causes it.",
			body: profilePatchSchema,
			response: data(200, userSchema, "The updated user."),
			errors: ["application.token", "user.of_directory"],
			handle: async ({ caller, body }) =>
				toWireUser(await changeProfile(platform, fromProfilePatch(body), caller)),
		}),

		remove: endpoint<SignedIn>()({
			name: "deleteMe",
			summary: "Delete the current user",
			description:
				"Requires the password, or a session whose sign-in is at most 5 minutes old. Refuses a token issued for an application. Also deletes the user's sessions, grants, third-party accounts, and the key of the user's texts in the audit trail. After five wrong passwords, the response is 429 for increasing periods.",
			body: object({ password: optional(secretText({ max: PASSWORD_TEXT_MAX })) }),
			response: empty(204, "The user is deleted."),
			errors: [...OWNER_ERRORS, "user.last_admin", "user.of_directory"],
			session: "ends",
			async handle({ caller, body, request }) {
				await deleteOwnAccount(platform, body.password, caller);
				request.browserSession?.end();
			},
		}),

		changePassword: endpoint<SignedIn>()({
			name: "changeMyPassword",
			summary: "Change the current user's password",
			description: `The current session continues, all others end, and the owner is notified by mail. After five wrong current passwords, the response is 429 for increasing periods. ${PASSWORD_RULES}`,
			body: object({
				current_password: secretText({ max: PASSWORD_TEXT_MAX }),
				new_password: secretText({ max: PASSWORD_TEXT_MAX }),
			}),
			response: data(200, endedSessions("The number of other sessions ended."), "The password is changed."),
			errors: ["password.wrong", "login.too_many", ...NEW_PASSWORD_ERRORS],
			async handle({ caller, body }) {
				const change = { currentPasswordPlain: body.current_password, newPasswordPlain: body.new_password };
				return { sessions_revoked: await changePassword(platform, change, caller) };
			},
		}),

		listSessions: endpoint<SignedIn>()({
			name: "listMySessions",
			summary: "List the current user's sessions",
			description: "Lists only live sessions. A token issued for an application lists only its own session.",
			response: page(sessionSchema, "Sessions, newest first."),
			async handle({ caller: { tenantId, userId, sessionId, appId }, page }) {
				const onlyId = appId === null ? undefined : sessionId;
				const live = await db.stores.sessions.list(tenantId, userId, clock(), page, onlyId);
				return mapPage(live, (session) => toWireSession(session, sessionId));
			},
		}),

		endOtherSessions: endpoint<SignedIn>()({
			name: "endMyOtherSessions",
			summary: "End all other sessions of the current user",
			description: "Their tokens become invalid immediately. The current session continues.",
			response: data(200, endedSessions("The number of other live sessions ended."), "The others ended."),
			errors: ["application.token"],
			async handle({ caller }) {
				checkInPerson(caller, "end other sessions of its user");
				return { sessions_revoked: await endOtherSessions(platform, caller) };
			},
		}),

		endSession: endpoint<SignedIn>()({
			name: "endMySession",
			summary: "End one of the current user's sessions",
			description:
				"Its tokens become invalid immediately. Ending the current session signs the user out. A token issued for an application ends only its own session; any other is 404.",
			ids: { id: "session.not_found" },
			response: empty(204, "The session ended."),
			errors: ["session.not_found"],
			session: "ends",
			async handle({ caller, ids, request }) {
				await endSession(platform, ids.id, caller);
				if (ids.id === caller.sessionId) request.browserSession?.end();
			},
		}),
	};
}
