// May this user use that application, and do that there? One pure function over loaded facts.

/** Why access was allowed or denied, in the order the facts are looked at. */
export const DECISION_REASONS = [
	"ok",
	"user_not_found",
	"user_disabled",
	"app_not_found",
	"app_disabled",
	"not_assigned",
	"missing_permission",
] as const;
export type DecisionReason = (typeof DECISION_REASONS)[number];

export interface FactRole {
	readonly id: string;
	/** Unique within the application. */
	readonly name: string;
	readonly permissions: readonly string[];
}

/** A grant of the application that counts for the user, with the roles it gives. */
export interface FactGrant {
	readonly id: string;
	/** The group it came by; undefined when it is the user's own. */
	readonly group: { readonly id: string; readonly name: string } | undefined;
	readonly roles: readonly FactRole[];
}

export interface AccessFacts {
	readonly user: { readonly status: "active" | "disabled" } | undefined;
	readonly application:
		| { readonly status: "active" | "disabled"; readonly accessPolicy: "open" | "assigned" }
		| undefined;
	/** The user's own and those by groups, in no particular order. */
	readonly grants: readonly FactGrant[];
}

export interface Decision {
	readonly allowed: boolean;
	readonly reason: DecisionReason;
	/** Names of the roles held, by all grants together, sorted; empty when access is denied before roles are looked at. */
	readonly roles: readonly string[];
	/** Permissions those roles give, sorted, each once. */
	readonly permissions: readonly string[];
}

/** One question: this user, that application. */
export interface AccessPair {
	readonly userId: string;
	readonly appId: string;
}

/** How many questions one batch may hold. */
export const BATCH_MAX = 100;

export interface AccessFactStore {
	/** One statement; user, application and groups are looked up inside the tenant only. */
	load(tenantId: string, userId: string, appId: string): Promise<AccessFacts>;
	/** The same for up to `BATCH_MAX` pairs, in their order: one statement too, so that all are of one moment. */
	loadAll(tenantId: string, pairs: readonly AccessPair[]): Promise<AccessFacts[]>;
}

/**
 * Audit actions that decide access: from these entries the facts of any past moment are worked out, so each carries
 * what it sets (`status`, `access_policy`, `permissions`, `role_ids` …).
 */
export const ACCESS_ACTIONS = [
	"service.first_started",
	"user.created",
	"user.registered",
	"user.updated",
	"user.deleted",
	"application.created",
	"application.updated",
	"application.deleted",
	"application_role.created",
	"application_role.updated",
	"application_role.deleted",
	"grant.created",
	"grant.changed",
	"grant.removed",
	"group.created",
	"group.updated",
	"group.deleted",
	"group_member.added",
	"group_member.removed",
] as const;

/** An audit entry with one of `ACCESS_ACTIONS`. */
export interface AccessEvent {
	readonly atMs: number;
	readonly action: string;
	/** `user:<id>`, `application:<id>`, `application_role:<id>` or `group:<id>`. */
	readonly target: string;
	readonly details: Readonly<Record<string, unknown>>;
}

export interface AccessHistoryStore {
	/** Every access event about these targets, of all time, in the order it was written. */
	listAbout(tenantId: string, targets: readonly string[]): Promise<AccessEvent[]>;
	/** When the tenant's trail begins, if its beginning was removed by retention; undefined while it is whole. */
	findCutAtMs(tenantId: string): Promise<number | undefined>;
}

/** The decision of contract section 5: user, application, open or granted, then the permission if one is asked. */
export function decideAccess(facts: AccessFacts, permission?: string): Decision {
	const { user, application, grants } = facts;
	if (user === undefined) return denied("user_not_found");
	if (user.status !== "active") return denied("user_disabled");
	if (application === undefined) return denied("app_not_found");
	if (application.status !== "active") return denied("app_disabled");
	if (application.accessPolicy !== "open" && grants.length === 0) return denied("not_assigned");
	const held = grants.flatMap((grant) => grant.roles);
	const roles = [...new Set(held.map((role) => role.name))].sort();
	const permissions = [...new Set(held.flatMap((role) => role.permissions))].sort();
	if (permission !== undefined && !permissions.some((pattern) => permits(pattern, permission))) {
		return { allowed: false, reason: "missing_permission", roles, permissions };
	}
	return { allowed: true, reason: "ok", roles, permissions };
}

/** `*` permits everything, `orders:*` everything that begins with `orders:`, any other pattern only itself. */
export function permits(pattern: string, permission: string): boolean {
	if (pattern === "*" || pattern === permission) return true;
	return pattern.endsWith(":*") && permission.startsWith(pattern.slice(0, -1));
}

function denied(reason: DecisionReason): Decision {
	return { allowed: false, reason, roles: [], permissions: [] };
}
