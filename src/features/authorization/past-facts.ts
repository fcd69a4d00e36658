// The facts of a past moment, worked out from the audit trail.

import type { AccessEvent, AccessFacts, AccessHistoryStore, FactGrant, FactRole } from "./model.ts";

export interface PastFacts {
	readonly facts: AccessFacts;
	/** What the trail does not tell, one sentence each; empty when it tells everything. */
	readonly gaps: readonly string[];
}

/** A grant as its entries tell it: roles by id. */
interface HeldGrant {
	readonly id: string;
	readonly roleIds: readonly string[];
}

type Details = AccessEvent["details"];
type Application = NonNullable<AccessFacts["application"]>;

/** Who is asked about, and whether they are there today: what is there must have begun. */
export interface PastQuestion {
	readonly userId: string;
	readonly appId: string;
	readonly today: Pick<AccessFacts, "user" | "application">;
}

/**
 * The facts as they were right after everything that was written at or before `atMs`. Reads the trail three times at
 * most (the user and the application, the user's groups, the roles of the grants), however long ago it was.
 *
 * What the trail does not tell counts as absent, and is named among the gaps.
 */
export async function loadPastFacts(
	history: AccessHistoryStore,
	tenantId: string,
	{ userId, appId, today }: PastQuestion,
	atMs: number,
): Promise<PastFacts> {
	const read = reader(history, tenantId, atMs);
	const gaps: string[] = [];
	const cutAtMs = await history.findCutAtMs(tenantId);
	if (cutAtMs !== undefined)
		gaps.push(`entries before ${new Date(cutAtMs).toISOString()} were removed from the trail`);
	const [aboutUser, aboutApp] = await read("user", [userId], "application", [appId]);
	const user = userOf(aboutUser.past(userId));
	const application = applicationOf(aboutApp.past(appId));
	if (user === undefined && lacksBeginning(aboutUser.all(userId), today.user !== undefined))
		gaps.push(`how user:${userId} began is not told`);
	if (application === undefined && lacksBeginning(aboutApp.all(appId), today.application !== undefined))
		gaps.push(`how application:${appId} began is not told`);
	if (user === undefined || application === undefined)
		return { facts: { user, application, grants: [] }, gaps };
	const grants = await loadGrants(read, aboutUser.past(userId), appId);
	return { facts: { user, application, grants }, gaps };
}

/** The entries about things of one noun: of all time, or up to the moment asked about. */
interface Told {
	all(id: string): readonly AccessEvent[];
	past(id: string): readonly AccessEvent[];
}

type Read = ReturnType<typeof reader>;

/** Reads about two nouns at once. */
function reader(history: AccessHistoryStore, tenantId: string, atMs: number) {
	return async (
		noun: string,
		ids: readonly string[],
		other = "",
		otherIds: readonly string[] = [],
	): Promise<readonly [Told, Told]> => {
		const targets = [...ids.map((id) => `${noun}:${id}`), ...otherIds.map((id) => `${other}:${id}`)];
		const events = targets.length === 0 ? [] : await history.listAbout(tenantId, targets);
		const all = Map.groupBy(events, ({ target }) => target);
		const told = (noun: string): Told => ({
			all: (id) => all.get(`${noun}:${id}`) ?? [],
			past: (id) => (all.get(`${noun}:${id}`) ?? []).filter((event) => event.atMs <= atMs),
		});
		return [told(noun), told(other)];
	};
}

async function loadGrants(
	read: Read,
	aboutUser: readonly AccessEvent[],
	appId: string,
): Promise<FactGrant[]> {
	const groupIds = membershipsOf(aboutUser);
	const [aboutGroups] = await read("group", groupIds);
	const own = grantOf(aboutUser, appId);
	const held = own === undefined ? [] : [{ ...own, group: undefined }];
	const byGroups = groupIds.flatMap((id) => {
		const name = groupNameOf(aboutGroups.past(id));
		const grant = grantOf(aboutGroups.past(id), appId);
		return name === undefined || grant === undefined ? [] : [{ ...grant, group: { id, name } }];
	});
	const grants = [...held, ...byGroups];
	const [aboutRoles] = await read("application_role", [...new Set(grants.flatMap(({ roleIds }) => roleIds))]);
	return grants.map(({ id, group, roleIds }) => ({
		id,
		group,
		roles: roleIds.flatMap((roleId) => roleOf(roleId, aboutRoles.past(roleId))),
	}));
}

/** Whether the thing was there, but how it began is not told: by an older format, or another way in. */
function lacksBeginning(events: readonly AccessEvent[], isThereToday: boolean): boolean {
	const own = events.filter(({ action }) => /^(user|application|service)\./.test(action));
	return (own.length > 0 || isThereToday) && !own.some(({ action }) => BEGINNINGS.has(action));
}

const BEGINNINGS = new Set([
	"service.first_started",
	"user.created",
	"user.registered",
	"application.created",
]);

function userOf(events: readonly AccessEvent[]): AccessFacts["user"] {
	let user: AccessFacts["user"];
	for (const { action, details } of events) {
		const status = statusOf(details);
		if (BEGINNINGS.has(action)) user = { status: status ?? "active" };
		else if (action === "user.updated" && status !== undefined) user = { status };
		else if (action === "user.deleted") user = undefined;
	}
	return user;
}

/** A new application is active and `assigned` unless its entry says otherwise. */
function applicationOf(events: readonly AccessEvent[]): Application | undefined {
	let application: Application | undefined;
	for (const { action, details } of events) {
		if (action === "application.deleted") application = undefined;
		else if (action === "application.created") application = changed(NEW_APPLICATION, details);
		else if (action === "application.updated" && application !== undefined)
			application = changed(application, details);
	}
	return application;
}

const NEW_APPLICATION: Application = { status: "active", accessPolicy: "assigned" };

function changed(application: Application, details: Details): Application {
	const { access_policy: policy } = details;
	const known = policy === "open" || policy === "assigned";
	return {
		status: statusOf(details) ?? application.status,
		accessPolicy: known ? policy : application.accessPolicy,
	};
}

function statusOf({ status }: Details): "active" | "disabled" | undefined {
	return status === "active" || status === "disabled" ? status : undefined;
}

function membershipsOf(aboutUser: readonly AccessEvent[]): string[] {
	const groups = new Set<string>();
	for (const { action, details } of aboutUser) {
		if (action === "group_member.added") groups.add(String(details.group_id));
		else if (action === "group_member.removed") groups.delete(String(details.group_id));
	}
	return [...groups];
}

/** Undefined when the group was gone, and its members and grants with it. */
function groupNameOf(events: readonly AccessEvent[]): string | undefined {
	let name: string | undefined;
	for (const { action, details } of events) {
		if (action === "group.deleted") name = undefined;
		else if (action.startsWith("group.") && typeof details.name === "string") name = details.name;
	}
	return name;
}

function grantOf(aboutSubject: readonly AccessEvent[], appId: string): HeldGrant | undefined {
	let grant: HeldGrant | undefined;
	for (const { action, details } of aboutSubject) {
		if (!action.startsWith("grant.") || details.app_id !== appId) continue;
		grant =
			action === "grant.removed"
				? undefined
				: { id: String(details.grant_id), roleIds: texts(details.role_ids) };
	}
	return grant;
}

/** None when the role was deleted by then. */
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
