// The wire form of the grants of an application.

import {
	GRANT_ORDERS,
	GRANT_REASON_MAX,
	type Grant,
	LIFE_MAX_DAYS,
	type NamedGrant,
} from "../../../domain/grant.ts";
import { oneOf } from "../../../http/describe/query-parameters.ts";
import {
	type Infer,
	list,
	multilineText,
	nullable,
	object,
	optional,
	plain,
	time,
	timeInput,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";

/** Of a list of grants or memberships. */
export const grantOrder = oneOf(GRANT_ORDERS, "`expires_at`: the ones that end first. Default: `newest`.");

/** When a grant or a membership ends, as callers set it. */
export function endInput() {
	return optional(
		nullable(
			timeInput({
				description: `From one minute to ${LIFE_MAX_DAYS} days from now; null for no end. Without it, the present end stays.`,
				// A time would be over one day.
				examples: [null],
			}),
		),
	);
}

export const reasonInput = optional(
	multilineText({
		min: 0,
		max: GRANT_REASON_MAX,
		description: "Why access is given. Without it, the present reason stays.",
	}),
);

/** What every list of grants shows. */
export const grantTerms = {
	expires_at: nullable(time("When it ends; null for no end. From this moment on, it counts as absent.")),
	reason: plain('Empty (`""`) when unset.'),
	request_id: nullable(plain({ format: "uuid", description: "The request that it was created for." })),
	granted_by: nullable(plain({ format: "uuid", description: "The user who created it; null if none did." })),
	granted_at: time(),
	last_used_at: nullable(
		time(
			"When access by it was last used: by a sign-in, a token, a request at the gate, or a decision. The first use of a day (UTC) counts. Null if it never was.",
		),
	),
};

/** A changed grant keeps its age. */
export function grantedAt({ createdAtMs }: Pick<Grant, "createdAtMs">): { readonly grantedAtMs: number } {
	return { grantedAtMs: createdAtMs };
}

const grantFields = {
	id: plain({ format: "uuid" }),
	app_id: plain({ format: "uuid" }),
	user_id: optional(plain({ format: "uuid", description: "Of a grant to a user." })),
	group_id: optional(plain({ format: "uuid", description: "Of a grant to a group." })),
	api_client_id: optional(plain({ format: "uuid", description: "Of a grant to an API client." })),
	program_id: optional(
		plain({ format: "uuid", description: "Of a grant to an application that acts for itself." }),
	),
	roles: list(plain(), { description: "Names of the application's roles, sorted." }),
	...grantTerms,
	created_at: time(),
	updated_at: time(),
};
export const grantSchema = object(grantFields, { title: "Grant" });
export const namedGrantSchema = object(
	{
		...grantFields,
		username: optional(plain("Of a grant to a user.")),
		display_name: optional(plain("Of a grant to a user.")),
		group_name: optional(plain("Of a grant to a group.")),
		api_client_name: optional(plain("Of a grant to an API client.")),
		program_name: optional(plain("Of a grant to an application that acts for itself.")),
	},
	{ title: "NamedGrant" },
);

const toWireForm = toWire(grantSchema);
const toWireNamed = toWire(namedGrantSchema);

const ID_OF = { user: "userId", group: "groupId", api_client: "apiClientId", program: "programId" } as const;
const NAME_OF = {
	user: "username",
	group: "groupName",
	api_client: "apiClientName",
	program: "programName",
} as const;

export function toWireGrant({ subject: { kind, id }, ...grant }: Grant): Infer<typeof grantSchema> {
	return toWireForm({ ...grant, ...grantedAt(grant), [ID_OF[kind]]: id });
}

export function toWireNamedGrant(grant: NamedGrant): Infer<typeof namedGrantSchema> {
	const { subject, subjectName, displayName, ...rest } = grant;
	const names = { [NAME_OF[subject.kind]]: subjectName, ...(subject.kind === "user" && { displayName }) };
	return toWireNamed({ ...rest, ...grantedAt(grant), [ID_OF[subject.kind]]: subject.id, ...names });
}
