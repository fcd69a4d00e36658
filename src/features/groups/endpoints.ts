// `/groups`: who belongs together, as administrators manage it.

import { data, empty, endpoint, page, searchText } from "../../http/endpoint.ts";
import { choice, type Infer, object, optional, plain, text, time } from "../../http/schema.ts";
import { isoTime } from "../../kernel/clock.ts";
import { adminContext } from "../applications/model.ts";
import type { SignedIn } from "../auth/model.ts";
import { USER_STATUSES } from "../users/model.ts";
import { addMember, type ChangeMembersDeps, removeMember } from "./change-members.ts";
import { type CreateGroupDeps, createGroup } from "./create-group.ts";
import { type DeleteGroupDeps, deleteGroup } from "./delete-group.ts";
import {
	GROUP_DESCRIPTION_MAX,
	GROUP_NAME_MAX,
	type Group,
	type GroupMember,
	groupNotFound,
} from "./model.ts";
import { type UpdateGroupDeps, updateGroup } from "./update-group.ts";

export type GroupsDeps = CreateGroupDeps & UpdateGroupDeps & DeleteGroupDeps & ChangeMembersDeps;

const groupSchema = object(
	{
		id: plain({ format: "uuid" }),
		tenant_id: plain({ format: "uuid" }),
		name: plain({ description: "Unique within the tenant without regard to case." }),
		description: plain(),
		created_at: time(),
		updated_at: time(),
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
	},
	{ title: "GroupMember" },
);

const name = text({ max: GROUP_NAME_MAX });
const description = optional(text({ min: 0, max: GROUP_DESCRIPTION_MAX }));
const ids = { id: "group.not_found" } as const;

export function groupsEndpoints(deps: GroupsDeps) {
	return { ...groupEndpoints(deps), ...memberEndpoints(deps) };
}

function groupEndpoints(deps: GroupsDeps) {
	const { groups } = deps.db.stores;
	return {
		list: endpoint<SignedIn>()({
			name: "listGroups",
			summary: "List groups",
			description:
				"`q` finds parts of name or description, taken literally and without regard to ASCII case.",
			query: { q: searchText() },
			answer: page(groupSchema, "Groups of the tenant, newest first."),
			async handle({ caller: { tenantId }, query, page: asked }) {
				const found = await groups.list({ ...query, tenantId }, asked);
				return { items: found.items.map(toWireGroup), total: found.total };
			},
		}),

		create: endpoint<SignedIn>()({
			name: "createGroup",
			summary: "Create a group",
			body: object({ name, description }),
			answer: data(201, groupSchema, "The new group."),
			errors: ["group.name_taken"],
			async handle({ caller, body, request }) {
				const wanted = { name: body.name, description: body.description ?? "" };
				return toWireGroup(await createGroup(deps, wanted, adminContext(caller, request)));
			},
		}),

		get: endpoint<SignedIn>()({
			name: "getGroup",
			summary: "Get a group",
			ids,
			answer: data(200, groupSchema, "The group."),
			async handle({ caller, ids: { id } }) {
				const group = await groups.findById(caller.tenantId, id as string);
				if (group === undefined) throw groupNotFound();
				return toWireGroup(group);
			},
		}),

		update: endpoint<SignedIn>()({
			name: "updateGroup",
			summary: "Change a group",
			description: "Fields that are absent stay.",
			ids,
			body: object({ name: optional(name), description }),
			answer: data(200, groupSchema, "The group as it is now."),
			errors: ["group.name_taken"],
			async handle({ caller, ids: { id }, body: { name, description }, request }) {
				const context = adminContext(caller, request);
				return toWireGroup(await updateGroup(deps, id as string, { name, description }, context));
			},
		}),

		remove: endpoint<SignedIn>()({
			name: "deleteGroup",
			summary: "Delete a group",
			description:
				"Its members stay users; what was granted to the group is theirs no longer, from the next decision on.",
			ids,
			answer: empty(204, "The group is gone."),
			handle: ({ caller, ids: { id }, request }) =>
				deleteGroup(deps, id as string, adminContext(caller, request)),
		}),
	};
}

function memberEndpoints(deps: GroupsDeps) {
	const { groups } = deps.db.stores;
	return {
		listMembers: endpoint<SignedIn>()({
			name: "listGroupMembers",
			summary: "List the members of a group",
			ids,
			answer: page(memberSchema, "Members, the latest first."),
			async handle({ caller: { tenantId }, ids: { id }, page: asked }) {
				const groupId = id as string;
				if ((await groups.findById(tenantId, groupId)) === undefined) throw groupNotFound();
				const found = await groups.listMembers(tenantId, groupId, asked);
				return { items: found.items.map(toWireMember), total: found.total };
			},
		}),

		addMember: endpoint<SignedIn>()({
			name: "addGroupMember",
			summary: "Put a user into a group",
			description:
				"What is granted to the group counts for the user from the next decision on. The same again changes nothing.",
			ids: { id: "group.not_found", user_id: "user.not_found" },
			answer: empty(204, "The user is in the group."),
			handle: ({ caller, ids, request }) => addMember(deps, membershipOf(ids), adminContext(caller, request)),
		}),

		removeMember: endpoint<SignedIn>()({
			name: "removeGroupMember",
			summary: "Take a user out of a group",
			description:
				"Counts at once in every access decision; a session signed in to an application that is lost by it ends at its next refresh.",
			ids: { id: "group.not_found", user_id: "group_member.not_found" },
			answer: empty(204, "The user is not in the group any more."),
			handle: ({ caller, ids, request }) =>
				removeMember(deps, membershipOf(ids), adminContext(caller, request)),
		}),
	};
}

function membershipOf(ids: Readonly<Record<string, string>>) {
	return { groupId: ids.id as string, userId: ids.user_id as string };
}

function toWireGroup(group: Group): Infer<typeof groupSchema> {
	return {
		id: group.id,
		tenant_id: group.tenantId,
		name: group.name,
		description: group.description,
		created_at: isoTime(group.createdAtMs),
		updated_at: isoTime(group.updatedAtMs),
	};
}

function toWireMember(member: GroupMember): Infer<typeof memberSchema> {
	return {
		user_id: member.userId,
		username: member.username,
		display_name: member.displayName,
		email: member.email,
		status: member.status,
		added_at: isoTime(member.addedAtMs),
	};
}
