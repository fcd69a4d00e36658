// A directory creates, changes, and removes groups, and their members among its people.

import { named, userTarget } from "../../../domain/audit.ts";
import {
	type DirectoryGroup,
	type DirectoryGroupChanges,
	MEMBERS_MAX,
	type PresentedDirectory,
	resourceNotFound,
	type ScimAttributes,
} from "../../../domain/directory.ts";
import { GROUP_NAME_MAX } from "../../../domain/group.ts";
import { meetsFilter, type ScimFilter } from "../../../domain/scim-filter.ts";
import type { Stores } from "../../../domain/stores.ts";
import { changeDetails, differences, fieldChanges } from "../../../kernel/changes.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId, parseId } from "../../../kernel/id.ts";
import { isMembers } from "../../../kernel/shape.ts";
import { shownTextProblem } from "../../../kernel/shown-text.ts";
import type { Needs } from "../../platform.ts";
import type { DirectoryCaller } from "./directory-caller.ts";
import { applyOperations, invalidValue, type PatchOperation } from "./scim-patch.ts";
import { settled } from "./scim-person.ts";

type GroupStores = Stores<"directories" | "directoryPeople" | "groups" | "audit">;
type Needed = Needs<"directories" | "directoryPeople" | "groups" | "audit", "clock">;

const EXTERNAL_ID_MAX = 255;

interface GroupFields {
	readonly displayName: string;
	readonly externalId: string;
}

/** @throws AppError `scim.invalid_value` (unknown members), `scim.uniqueness`. */
export async function createGroup(
	{ db, clock }: Needed,
	resource: ScimAttributes,
	caller: DirectoryCaller,
): Promise<DirectoryGroup> {
	const given = settled(resource);
	const members = idsIn(given.members);
	const nowMs = clock();
	const { tenantId, directory } = caller;
	return await db.transaction(async (stores) => {
		await hold(stores, caller);
		const { name, ...fields } = readFields(given, directory);
		const id = newId(nowMs);
		const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
		if (!(await stores.groups.insert({ id, tenantId, name, description: "", managedBy: null, ...times })))
			throw taken(name);
		const group = { ...fields, groupId: id, tenantId, issuerId: directory.issuerId, ...times };
		await stores.directoryPeople.insertGroup(group);
		await stores.audit.append(caller, "group.created", named("group", id, name), { name });
		await addMembers({ stores, id, name, nowMs, caller }, members);
		return group;
	});
}

/** @throws AppError `scim.not_found`, `scim.invalid_value`, `scim.uniqueness`. */
export function replaceGroup(
	needs: Needed,
	id: string,
	resource: ScimAttributes,
	caller: DirectoryCaller,
): Promise<DirectoryGroup> {
	const given = settled(resource);
	const members: PatchOperation = {
		op: "replace",
		path: ["members"],
		filter: undefined,
		tail: undefined,
		value: given.members ?? [],
	};
	return change(needs, id, () => given, [members], caller);
}

/**
 * Members are changed without reading all of them, except where a filter selects them without naming them.
 *
 * @throws AppError `scim.not_found`, `scim.invalid_value`, `scim.uniqueness`, `scim.no_target`.
 */
export function patchGroup(
	needs: Needed,
	id: string,
	operations: readonly PatchOperation[],
	caller: DirectoryCaller,
): Promise<DirectoryGroup> {
	const isOfMembers = ({ path: [name = ""] }: PatchOperation): boolean => name.toLowerCase() === "members";
	const others = operations.filter((operation) => !isOfMembers(operation));
	const members = operations.filter(isOfMembers);
	return change(needs, id, (before) => settled(applyOperations(before, others)), members, caller);
}

