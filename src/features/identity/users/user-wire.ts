// The wire of users: schemas of answers and bodies, and conversions.

import { PASSWORD_TEXT_MAX } from "../../../domain/sign-in.ts";
import {
	DISPLAY_NAME_MAX,
	SYSTEM_ROLES,
	USER_STATUSES,
	USERNAME,
	USERNAME_MAX,
	type User,
} from "../../../domain/user.ts";
import {
	boolean,
	choice,
	email,
	type Infer,
	list,
	nullable,
	object,
	optional,
	plain,
	secretText,
	text,
	time,
	timeInput,
	webUrl,
} from "../../../http/schema.ts";
import { isoTime, isoTimeOrNull } from "../../../kernel/clock.ts";

/** Roles that an import can give: `platform_admin` is not one of them. */
const TENANT_ROLES = ["admin", "reviewer", "auditor"] as const;

/** Contract section 4, "User". */
export const userSchema = object(
	{
		id: plain({ format: "uuid" }),
		tenant_id: plain({ format: "uuid" }),
		username: plain(),
		email: plain({ format: "email" }),
		email_verified: boolean(),
		display_name: plain({ description: 'Empty (`""`) when unset.' }),
		avatar_url: plain({ description: 'Empty (`""`) when unset.' }),
		status: choice(USER_STATUSES),
		roles: list(choice(SYSTEM_ROLES), {
			description: "System roles; the grants of an application decide what a person may do in it.",
		}),
		mfa_enabled: boolean(),
		last_login_at: nullable(time()),
		created_at: time(),
		updated_at: time(),
	},
	{ title: "User" },
);

export type WireUser = Infer<typeof userSchema>;

export function toWireUser(user: User): WireUser {
	return {
		id: user.id,
		tenant_id: user.tenantId,
		username: user.username,
		email: user.email,
		email_verified: user.emailVerified,
		display_name: user.displayName,
		avatar_url: user.avatarUrl,
		status: user.status,
		roles: [...user.roles],
		mfa_enabled: user.mfaEnabled,
		last_login_at: isoTimeOrNull(user.lastLoginAtMs),
		created_at: isoTime(user.createdAtMs),
		updated_at: isoTime(user.updatedAtMs),
	};
}

/** For descriptions of fields that take a new password. */
export const PASSWORD_RULES =
	"A password has at least 8 characters and at most 72 bytes of UTF-8, is not a common one, and is neither username nor e-mail.";

const username = text({
	min: 3,
	max: USERNAME_MAX,
	pattern: USERNAME.source,
	description: "Unique in the tenant without regard to case.",
});
const password = secretText({ max: PASSWORD_TEXT_MAX, description: PASSWORD_RULES });
const optionalFields = {
	display_name: optional(text({ min: 0, max: DISPLAY_NAME_MAX })),
	avatar_url: optional(webUrl()),
	roles: optional(list(choice(SYSTEM_ROLES), { unique: true })),
	status: optional(choice(USER_STATUSES)),
	email_verified: optional(
		boolean({ description: "Whether the address counts as proved; a new one does only if this says so." }),
	),
};

/** Body of `POST /users`. */
export const newUserSchema = object({ username, email: email(), password, ...optionalFields });
/** Body of `PATCH /users/{id}`. */
export const userPatchSchema = object({
	username: optional(username),
	email: optional(email()),
	password: optional(password),
	...optionalFields,
});

/** `$2a$`, `$2b$` and `$2y$` are the same today; `$2x$` marks the hashes of a faulty implementation. */
const BCRYPT_HASH = "^\\$2[aby]\\$(0[4-9]|1[0-5])\\$[./A-Za-z0-9]{53}$";

/** A line of `latchkey users import`. */
export const importedUserSchema = object({
	username,
	email: email(),
	password_hash: optional(secretText({ max: 60, pattern: BCRYPT_HASH })),
	created_at: optional(timeInput()),
	...optionalFields,
	roles: optional(list(choice(TENANT_ROLES), { unique: true })),
});

export type ImportedUser = Infer<typeof importedUserSchema>;

/** The fields of both bodies, without the password. */
export function parseUserFields(body: Infer<typeof userPatchSchema>) {
	return {
		username: body.username,
		email: body.email,
		emailVerified: body.email_verified,
		displayName: body.display_name,
		avatarUrl: body.avatar_url,
		roles: body.roles,
		status: body.status,
	};
}
