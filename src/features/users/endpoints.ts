// `/users`: accounts as administrators manage them, inside their own tenant.

import { data, empty, endpoint, oneOf, page, searchText } from "../../http/endpoint.ts";
import { integer, object } from "../../http/schema.ts";
import type { ErrorCode } from "../../kernel/error.ts";
import type { SignedIn } from "../auth/model.ts";
import { type CreateUserDeps, createUser } from "./create-user.ts";
import { type DeleteUserDeps, deleteUser } from "./delete-user.ts";
import { SYSTEM_ROLES, USER_STATUSES, userNotFound } from "./model.ts";
import { type RevokeSessionsDeps, revokeSessions } from "./revoke-sessions.ts";
import { type UpdateUserDeps, updateUser } from "./update-user.ts";
import { newUserSchema, parseUserFields, toWireUser, userPatchSchema, userSchema } from "./user-wire.ts";

export type UsersDeps = CreateUserDeps & UpdateUserDeps & DeleteUserDeps & RevokeSessionsDeps;

const PASSWORD_ERRORS: readonly ErrorCode[] = [
	"password.too_short",
	"password.too_long",
	"password.too_common",
	"password.breached",
	"password.same_as_name",
	"service.overloaded",
];
const PLATFORM_ADMIN_RULE =
	"Only a platform_admin may give or take that role, or change, delete or sign out somebody who has it (403).";

export function usersEndpoints(deps: UsersDeps) {
	const { db } = deps;
	return {
		list: endpoint<SignedIn>()({
			name: "listUsers",
			summary: "List users",
			query: { q: searchText(), status: oneOf(USER_STATUSES), role: oneOf(SYSTEM_ROLES) },
			description:
				"`q` finds parts of username, e-mail or display name, taken literally and without regard to ASCII case.",
			answer: page(userSchema, "Users of the tenant, newest first."),
			async handle({ caller, query, page: asked }) {
				const users = await db.stores.users.list({ ...query, tenantId: caller.tenantId }, asked);
				return { items: users.items.map(toWireUser), total: users.total };
			},
		}),

		create: endpoint<SignedIn>()({
			name: "createUser",
			summary: "Create a user",
			description: PLATFORM_ADMIN_RULE,
			body: newUserSchema,
			answer: data(201, userSchema, "The new user."),
			errors: [...PASSWORD_ERRORS, "role.required", "username.taken", "email.taken"],
			async handle({ caller, body, request }) {
				const wanted = {
					...parseUserFields(body),
					username: body.username,
					email: body.email,
					passwordPlain: body.password,
				};
				return toWireUser(await createUser(deps, wanted, { actor: caller.user, origin: request }));
			},
		}),

		get: endpoint<SignedIn>()({
			name: "getUser",
			summary: "Get a user",
			ids: { id: "user.not_found" },
			answer: data(200, userSchema, "The user."),
			errors: ["user.not_found"],
			async handle({ caller, ids }) {
				const user = await db.stores.users.findById(caller.tenantId, ids.id as string);
				if (user === undefined) throw userNotFound();
				return toWireUser(user);
			},
		}),

		update: endpoint<SignedIn>()({
			name: "updateUser",
			summary: "Change a user",
			description: `Fields that are absent stay. Disabling a user or setting a password ends all of the user's sessions at once; a set password is told to the owner by mail, a changed address to the old one. A changed \`email\` is unverified unless \`email_verified\` is given with it. ${PLATFORM_ADMIN_RULE}`,
			ids: { id: "user.not_found" },
			body: userPatchSchema,
			answer: data(200, userSchema, "The user as it is now."),
			errors: [
				...PASSWORD_ERRORS,
				"role.required",
				"user.not_found",
				"username.taken",
				"email.taken",
				"user.last_admin",
			],
			async handle({ caller, ids, body, request }) {
				const patch = { ...parseUserFields(body), passwordPlain: body.password };
				const context = { actor: caller.user, origin: request };
				return toWireUser(await updateUser(deps, ids.id as string, patch, context));
			},
		}),

		remove: endpoint<SignedIn>()({
			name: "deleteUser",
			summary: "Delete a user",
			description: `Sessions, grants and third-party accounts of the user go too. ${PLATFORM_ADMIN_RULE}`,
			ids: { id: "user.not_found" },
			answer: empty(204, "The user is gone."),
			errors: ["role.required", "user.not_found", "user.last_admin"],
			handle: ({ caller, ids, request }) =>
				deleteUser(deps, ids.id as string, { actor: caller.user, origin: request }),
		}),

		revokeSessions: endpoint<SignedIn>()({
			name: "revokeUserSessions",
			summary: "End all sessions of a user",
			description: PLATFORM_ADMIN_RULE,
			ids: { id: "user.not_found" },
			answer: data(
				200,
				object({ sessions_revoked: integer({ description: "How many live sessions ended." }) }),
				"The user is signed out everywhere.",
			),
			errors: ["role.required", "user.not_found"],
			async handle({ caller, ids, request }) {
				const context = { actor: caller.user, origin: request };
				return { sessions_revoked: await revokeSessions(deps, ids.id as string, context) };
			},
		}),
	};
}
