// `/users`: accounts as administrators manage them, inside their own tenant.

import type { Administrator } from "../../../domain/caller.ts";
import { SYSTEM_ROLES } from "../../../domain/system-role.ts";
import { getUser, USER_ORDERS, USER_STATUSES, USERNAME_MAX } from "../../../domain/user.ts";
import { data, empty, endpoint, page } from "../../../http/endpoint.ts";
import { exactEmail, exactName, oneOf, searchText, timeText } from "../../../http/query-parameters.ts";
import type { Infer } from "../../../http/schema.ts";
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

/** Either a password or an invitation. */
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
				sort: oneOf(
					USER_ORDERS,
					"Default: `newest`. `-` reverses. `name` is the display name, of those without one the username, without regard to ASCII case; `last_login_at` begins with those who never signed in.",
				),
			},
			description:
				"`q` finds parts of username, email or display name, taken literally and without regard to ASCII case. `email` and `username` find the one user with exactly that address or name, without regard to case, or none; left empty they are 400. `inactive_since` finds users whose last sign-in was before that time, those who never signed in by their creation. `locked=true` finds users whose password or authenticator codes are refused after 100 wrong ones in a row, until `POST /users/{id}/unlock` or a new password (for codes: a reset of the factors).",
			response: page(userSchema, "Users of the tenant, newest first unless sorted."),
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
			description: `With a \`password\`, or with \`invite\`: then the user is mailed a link, good once within 7 days, to choose a password, and is \`invited\` until it is used. An invited user can neither sign in nor recover a password. An admin key only invites, and sets neither roles nor verification (403). ${PLATFORM_ADMIN_RULE}`,
			body: newUserSchema,
			response: data(201, userSchema, "The new user."),
			errors: [
				...NEW_PASSWORD_ERRORS,
				"role.required",
				"username.taken",
				"email.taken",
				"user.invite_unusable",
				"admin_key.not_allowed",
			],
			async handle({ caller, body }) {
				checkInvitation(body);
				const fields = { ...fromNewUser(body), passwordPlain: body.password };
				return toWireUser(await createUser(platform, fields, caller));
			},
		}),

		get: endpoint<Administrator>()({
			name: "getUser",
			summary: "Get a user",
			ids: { id: "user.not_found" },
			response: data(200, userSchema, "The user."),
			errors: ["user.not_found"],
			handle: async ({ caller, ids }) => toWireUser(await getUser(users, caller.tenantId, ids.id)),
		}),

		update: endpoint<Administrator>()({
			name: "updateUser",
			summary: "Change a user",
			description: `Fields that are absent stay. Disabling a user or setting a password ends all of the user's sessions at once; the owner is notified by mail of a set password, and at the old address of a changed one. A changed \`email\` is unverified unless \`email_verified\` is given with it. Giving the role platform_admin removes every way to sign in that an admin of the tenant could have attached: sessions, password (unless one is set along), second factors, linked accounts; check the address, since a new password is set by mail to it. An admin key sets neither password, email address, verification nor roles (403). ${PLATFORM_ADMIN_RULE}`,
			ids: { id: "user.not_found" },
			body: userPatchSchema,
			response: data(200, userSchema, "The user as it is now."),
			errors: [
				...NEW_PASSWORD_ERRORS,
				"role.required",
				"user.not_found",
				"username.taken",
				"email.taken",
				"user.last_admin",
				"admin_key.not_allowed",
			],
			async handle({ caller, ids, body }) {
				const patch = { ...fromUserPatch(body), passwordPlain: body.password };
				return toWireUser(await updateUser(platform, ids.id, patch, caller));
			},
		}),

		remove: endpoint<Administrator>()({
			name: "deleteUser",
			summary: "Delete a user",
			description: `Sessions, grants and third-party accounts of the user go too. ${PLATFORM_ADMIN_RULE}`,
			ids: { id: "user.not_found" },
			response: empty(204, "The user is gone."),
			errors: ["role.required", "user.not_found", "user.last_admin"],
			handle: ({ caller, ids }) => deleteUser(platform, ids.id, caller),
		}),
	};
}
