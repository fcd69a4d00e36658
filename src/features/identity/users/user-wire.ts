// The wire form of users: schemas of responses and bodies, and conversions.

import { LOCALES } from "../../../domain/locale.ts";
import { PASSWORD_TEXT_MAX } from "../../../domain/sign-in.ts";
import { SYSTEM_ROLES } from "../../../domain/system-role.ts";
import {
	DISABLED_REASONS,
	DISPLAY_NAME_MAX,
	USER_STATUSES,
	USERNAME,
	USERNAME_MAX,
} from "../../../domain/user.ts";
import {
	boolean,
	choice,
	email,
	type Infer,
	list,
	nameText,
	nullable,
	object,
	optional,
	plain,
	secretText,
	text,
	time,
	timeInput,
	webUrl,
} from "../../../http/describe/schema.ts";
import { fromWire, toWire } from "../../../http/describe/wire-form.ts";

/** The statuses of a new user. */
const SETTABLE_STATUSES = ["active", "disabled"] as const;
/** The roles that an import can grant: not `platform_admin`. */
const TENANT_ROLES = ["admin", "reviewer", "auditor", "supporter"] as const;

export const userSchema = object(
	{
		id: plain({ format: "uuid" }),
		tenant_id: plain({ format: "uuid" }),
		username: plain(),
		email: plain({ format: "email" }),
		email_verified: boolean(),
		display_name: plain('Empty (`""`) when unset.'),
		avatar_url: plain('Empty (`""`) when unset.'),
		status: choice(USER_STATUSES),
		disabled_reason: nullable(
			choice(DISABLED_REASONS, {
				description:
					"`dormant`: the service disabled the account because it was not used. Null for every other reason.",
			}),
		),
		roles: list(choice(SYSTEM_ROLES), {
			description: "System roles. What a user may do in an application depends on its grants.",
		}),
		locale: nullable(
			choice(LOCALES, {
				description:
					"The language of mails to the user. Null means the language of the request that causes the mail.",
			}),
		),
		mfa_enabled: boolean(),
		last_login_at: nullable(time()),
		created_at: time(),
		updated_at: time(),
	},
	{ title: "User" },
);

export const toWireUser = toWire(userSchema);

export const NEW_PASSWORD_ERRORS = [
	"password.too_short",
	"password.too_long",
	"password.too_common",
	"password.breached",
	"password.same_as_name",
	"service.overloaded",
] as const;

/** For descriptions of what administrators do to an account. */
export const PLATFORM_ADMIN_RULE =
	"Only a platform_admin may grant or revoke that role, or change, delete, or sign out a user who has it (403).";

/** For descriptions of fields that take a new password. */
export const PASSWORD_RULES =
	"A password has at least 8 characters and at most 72 bytes of UTF-8. It must not be a common password, the username, or the email.";

export const username = text({
	min: 3,
	max: USERNAME_MAX,
	pattern: USERNAME.source,
	description: "Unique in the tenant, ignoring case.",
});
export const newPassword = secretText({ max: PASSWORD_TEXT_MAX, description: PASSWORD_RULES });
const profileFields = {
	display_name: optional(nameText({ min: 0, max: DISPLAY_NAME_MAX })),
	avatar_url: optional(webUrl()),
	locale: optional(nullable(choice(LOCALES))),
};
const optionalFields = {
	...profileFields,
	roles: optional(list(choice(SYSTEM_ROLES), { unique: true })),
	status: optional(choice(SETTABLE_STATUSES)),
	email_verified: optional(
		boolean("Whether the email address is verified. A new address is unverified unless this is true."),
	),
};

const newFields = { username, email: email(), ...optionalFields };
const patchFields = {
	username: optional(username),
	email: optional(email()),
	...optionalFields,
	// Includes `invited`, so that a client can send a record back unchanged; no update makes a user invited.
	status: optional(choice(USER_STATUSES)),
};

/** Body of `POST /users`. */
export const newUserSchema = object({
	...newFields,
	password: optional(newPassword),
	invite: optional(
		boolean(
			"Set to true instead of a password: the user receives a link to accept, and is `invited` until then.",
		),
	),
});
/** Body of `PATCH /users/me`. */
export const profilePatchSchema = object(profileFields);
/** Body of `PATCH /users/{id}`. */
export const userPatchSchema = object({ ...patchFields, password: optional(newPassword) });
/** The fields of the bodies, without the password. */
export const fromNewUser = fromWire(object(newFields));
export const fromProfilePatch = fromWire(profilePatchSchema);
export const fromUserPatch = fromWire(object(patchFields));

/** Longer than any hash that an import accepts, so that the error names the limit of its algorithm. */
const HASH_TEXT_MAX = 1_024;

/** A line of `latchkey import`. `readPasswordHash` checks the hash. */
export const importedUserSchema = object({
	username,
	email: email(),
	password_hash: optional(secretText({ max: HASH_TEXT_MAX })),
	created_at: optional(timeInput()),
	...optionalFields,
	roles: optional(list(choice(TENANT_ROLES), { unique: true })),
});

export type ImportedUser = Infer<typeof importedUserSchema>;
