// Gives a subject access to an application, within the transaction of a use case of any wing.

import { isoTime, isoTimeOrNull } from "../kernel/clock.ts";
import { newId } from "../kernel/id.ts";
import { roleIdsOf } from "./application-role.ts";
import type { AuditDetails, NamedTarget } from "./audit.ts";
import type { Caller } from "./caller.ts";
import { checkEnd, type EndedGrant, type Grant, type GrantSubject, type Terms } from "./grant.ts";
import type { Stores } from "./stores.ts";

/**
 * The details of the event of a new, changed, or removed grant. They contain role ids and the end: past decisions are reconstructed
 * from these events, and names may change.
 */
export function grantDetails(grant: Grant, appName: string): AuditDetails {
	const { id, appId, roles, roleIds, expiresAtMs, reason, requestId } = grant;
	return {
		app_id: appId,
		app_name: appName,
		grant_id: id,
		roles,
		role_ids: roleIds,
		expires_at: isoTimeOrNull(expiresAtMs),
		...(reason !== "" && { reason }),
		...(requestId !== null && { request_id: requestId }),
	};
}

/** The details of `grant.expired`. */
export function endedDetails({ id, appId, expiresAtMs }: EndedGrant, appName: string): AuditDetails {
	return { app_id: appId, app_name: appName, grant_id: id, expires_at: isoTime(expiresAtMs) };
}

/** Who gets what. What `terms` leaves out stays as it is. */
export interface GrantToGive {
	readonly application: { readonly id: string; readonly name: string };
	readonly subject: GrantSubject;
	/** The subject as audit events name it. */
	readonly target: NamedTarget;
	/** Names or ids of the application's roles; a role named twice counts once. */
	readonly roles: readonly string[];
	readonly terms?: Terms;
}

/**
 * Call inside a transaction, after checking that application and subject belong to the tenant. Creates the grant, or changes
 * the one that the subject has; a grant that is over counts as absent. Writes nothing if nothing changes, and otherwise the
 * audit event. Of concurrent calls the roles of the last one remain.
 *
 * @throws AppError `request.invalid` (`roles.<index>` is no role, `expires_at`).
 */
export async function giveGrant(
	{ applicationRoles, grants, audit }: Stores<"applicationRoles" | "grants" | "audit">,
	{ application, subject, target, roles, terms = {} }: GrantToGive,
	caller: Caller,
	nowMs: number,
): Promise<{ readonly grant: Grant; readonly isNew: boolean }> {
	const { tenantId } = caller;
	if (terms.expiresAtMs !== undefined) checkEnd(terms.expiresAtMs, await grants.now(tenantId));
	const defined = roles.length === 0 ? [] : await applicationRoles.listAll(tenantId, application.id);
	const put = await grants.put({
		...terms,
		id: newId(nowMs),
		tenantId,
		appId: application.id,
		subject,
		roleIds: roleIdsOf(roles, defined),
		grantedBy: caller.userId,
		createdAtMs: nowMs,
		updatedAtMs: nowMs,
	});
	const grant = await grants.find(tenantId, application.id, subject);
	if (grant === undefined) throw new Error("a grant vanished inside its own transaction");
	const { outcome, previous, replaced } = put;
	if (replaced !== undefined)
		await audit.append(caller, "grant.expired", target, endedDetails(replaced, application.name));
	if (outcome === "unchanged") return { grant, isNew: false };
	const details = grantDetails(grant, application.name);
	if (outcome === "created") {
		await audit.append(caller, "grant.created", target, details);
		return { grant, isNew: true };
	}
	const all = previous.roleIds.length === 0 ? [] : await applicationRoles.listAll(tenantId, application.id);
	const names = all.filter(({ id }) => previous.roleIds.includes(id)).map(({ name }) => name);
	await audit.append(caller, "grant.updated", target, details, {
		...(previous.hasOtherRoles && { roles: { from: names, to: grant.roles } }),
		...(previous.expiresAtMs !== grant.expiresAtMs && {
			expires_at: { from: isoTimeOrNull(previous.expiresAtMs), to: isoTimeOrNull(grant.expiresAtMs) },
		}),
		...(previous.reason !== grant.reason && { reason: { from: previous.reason, to: grant.reason } }),
	});
	return { grant, isNew: false };
}
