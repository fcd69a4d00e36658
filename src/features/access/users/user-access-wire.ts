// The wire form of the access of a user: grants with their source, and groups.

import { list, nullable, object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";

export const heldGrantSchema = object(
	{
		id: plain({ format: "uuid" }),
		app_id: plain({ format: "uuid" }),
		app_name: plain(),
		group_id: nullable(
			plain({
				format: "uuid",
				description: "The group that holds the grant; null for the user's own grant.",
			}),
		),
		group_name: nullable(plain({ description: "Null for the user's own grant." })),
		roles: list(plain(), { description: "Names of the application's roles, sorted." }),
		created_at: time(),
		updated_at: time(),
	},
	{ title: "UserGrant" },
);

export const userGroupSchema = object(
	{
		group_id: plain({ format: "uuid" }),
		name: plain(),
		description: plain(),
		added_at: time({ description: "When the user was added to the group." }),
	},
	{ title: "UserGroup" },
);

export const toWireHeldGrant = toWire(heldGrantSchema);
export const toWireUserGroup = toWire(userGroupSchema);
