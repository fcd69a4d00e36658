// `/users`: administrators manage the accounts of their tenant.

import type { Administrator } from "../../../domain/caller.ts";
import { SYSTEM_ROLES } from "../../../domain/system-role.ts";
import { USER_ORDERS, USER_STATUSES, USERNAME_MAX } from "../../../domain/user.ts";
import { data, empty, endpoint, exportablePage, LIST_FORMAT } from "../../../http/describe/endpoint.ts";
import {
	exactEmail,
	exactName,
	oneOf,
	searchText,
	timeText,
} from "../../../http/describe/query-parameters.ts";
import type { Infer } from "../../../http/describe/schema.ts";
import { invalidField } from "../../../kernel/error.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { createUser, deleteUser } from "./manage-users.ts";
import { updateUser } from "./update-user.ts";
import {
	fromNewUser,
	fromUserPatch,
	NEW_PASSWORD_ERRORS,
	newUserSchema,
	PLATFORM_ADMIN_RULE,
	toWireUser,
	userPatchSchema,
	userSchema,
} from "./user-wire.ts";

const WRITE_ERRORS = [
	...NEW_PASSWORD_ERRORS,
	"role.required",
	"username.taken",
	"email.taken",
	"admin_key.not_allowed",
] as const;

/** Requires either a password or an invitation. */
function checkInvitation({ password, invite, status }: Infer<typeof newUserSchema>): void {
	if (invite !== true && password === undefined) throw invalidField("password", "required_without_invite");
	if (invite !== true) return;
	if (password !== undefined) throw invalidField("password", "absent_with_invite");
	if (status !== undefined) throw invalidField("status", "absent_with_invite");
}

export function usersEndpoints(platform: Platform) {
	const { users } = platform.db.stores;
	return {
		list: endpoint<Administrator>()({
			name: "listUsers",
			summary: "List users",
			query: {
				q: searchText(),
				status: oneOf(USER_STATUSES),
				role: oneOf(SYSTEM_ROLES),
				email: exactEmail(),
				username: exactName(USERNAME_MAX),
				inactive_since: timeText(),
				locked: oneOf(["true", "false"]),
				...LIST_FORMAT,
				sort: oneOf(
					USER_ORDERS,
					"Default: `newest`. `-` reverses the order. `name` is the display name, or the username without one, ignoring case and accents. `last_login_at` begins with users who never signed in.",
				),
			},
			description:
				"`q` finds literal parts of the username, email, or display name, ignoring case and accents. `email` and `username` find the one user with exactly that address or name, ignoring case; an empty value returns 400. `inactive_since` finds users whose last sign-in, or creation if they never signed in, was before that time. `locked=true` finds users whose password or authenticator codes are refused after 100 consecutive failures, until `POST /users/{id}/unlock` or a new password (for codes: a reset of the factors).",
			response: exportablePage("users", userSchema, "Users of the tenant, newest first by default."),
			async handle({ caller: { tenantId }, query, page }) {
				const { inactive_since: inactiveSinceMs, locked, ...filters } = query;
				const isLocked = locked && locked === "true";
				const found = await users.list({ ...filters, inactiveSinceMs, isLocked, tenantId }, page);
				return mapPage(found, toWireUser);
			},
		}),

		create: endpoint<Administrator>()({
			name: "createUser",
			summary: "Create a user",
			description: `Requires a \`password\` or \`invite\`. With \`invite\`, the user receives a mail with a link to choose a password. The link works once within 7 days; until then, the user is \`invited\` and can neither sign in nor recover a password. An admin key can only invite, and cannot set roles or verification (403). ${PLATFORM_ADMIN_RULE}`,
			body: newUserSchema,
			response: data(201, userSchema, "The new user."),
			errors: [...WRITE_ERRORS, "user.invite_unusable"],
			async handle({ caller, body }) {
				checkInvitation(body);
				const fields = { ...fromNewUser(body), passwordPlain: body.password };
				return toWireUser(await createUser(platform, fields, caller));
			},
		}),

		update: endpoint<Administrator>()({
			name: "updateUser",
			summary: "Change a user",
			description: `Absent fields are unchanged. Disabling a user or setting a password immediately ends all of the user's sessions. The owner is notified of a new password by mail, and of a new address by mail to the old one. A new \`email\` is unverified unless the request also sets \`email_verified\`. Granting the role platform_admin removes every way to sign in that an admin of the tenant could have added: sessions, the password (unless the request sets one), second factors, and linked accounts. Check the email address first, because the user sets a new password by mail. An admin key cannot set the password, email address, verification, or roles (403). ${PLATFORM_ADMIN_RULE}`,
			ids: { id: "user.not_found" },
			body: userPatchSchema,
			response: data(200, userSchema, "The updated user."),
			errors: [...WRITE_ERRORS, "user.last_admin", "user.of_directory"],
			async handle({ caller, ids, body }) {
				const patch = { ...fromUserPatch(body), passwordPlain: body.password };
				return toWireUser(await updateUser(platform, ids.id, patch, caller));
			},
		}),

		remove: endpoint<Administrator>()({
			name: "deleteUser",
			summary: "Delete a user",
			description: `Also deletes the user's sessions, grants, third-party accounts, and the key of the user's texts in the audit trail, which then shows ids only. ${PLATFORM_ADMIN_RULE}`,
			ids: { id: "user.not_found" },
			response: empty(204, "The user is deleted."),
			errors: ["role.required", "user.last_admin", "user.of_directory"],
			handle: ({ caller, ids }) => deleteUser(platform, ids.id, caller),
		}),
	};
}
