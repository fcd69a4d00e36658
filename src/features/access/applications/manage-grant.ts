// Grants an application to a user, a group, an API client, or a program; changes and removes grants.

import { apiClientNotFound } from "../../../domain/api-client.ts";
import { type ApplicationRoleStore, roleIdsOf } from "../../../domain/application-role.ts";
import { type NamedTarget, named, userTarget } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { type Grant, type GrantSubject, grantDetails } from "../../../domain/grant.ts";
import { oauthClientNotFound } from "../../../domain/oauth-client.ts";
import type { Stores } from "../../../domain/stores.ts";
import { userNotFound } from "../../../domain/user.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { getGroup } from "../groups/manage-group.ts";
import { getApplication } from "./manage-application.ts";

type SubjectStore = "applications" | "users" | "groups" | "apiClients";

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
 * @throws AppError `application.not_found`, `user.not_found`, `group.not_found`, `api_client.not_found` (also for a
 * client of another application), `oauth_client.not_found`, `request.invalid` (`roles.<index>` is no role).
 */
export async function putGrant(
	{ db, clock }: Needs<"applicationRoles" | "oauthClients" | "grants" | "audit" | SubjectStore, "clock">,
	{ appId, subject }: GrantPlace,
	roles: readonly string[],
	caller: Caller,
): Promise<Grant> {
	const now = clock();
	const { tenantId } = caller;
	return db.transaction(async (stores) => {
		const { applications, applicationRoles, grants, audit } = stores;
		const { name: appName } = await getApplication(applications, tenantId, appId);
		if (subject.kind === "program")
			found(await stores.oauthClients.find(tenantId, subject.id), oauthClientNotFound);
		const target = await findSubject(stores, tenantId, appId, subject);
		const defined = roles.length === 0 ? [] : await applicationRoles.listAll(tenantId, appId);
		const roleIds = roleIdsOf(roles, defined);
		const times = { createdAtMs: now, updatedAtMs: now };
		const put = await grants.put({ id: newId(now), tenantId, appId, subject, roleIds, ...times });
		const grant = await grants.find(tenantId, appId, subject);
		if (grant === undefined) throw new Error("a grant vanished inside its own transaction");
		if (put.outcome === "unchanged") return grant;
		const details = grantDetails(grant, appName);
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
	{ db }: Needs<"grants" | "audit" | SubjectStore>,
	{ appId, subject }: GrantPlace,
	caller: Caller,
): Promise<void> {
	await db.transaction(async (stores) => {
		const { applications, grants, audit } = stores;
		const removed = await grants.remove(caller.tenantId, appId, subject);
		if (removed === undefined)
			throw new AppError(
				"grant.not_found",
				`this ${subject.kind.replace("_", " ")} has no grant to this application`,
			);
		const target = await findSubject(stores, caller.tenantId, appId, subject);
		const { name: appName } = await getApplication(applications, caller.tenantId, appId);
		const details = { app_id: appId, app_name: appName, grant_id: removed.id };
		await audit.append(caller, "grant.removed", target, details);
	});
}

/** As audit events name it. @throws AppError `user.not_found`, `group.not_found`, `api_client.not_found`. */
async function findSubject(
	{ users, groups, apiClients, applications }: Stores<SubjectStore>,
	tenantId: string,
	appId: string,
	{ kind, id }: GrantSubject,
): Promise<NamedTarget> {
	switch (kind) {
		case "user":
			return userTarget(found(await users.findById(tenantId, id), userNotFound));
		case "group":
			return named(kind, id, (await getGroup(groups, tenantId, id)).name);
		case "api_client": {
			const client = found(await apiClients.findById(tenantId, id), apiClientNotFound);
			if (client.appId !== appId) throw apiClientNotFound();
			return named(kind, id, client.name);
		}
		case "program":
			return named("oauth_client", id, (await getApplication(applications, tenantId, id)).name);
	}
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