/** Deletes its memberships and grants, too. @throws AppError `scim.not_found`. */
export async function removeGroup({ db }: Needed, id: string, caller: DirectoryCaller): Promise<void> {
	const { tenantId } = caller;
	await db.transaction(async (stores) => {
		await hold(stores, caller);
		await getGroup(stores, id, caller);
		const { name } = found(await stores.groups.findById(tenantId, id), () => resourceNotFound(id));
		const removed = found(await stores.groups.remove(tenantId, id), () => resourceNotFound(id));
		await stores.audit.append(caller, "group.deleted", named("group", id, name), { name, ...removed });
	});
}

async function change(
	{ db, clock }: Needed,
	id: string,
	fieldsAfter: (before: ScimAttributes) => ScimAttributes,
	members: readonly PatchOperation[],
	caller: DirectoryCaller,
): Promise<DirectoryGroup> {
	const { tenantId, directory } = caller;
	const nowMs = clock();
	return await db.transaction(async (stores) => {
		await hold(stores, caller);
		const before = await getGroup(stores, id, caller);
		const { displayName, externalId } = before;
		const { name, ...fields } = readFields(fieldsAfter({ displayName, externalId }), directory);
		const group = found(await stores.groups.findById(tenantId, id), () => resourceNotFound(id));
		const changes = differences<DirectoryGroupChanges>(before, fields);
		if (changes.displayName !== undefined && group.name !== name) {
			const outcome = await stores.groups.update(tenantId, id, { name }, nowMs);
			if (outcome === "name_taken") throw taken(name);
			const target = named("group", id, group.name);
			const details = changeDetails({ name }, ["name"]);
			await stores.audit.append(caller, "group.updated", target, details, fieldChanges(group, { name }));
		}
		let hasChanged = Object.keys(changes).length > 0;
		for (const operation of members)
			if (await changeMembers({ stores, id, name, nowMs, caller }, operation)) hasChanged = true;
		if (!hasChanged) return before;
		await stores.directoryPeople.updateGroup(tenantId, id, changes, nowMs);
		return { ...before, ...changes, updatedAtMs: nowMs };
	});
}

/** A group whose members change, inside the transaction of the request. */
interface ChangedGroup {
	readonly stores: GroupStores;
	readonly id: string;
	readonly name: string;
	readonly nowMs: number;
	readonly caller: DirectoryCaller;
}

/** @returns whether it changed anything. */
async function changeMembers(group: ChangedGroup, { op, filter, value }: PatchOperation): Promise<boolean> {
	const { tenantId, directory } = group.caller;
	const present = () => group.stores.directoryPeople.listMembers(tenantId, directory.issuerId, group.id);
	if (filter !== undefined && op !== "remove")
		throw invalidValue("members: only remove takes a filter; send the whole list, or add and remove members");
	if (op === "remove") {
		const named = filter === undefined ? value : namedIn(filter);
		const given = named === undefined ? undefined : idsIn(named);
		const removed =
			given === undefined
				? (await present()).filter((id) => filter === undefined || meetsFilter(filter, { value: id }))
				: given;
		return await removeMembers(group, removed);
	}
	const wanted = idsIn(value);
	const isAdded = await addMembers(group, wanted);
	if (op === "add") return isAdded;
	const kept = new Set(wanted);
	const excess = (await present()).filter((id) => !kept.has(id));
	return (await removeMembers(group, excess)) || isAdded;
}

async function addMembers(
	{ stores, id: groupId, name, nowMs, caller }: ChangedGroup,
	userIds: readonly string[],
): Promise<boolean> {
	if (userIds.length === 0) return false;
	const { tenantId, directory } = caller;
	const { directoryPeople, audit } = stores;
	const people = await directoryPeople.findUsers(tenantId, directory.issuerId, userIds);
	const known = new Map(people.map((user) => [user.id, user]));
	const unknown = userIds.find((id) => !known.has(id));
	if (unknown !== undefined) throw invalidValue(`members: the directory has no user ${unknown.slice(0, 64)}`);
	const outcome = await directoryPeople.addMembers(tenantId, groupId, userIds, nowMs);
	for (const { userId, expiresAtMs } of outcome.ended) {
		const user = known.get(userId);
		const past = { group_id: groupId, group_name: name, expires_at: isoTime(expiresAtMs) };
		if (user !== undefined) await audit.append(caller, "group.member_expired", userTarget(user), past);
	}
	const added = new Set(outcome.added);
	const details = { group_id: groupId, group_name: name, expires_at: null };
	for (const user of known.values())
		if (added.has(user.id)) await audit.append(caller, "group_member.added", userTarget(user), details);
	return added.size > 0;
}

