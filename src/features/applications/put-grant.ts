// Grants a user or a group an application with these roles, or changes the roles of the grant that stands.

import type { Clock } from "../../kernel/clock.ts";
import { invalidEntries } from "../../kernel/error.ts";
import { newId, parseId } from "../../kernel/id.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import { type GroupStore, groupNotFound } from "../groups/model.ts";
import { type UserStore, userNotFound } from "../users/model.ts";
import {
	type AdminContext,
	type ApplicationRole,
	type ApplicationRoleStore,
	type ApplicationStore,
	applicationNotFound,
	type Grant,
	type GrantStore,
	type GrantSubject,
} from "./model.ts";

interface PutGrantStores {
	readonly applications: ApplicationStore;
	readonly applicationRoles: ApplicationRoleStore;
	readonly users: UserStore;
	readonly groups: GroupStore;
	readonly grants: GrantStore;
	readonly audit: AuditLog;
}

export interface PutGrantDeps {
	readonly db: Persistence<PutGrantStores>;
	readonly clock: Clock;
}

/**
 * Idempotent: the same roles again change and write nothing. One grant a subject and application however many ask at
 * once; the last one's roles stand.
 *
 * @param roles names or ids of the application's roles, in any mixture; one role named twice counts once
 * @throws AppError `application.not_found`, `user.not_found`, `group.not_found`, `request.invalid` (`roles.<index>` is no role).
 */
export async function putGrant(
	{ db, clock }: PutGrantDeps,
	{ appId, subject }: { readonly appId: string; readonly subject: GrantSubject },
	roles: readonly string[],
	{ tenantId, actor, origin }: AdminContext,
): Promise<Grant> {
	const now = clock();
	return db.transaction(async (stores) => {
		if ((await stores.applications.findById(tenantId, appId)) === undefined) throw applicationNotFound();
		await checkSubject(stores, tenantId, subject);
		const defined = roles.length === 0 ? [] : await stores.applicationRoles.listAll(tenantId, appId);
		const roleIds = roleIdsOf(roles, defined);
		const wanted = { id: newId(now), tenantId, appId, subject, createdAtMs: now, updatedAtMs: now };
		const outcome = await stores.grants.put({ ...wanted, roleIds });
		const grant = await stores.grants.find(tenantId, appId, subject);
		if (grant === undefined) throw new Error("a grant vanished inside its own transaction");
		if (outcome === "unchanged") return grant;
		await stores.audit.append({
			tenantId,
			actor,
			action: `grant.${outcome}`,
			target: `${subject.kind}:${subject.id}`,
			origin,
			// The ids too: names may change, and past decisions are worked out from these entries.
			details: { app_id: appId, grant_id: grant.id, roles: grant.roles, role_ids: grant.roleIds },
		});
		return grant;
	});
}

async function checkSubject(
	{ users, groups }: PutGrantStores,
	tenantId: string,
	{ kind, id }: GrantSubject,
): Promise<void> {
	if (kind === "user") {
		if ((await users.findById(tenantId, id)) === undefined) throw userNotFound();
	} else if ((await groups.findById(tenantId, id)) === undefined) throw groupNotFound();
}

function roleIdsOf(wanted: readonly string[], defined: readonly ApplicationRole[]): string[] {
	const known = new Map(
		defined.flatMap(({ id, name }) => [
			[id, id],
			[name, id],
		]),
	);
	const ids = new Set<string>();
	const problems: { index: number; message: string }[] = [];
	for (const [index, role] of wanted.entries()) {
		const id = known.get(parseId(role) ?? role);
		if (id === undefined) problems.push({ index, message: "is no role of this application" });
		else ids.add(id);
	}
	if (problems.length > 0) throw invalidEntries("roles", problems);
	return [...ids];
}
