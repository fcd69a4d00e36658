// The wire form of the access of a user: grants with their source, and groups.

import type { HeldGrant } from "../../../domain/grant.ts";
import { MANAGED_KINDS } from "../../../domain/manager.ts";
import { choice, type Infer, list, nullable, object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { grantedAt, grantTerms } from "../applications/grant-wire.ts";

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
		group_name: nullable(plain("Null for the user's own grant.")),
		roles: list(plain(), { description: "Names of the application's roles, sorted." }),
		...grantTerms,
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
		added_at: time("When the user was added to the group."),
		expires_at: nullable(time("When the membership ends; null for no end.")),
	},
	{ title: "UserGroup" },
);

export const managedSchema = object({
	kind: choice(MANAGED_KINDS),
	id: plain({ format: "uuid" }),
	name: plain(),
	added_at: time(),
});

const toWireHeld = toWire(heldGrantSchema);

export function toWireHeldGrant(grant: HeldGrant): Infer<typeof heldGrantSchema> {
	return toWireHeld({ ...grant, ...grantedAt(grant) });
}

export const toWireUserGroup = toWire(userGroupSchema);
export const toWireManaged = toWire(managedSchema);
