// `/groups`: groups of users and their members, for administrators.

import { USAGE_COUNT_MAX } from "../../../domain/application.ts";
import type { Administrator } from "../../../domain/caller.ts";
import type { GroupGrant } from "../../../domain/grant.ts";
import { GROUP_DESCRIPTION_MAX, GROUP_NAME_MAX } from "../../../domain/group.ts";
import { USER_STATUSES } from "../../../domain/user.ts";
import { data, empty, endpoint, page, putData } from "../../../http/describe/endpoint.ts";
import { oneOf, searchText } from "../../../http/describe/query-parameters.ts";
import {
	choice,
	integer,
	list,
	multilineText,
	nameText,
	nullable,
	object,
	optional,
	plain,
	time,
} from "../../../http/describe/schema.ts";
import { fromWire, toWire } from "../../../http/describe/wire-form.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { endInput, grantedAt, grantOrder, grantTerms } from "../applications/grant-wire.ts";
import { managedBy } from "../configuration/rows-wire.ts";
import { createGroup, deleteGroup, getGroup, putMember, removeMember, updateGroup } from "./manage-group.ts";

const COUNT_MAX = `At most ${USAGE_COUNT_MAX}; larger counts are returned as this number.`;
const usageSchema = object(
	{
		members: integer({ description: COUNT_MAX }),
		applications: integer(`Applications with a grant to the group. ${COUNT_MAX}`),
	},
	{ title: "GroupUsage", description: "In lists with `include=usage`." },
);
const groupSchema = object(
	{
		id: plain({ format: "uuid" }),
		tenant_id: plain({ format: "uuid" }),
		name: plain("Unique within the tenant, ignoring case."),
		description: plain(),
		managed_by: managedBy,
		created_at: time(),
		updated_at: time(),
		usage: optional(usageSchema),
	},
	{ title: "Group" },
);

const memberSchema = object(
	{
		user_id: plain({ format: "uuid" }),
		username: plain(),
		display_name: plain(),
		email: plain({ format: "email" }),
		status: choice(USER_STATUSES),
		added_at: time(),
		expires_at: nullable(time("When the membership ends; null for no end.")),
	},
	{ title: "GroupMember" },
);

const groupGrantSchema = object(
	{
		id: plain({ format: "uuid" }),
		app_id: plain({ format: "uuid" }),
		app_name: plain(),
		roles: list(plain(), { description: "Names of the application's roles, sorted." }),
		...grantTerms,
		created_at: time(),
		updated_at: time(),
	},
	{ title: "GroupGrant" },
);

const toWireGroup = toWire(groupSchema);
const toWireMember = toWire(memberSchema);
const toWireGrant = toWire(groupGrantSchema);
const toWireGroupGrant = (grant: GroupGrant) => toWireGrant({ ...grant, ...grantedAt(grant) });
const memberBody = object({ expires_at: endInput() });
const toMember = fromWire(memberBody);

const name = nameText({ max: GROUP_NAME_MAX });
const description = optional(multilineText({ min: 0, max: GROUP_DESCRIPTION_MAX }));
const ids = { id: "group.not_found" } as const;

export function groupsEndpoints(platform: Platform) {
	return { ...groupEndpoints(platform), ...memberEndpoints(platform) };
}