async function removeMembers(
	{ stores, id: groupId, name, caller }: ChangedGroup,
	userIds: readonly string[],
): Promise<boolean> {
	if (userIds.length === 0) return false;
	const { tenantId, directory } = caller;
	const { directoryPeople, audit } = stores;
	// Members whom an administrator added are out of its reach.
	const people = await directoryPeople.findUsers(tenantId, directory.issuerId, userIds);
	const ids = people.map(({ id }) => id);
	const removed = new Set(await directoryPeople.removeMembers(tenantId, groupId, ids));
	const details = { group_id: groupId, group_name: name };
	for (const user of people)
		if (removed.has(user.id)) await audit.append(caller, "group_member.removed", userTarget(user), details);
	return removed.size > 0;
}

/** Locks the directory: its changes run one after the other. */
async function hold({ directories }: GroupStores, { tenantId, directory }: DirectoryCaller): Promise<void> {
	const { issuerId } = directory;
	found(await directories.findForUpdate(tenantId, issuerId), () => resourceNotFound(issuerId));
}

async function getGroup(
	{ directoryPeople }: GroupStores,
	id: string,
	{ tenantId, directory }: DirectoryCaller,
): Promise<DirectoryGroup> {
	return found(await directoryPeople.findGroup(tenantId, directory.issuerId, id), () => resourceNotFound(id));
}

function readFields({ displayName, externalId = "" }: ScimAttributes, { groupPrefix }: PresentedDirectory) {
	const shown = typeof displayName === "string" ? displayName.trim() : "";
	const name = `${groupPrefix}${shown}`;
	if (shown === "" || [...name].length > GROUP_NAME_MAX || shownTextProblem(shown, "name") !== undefined)
		throw invalidValue(
			`displayName must be a name of 1 to ${GROUP_NAME_MAX - [...groupPrefix].length} characters without control characters`,
		);
	if (typeof externalId !== "string" || externalId.length > EXTERNAL_ID_MAX)
		throw invalidValue(`externalId must be a text of at most ${EXTERNAL_ID_MAX} characters`);
	const fields: GroupFields = { displayName: shown, externalId };
	return { ...fields, displayNameKey: shown.toLowerCase(), name };
}

/** The ids that `value eq "…"` names, joined by `or` or alone; undefined for every other filter. No other value is a member. */
function namedIn(filter: ScimFilter): string[] | undefined {
	if (filter.op === "eq") {
		if (filter.path.join(".") !== "value") return undefined;
		return [filter.value].flatMap((value) => (typeof value === "string" ? (parseId(value) ?? []) : []));
	}
	if (filter.op !== "or") return undefined;
	const [left, right] = [namedIn(filter.left), namedIn(filter.right)];
	return left && right && [...left, ...right];
}

/** Ids of members, each once. @throws AppError `scim.invalid_value`. */
function idsIn(members: unknown): string[] {
	const given = members === undefined || members === null ? [] : [members].flat();
	if (given.length > MEMBERS_MAX) throw invalidValue(`members must be at most ${MEMBERS_MAX}`);
	const ids = given.map((member) => (isMembers(member) ? member.value : member));
	if (!ids.every((id) => typeof id === "string"))
		throw invalidValue("members must be objects whose value is an id");
	return [...new Set(ids.map((id) => id.toLowerCase()))];
}

function taken(name: string): AppError {
	return new AppError("scim.uniqueness", `there is already a group named ${name}`);
}
