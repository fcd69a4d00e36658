// Grants an application to a user, a group, an API client, or a program; changes and removes grants.

import { apiClientNotFound } from "../../../domain/api-client.ts";
import { type NamedTarget, named, userTarget } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { giveGrant, grantDetails } from "../../../domain/give-grant.ts";
import type { GrantSubject } from "../../../domain/grant.ts";
import { oauthClientNotFound } from "../../../domain/oauth-client.ts";
import type { Stores } from "../../../domain/stores.ts";
import { getUser, userNotFound } from "../../../domain/user.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { getGroup } from "../groups/manage-group.ts";
import { getApplication } from "./manage-application.ts";

type SubjectStore = "applications" | "users" | "groups" | "apiClients";

/** What an administrator sets. Without an end or a reason, an existing grant keeps its own. */
interface GrantWish {
	readonly roles?: readonly string[] | undefined;
	readonly expiresAtMs?: number | null | undefined;
	readonly reason?: string | undefined;
}

export interface GrantPlace {
	readonly appId: string;
	readonly subject: GrantSubject;
}

/**
 * Idempotent: writes nothing if nothing changes. See `giveGrant`.
 *
 * @throws AppError `application.not_found`, `user.not_found`, `group.not_found`, `api_client.not_found` (also for a
 * client of another application), `oauth_client.not_found`, `request.invalid` (`roles.<index>`, `expires_at`).
 */
export async function putGrant(
	{ db, clock }: Needs<"applicationRoles" | "oauthClients" | "grants" | "audit" | SubjectStore, "clock">,
	{ appId, subject }: GrantPlace,
	{ roles, ...terms }: GrantWish,
	caller: Caller,
): ReturnType<typeof giveGrant> {
	const now = clock();
	const { tenantId } = caller;
	return db.transaction(async (stores) => {
		const application = await getApplication(stores.applications, tenantId, appId);
		if (subject.kind === "program")
			found(await stores.oauthClients.find(tenantId, subject.id), oauthClientNotFound);
		const target = await findSubject(stores, tenantId, appId, subject);
		const wanted = { application, subject, target, roles: roles ?? [], terms };
		return giveGrant(stores, wanted, caller, now);
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
		await audit.append(caller, "grant.removed", target, grantDetails(removed, appName));
	});
}

/**
 * A user gives back access of their own.
 *
 * @throws AppError `grant.not_found`, `grant.of_group`.
 */
export async function giveBackGrant(
	{ db }: Needs<"applications" | "grants" | "audit" | "users">,
	userId: string,
	id: string,
	caller: Caller,
): Promise<void> {
	const { tenantId } = caller;
	await db.transaction(async ({ applications, grants, users, audit }) => {
		const removed = await grants.removeOwn(tenantId, userId, id);
		if (removed === undefined) throw new AppError("grant.not_found", "you have no such grant");
		if (removed === "of_group")
			throw new AppError("grant.of_group", "a group holds this grant: ask an administrator to remove you");
		const { name: appName } = await getApplication(applications, tenantId, removed.appId);
		const target = userTarget(await getUser(users, tenantId, userId));
		await audit.append(caller, "grant.removed", target, grantDetails(removed, appName));
	});
}

/** As audit events name it. @throws AppError `user.not_found`, `group.not_found`, `api_client.not_found`. */
export async function findSubject(
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
