// Reconstructs the access facts of a past moment from the audit trail.

import { type AccessFacts, type FactGrant, type FactRole, factsAt } from "../../../domain/access.ts";
import type { AccessAction, AccessEvent, AccessHistoryStore } from "../../../domain/access-history.ts";
import { USER_STATUSES, type UserStatus } from "../../../domain/user.ts";

interface PastFacts {
	readonly facts: AccessFacts;
	/** What the trail does not record, one sentence each; empty if it is complete. */
	readonly gaps: readonly string[];
}

/** A grant as its events record it: roles by id. */
interface HeldGrant {
	readonly id: string;
	readonly roleIds: readonly string[];
	readonly expiresAtMs: number | null;
}

type Details = AccessEvent["details"];
type Application = NonNullable<AccessFacts["application"]>;

/** `today`: whether user and application exist now; if so, the trail must record their creation. */
interface PastQuery {
	readonly userId: string;
	readonly appId: string;
	readonly today: Pick<AccessFacts, "user" | "application">;
}

/**
 * The facts after all events at or before `atMs`. Reads the trail at most three times (the user and the application,
 * the user's groups, the roles of the grants). What the trail does not record counts as absent and is listed in `gaps`.
 */
export async function loadPastFacts(
	history: AccessHistoryStore,
	tenantId: string,
	{ userId, appId, today }: PastQuery,
	atMs: number,
): Promise<PastFacts> {
	const read = reader(history, tenantId, atMs);
	const gaps: string[] = [];
	const cutAtMs = await history.findCutAtMs(tenantId);
	if (cutAtMs !== undefined)
		gaps.push(`events before ${new Date(cutAtMs).toISOString()} were removed from the trail`);
	const [userEvents, appEvents] = await read("user", [userId], "application", [appId]);
	const user = userOf(userEvents.past(userId));
	const application = applicationOf(appEvents.past(appId));
	if (user === undefined && lacksCreation(userEvents.all(userId), today.user !== undefined))
		gaps.push(`the trail does not record the creation of user:${userId}`);
	if (application === undefined && lacksCreation(appEvents.all(appId), today.application !== undefined))
		gaps.push(`the trail does not record the creation of application:${appId}`);
	if (user === undefined || application === undefined)
		return { facts: { user, application, grants: [] }, gaps };
	const grants = await loadGrants(read, userEvents.past(userId), appId);
	return { facts: factsAt({ user, application, grants }, atMs), gaps };
}

/** The events about targets of one noun: all of them, or those up to the moment in question. */
interface TargetEvents {
	all(id: string): readonly AccessEvent[];
	past(id: string): readonly AccessEvent[];
}

type Read = ReturnType<typeof reader>;

/** Reads the events of two nouns in one query. */
function reader(history: AccessHistoryStore, tenantId: string, atMs: number) {
	return async (
		noun: string,
		ids: readonly string[],
		other = "",
		otherIds: readonly string[] = [],
	): Promise<readonly [TargetEvents, TargetEvents]> => {
		const targets = [...ids.map((id) => `${noun}:${id}`), ...otherIds.map((id) => `${other}:${id}`)];
		const events = targets.length === 0 ? [] : await history.listAbout(tenantId, targets);
		const all = Map.groupBy(events, ({ target }) => target);
		const eventsOf = (noun: string): TargetEvents => ({
			all: (id) => all.get(`${noun}:${id}`) ?? [],
			past: (id) => (all.get(`${noun}:${id}`) ?? []).filter((event) => event.atMs <= atMs),
		});
		return [eventsOf(noun), eventsOf(other)];
	};
}

async function loadGrants(
	read: Read,
	userEvents: readonly AccessEvent[],
	appId: string,
): Promise<FactGrant[]> {
	const memberships = membershipsOf(userEvents);
	const [groupEvents] = await read("group", [...memberships.keys()]);
	const own = grantOf(userEvents, appId);
	const held = own === undefined ? [] : [{ ...own, group: undefined }];
	const byGroups = [...memberships].flatMap(([id, endMs]) => {
		const name = groupNameOf(groupEvents.past(id));
		const grant = grantOf(groupEvents.past(id), appId);
		if (name === undefined || grant === undefined) return [];
		return [{ ...grant, group: { id, name }, expiresAtMs: earlier(endMs, grant.expiresAtMs) }];
	});
	const grants = [...held, ...byGroups];
	const [roleEvents] = await read("application_role", [...new Set(grants.flatMap(({ roleIds }) => roleIds))]);
	return grants.map(({ id, group, roleIds, expiresAtMs }) => ({
		id,
		group,
		expiresAtMs,
		roles: roleIds.flatMap((roleId) => roleOf(roleId, roleEvents.past(roleId))),
	}));
}

