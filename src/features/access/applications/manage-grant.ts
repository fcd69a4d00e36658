// Grants an application to a user or a group, changes the granted roles, and removes grants.

import type { ApplicationRole, ApplicationRoleStore } from "../../../domain/application-role.ts";
import { type NamedTarget, named, userTarget } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import type { Grant, GrantSubject } from "../../../domain/grant.ts";
import type { Stores } from "../../../domain/stores.ts";
import { userNotFound } from "../../../domain/user.ts";
import { AppError, found, type InvalidEntry, invalidEntries } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import { newId, parseId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { getGroup } from "../groups/manage-group.ts";
import { getApplication } from "./manage-application.ts";

interface GrantPlace {
	readonly appId: string;
	readonly subject: GrantSubject;
}

const ACTIONS = { created: "grant.created", changed: "grant.updated" } as const;

/**
 * Idempotent: writes nothing if the roles are the same. One grant per subject and application; of concurrent calls
 * the last one's roles remain.
 *
 * @param roles names or ids of the application's roles; a role named twice counts once
 * @throws AppError `application.not_found`, `user.not_found`, `group.not_found`, `request.invalid` (`roles.<index>` is
 * no role).
 */
export async function putGrant(
	{
		db,
		clock,
	}: Needs<"applications" | "applicationRoles" | "users" | "groups" | "grants" | "audit", "clock">,
	{ appId, subject }: GrantPlace,
	roles: readonly string[],
	caller: Caller,
): Promise<Grant> {
	const now = clock();
	const { tenantId } = caller;
	return db.transaction(async (stores) => {
		const { applications, applicationRoles, grants, audit } = stores;
		const { name: appName } = await getApplication(applications, tenantId, appId);
		const target = await findSubject(stores, tenantId, subject);
		const defined = roles.length === 0 ? [] : await applicationRoles.listAll(tenantId, appId);
		const roleIds = parseRoles(roles, defined);
		const times = { createdAtMs: now, updatedAtMs: now };
		const put = await grants.put({ id: newId(now), tenantId, appId, subject, roleIds, ...times });
		const grant = await grants.find(tenantId, appId, subject);
		if (grant === undefined) throw new Error("a grant vanished inside its own transaction");
		if (put.outcome === "unchanged") return grant;
		// Include role ids: past decisions are reconstructed from these events, and names may change.
		const granted = { grant_id: grant.id, roles: grant.roles, role_ids: grant.roleIds };
		const details = { app_id: appId, app_name: appName, ...granted };
		const changes =
			put.outcome === "created"
				? {}
				: { roles: { from: await namesOf(applicationRoles, grant, put.previousRoleIds), to: grant.roles } };
		await audit.append(caller, ACTIONS[put.outcome], target, details, changes);
		return grant;
	});
}

/** @throws AppError `grant.not_found`, also for a foreign application, user or group. */
export async function removeGrant(
	{ db }: Needs<"applications" | "users" | "groups" | "grants" | "audit">,
	{ appId, subject }: GrantPlace,
	caller: Caller,
): Promise<void> {
	await db.transaction(async (stores) => {
		const { applications, grants, audit } = stores;
		const removed = await grants.remove(caller.tenantId, appId, subject);
		if (removed === undefined)
			throw new AppError("grant.not_found", `this ${subject.kind} has no grant to this application`);
		const target = await findSubject(stores, caller.tenantId, subject);
		const { name: appName } = await getApplication(applications, caller.tenantId, appId);
		const details = { app_id: appId, app_name: appName, grant_id: removed.id };
		await audit.append(caller, "grant.removed", target, details);
	});
}

/** As audit events name it. @throws AppError `user.not_found`, `group.not_found`. */
async function findSubject(
	{ users, groups }: Stores<"users" | "groups">,
	tenantId: string,
	{ kind, id }: GrantSubject,
): Promise<NamedTarget> {
	if (kind === "group") return named(kind, id, (await getGroup(groups, tenantId, id)).name);
	return userTarget(found(await users.findById(tenantId, id), userNotFound));
}

async function namesOf(
	applicationRoles: ApplicationRoleStore,
	{ tenantId, appId }: Grant,
	roleIds: readonly string[],
): Promise<string[]> {
	if (roleIds.length === 0) return [];
	const defined = await applicationRoles.listAll(tenantId, appId);
	return defined.filter(({ id }) => roleIds.includes(id)).map(({ name }) => name);
}

/** The ids of the named roles, each once. */
function parseRoles(roles: readonly string[], defined: readonly ApplicationRole[]): string[] {
	const idOf = new Map(defined.flatMap(({ id, name }) => [id, name].map((key) => [key, id] as const)));
	const ids = new Set<string>();
	const problems: InvalidEntry[] = [];
	for (const [index, role] of roles.entries()) {
		const id = idOf.get(parseId(role) ?? role);
		if (id === undefined) problems.push({ index, problem: problem("not_a_role") });
		else ids.add(id);
	}
	if (problems.length > 0) throw invalidEntries("roles", problems);
	return [...ids];
}