function groupEndpoints(platform: Platform) {
	const { groups, grants } = platform.db.stores;
	return {
		list: endpoint<Administrator>()({
			name: "listGroups",
			summary: "List groups",
			description: "`q` matches part of the name or the description, literally, ignoring case and accents.",
			query: { q: searchText(), include: oneOf(["usage"], "Adds `usage`.") },
			response: page(groupSchema, "Groups of the tenant, newest first."),
			async handle({ caller: { tenantId }, query: { include, ...query }, page }) {
				const found = await groups.list({ ...query, tenantId }, page);
				const ids = include === undefined ? [] : found.items.map(({ id }) => id);
				const usages = await groups.listUsage(tenantId, ids);
				return mapPage(found, (group) => {
					const usage = usages.get(group.id);
					return { ...toWireGroup(group), ...(usage && { usage }) };
				});
			},
		}),

		create: endpoint<Administrator>()({
			name: "createGroup",
			summary: "Create a group",
			body: object({ name, description }),
			response: data(201, groupSchema, "The new group."),
			errors: ["group.name_taken"],
			async handle({ caller, body }) {
				const fields = { name: body.name, description: body.description ?? "" };
				return toWireGroup(await createGroup(platform, fields, caller));
			},
		}),

		get: endpoint<Administrator>()({
			name: "getGroup",
			summary: "Get a group",
			ids,
			response: data(200, groupSchema, "The group."),
			handle: async ({ caller, ids: { id } }) => toWireGroup(await getGroup(groups, caller.tenantId, id)),
		}),

		update: endpoint<Administrator>()({
			name: "updateGroup",
			summary: "Change a group",
			description: "Absent fields keep their values.",
			ids,
			body: object({ name: optional(name), description }),
			response: data(200, groupSchema, "The changed group."),
			errors: ["group.name_taken"],
			handle: async ({ caller, ids: { id }, body: { name, description } }) =>
				toWireGroup(await updateGroup(platform, id, { name, description }, caller)),
		}),

		remove: endpoint<Administrator>()({
			name: "deleteGroup",
			summary: "Delete a group",
			description: "Its members remain users but lose the group's grants, from the next decision on.",
			ids,
			response: empty(204, "The group is deleted."),
			handle: ({ caller, ids: { id } }) => deleteGroup(platform, id, caller),
		}),

		listGrants: endpoint<Administrator>()({
			name: "listGroupGrants",
			summary: "List the grants of a group",
			description: "The applications that every member of the group may use, with the roles they hold there.",
			ids,
			query: { sort: grantOrder },
			response: page(groupGrantSchema, "Grants, newest first."),
			async handle({ caller: { tenantId }, ids: { id }, query: { sort }, page }) {
				await getGroup(groups, tenantId, id);
				return mapPage(await grants.listOfGroup(tenantId, id, page, sort), toWireGroupGrant);
			},
		}),
	};
}

function memberEndpoints(platform: Platform) {
	const { groups } = platform.db.stores;
	return {
		listMembers: endpoint<Administrator>()({
			name: "listGroupMembers",
			summary: "List the members of a group",
			ids,
			query: { sort: grantOrder },
			response: page(memberSchema, "Members, most recently added first."),
			async handle({ caller: { tenantId }, ids: { id }, query: { sort }, page }) {
				await getGroup(groups, tenantId, id);
				return mapPage(await groups.listMembers(tenantId, id, page, sort), toWireMember);
			},
		}),

		putMember: endpoint<Administrator>()({
			name: "putGroupMember",
			summary: "Add a user to a group",
			description:
				"The group's grants apply to the user from the next decision on, until `expires_at`. Idempotent. Without `expires_at`, a membership keeps its end; one that has ended counts as absent. Managers of the group add others than themselves.",
			ids: { id: "group.not_found", user_id: "user.not_found" },
			body: memberBody,
			response: putData(memberSchema, {
				replaced: "The membership.",
				created: "The user is in the group now.",
			}),
			errors: ["request.own"],
			async handle({ caller, ids, body }) {
				const { isNew, member } = await putMember(
					platform,
					membershipOf(ids),
					toMember(body).expiresAtMs,
					caller,
				);
				return { isNew, value: toWireMember(member) };
			},
		}),

		removeMember: endpoint<Administrator>()({
			name: "removeGroupMember",
			summary: "Remove a user from a group",
			description:
				"Applies to every access decision immediately. If the user loses access to an application, their sessions there end at the next refresh.",
			ids: { id: "group.not_found", user_id: "group_member.not_found" },
			response: empty(204, "The user is no longer in the group."),
			handle: ({ caller, ids }) => removeMember(platform, membershipOf(ids), caller),
		}),
	};
}

function membershipOf(ids: Readonly<Record<"id" | "user_id", string>>) {
	return { groupId: ids.id, userId: ids.user_id };
}