/** Whether the target existed without its creation in the trail, for example after an import. */
function lacksCreation(events: readonly AccessEvent[], isThereToday: boolean): boolean {
	const own = events.filter(({ action }) => /^(user|application|service)\./.test(action));
	return (own.length > 0 || isThereToday) && !own.some(({ action }) => CREATIONS.has(action));
}

const CREATIONS: ReadonlySet<AccessAction> = new Set<AccessAction>([
	"service.first_started",
	"user.created",
	"user.registered",
	"application.created",
]);

/** Events that may contain a new status. */
const CHANGES: ReadonlySet<AccessAction> = new Set<AccessAction>(["user.updated", "user.invite_accepted"]);

function userOf(events: readonly AccessEvent[]): AccessFacts["user"] {
	let user: AccessFacts["user"];
	for (const { action, details } of events) {
		const status = userStatusOf(details);
		if (CREATIONS.has(action)) user = { status: status ?? "active" };
		else if (CHANGES.has(action) && status !== undefined) user = { status };
		else if (action === "user.deleted") user = undefined;
	}
	return user;
}

/** A new application is active and `assigned` unless its event says otherwise. */
function applicationOf(events: readonly AccessEvent[]): Application | undefined {
	let application: Application | undefined;
	for (const { action, details } of events) {
		if (action === "application.deleted") application = undefined;
		else if (action === "application.created") application = applyDetails(NEW_APPLICATION, details);
		else if (action === "application.updated" && application !== undefined)
			application = applyDetails(application, details);
	}
	return application;
}

const NEW_APPLICATION: Application = { status: "active", accessPolicy: "assigned" };

function applyDetails(application: Application, details: Details): Application {
	const { access_policy: policy } = details;
	const isKnown = policy === "open" || policy === "assigned";
	return {
		status: statusOf(details) ?? application.status,
		accessPolicy: isKnown ? policy : application.accessPolicy,
	};
}

function userStatusOf({ status }: Details): UserStatus | undefined {
	return USER_STATUSES.find((known) => known === status);
}

function statusOf({ status }: Details): "active" | "disabled" | undefined {
	return status === "active" || status === "disabled" ? status : undefined;
}

/** The groups of the user, with the end of each membership. */
function membershipsOf(userEvents: readonly AccessEvent[]): Map<string, number | null> {
	const groups = new Map<string, number | null>();
	for (const { action, details } of userEvents) {
		const id = String(details.group_id);
		if (action === "group_member.added" || action === "group_member.updated") groups.set(id, endOf(details));
		else if (action === "group_member.removed") groups.delete(id);
	}
	return groups;
}

/** Events of earlier releases have no end. */
function endOf({ expires_at }: Details): number | null {
	return typeof expires_at === "string" ? Date.parse(expires_at) : null;
}

function earlier(a: number | null, b: number | null): number | null {
	return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/** Undefined if the group was deleted by then, which deletes its members and grants. */
function groupNameOf(events: readonly AccessEvent[]): string | undefined {
	let name: string | undefined;
	for (const { action, details } of events) {
		if (action === "group.deleted") name = undefined;
		else if (action.startsWith("group.") && typeof details.name === "string") name = details.name;
	}
	return name;
}

function grantOf(subjectEvents: readonly AccessEvent[], appId: string): HeldGrant | undefined {
	let grant: HeldGrant | undefined;
	for (const { action, details } of subjectEvents) {
		// What is over stays, as an ended grant: its end tells so.
		if (!action.startsWith("grant.") || action === "grant.expired" || details.app_id !== appId) continue;
		grant =
			action === "grant.removed"
				? undefined
				: {
						id: String(details.grant_id),
						roleIds: texts(details.role_ids),
						expiresAtMs: endOf(details),
					};
	}
	return grant;
}

/** Empty if the role was deleted by then. */
function roleOf(id: string, events: readonly AccessEvent[]): FactRole[] {
	let role: FactRole | undefined;
	for (const { action, details } of events) {
		if (action === "application_role.deleted") role = undefined;
		else {
			const name = typeof details.name === "string" ? details.name : (role?.name ?? "");
			const permissions = Array.isArray(details.permissions) ? texts(details.permissions) : role?.permissions;
			role = { id, name, permissions: permissions ?? [] };
		}
	}
	return role === undefined ? [] : [role];
}

function texts(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
