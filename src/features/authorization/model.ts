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

export interface AccessFacts {
	readonly user: { readonly status: "active" | "disabled" } | undefined;
	readonly application:
		| { readonly status: "active" | "disabled"; readonly accessPolicy: "open" | "assigned" }
		| undefined;
	/** The user's grant to the application, with the roles it gives. */
	readonly grant:
		| { readonly roles: readonly { readonly name: string; readonly permissions: readonly string[] }[] }
		| undefined;
}

export interface Decision {
	readonly allowed: boolean;
	readonly reason: DecisionReason;
	/** Names of the roles held, sorted; empty when access is denied before roles are looked at. */
	readonly roles: readonly string[];
	/** Permissions those roles give, sorted, each once. */
	readonly permissions: readonly string[];
}

export interface AccessFactStore {
	/** One statement; user and application are looked up inside the tenant only. */
	load(tenantId: string, userId: string, appId: string): Promise<AccessFacts>;
}

/** The decision of contract section 5: user, application, open or granted, then the permission if one is asked. */
export function decideAccess(facts: AccessFacts, permission?: string): Decision {
	const { user, application, grant } = facts;
	if (user === undefined) return denied("user_not_found");
	if (user.status !== "active") return denied("user_disabled");
	if (application === undefined) return denied("app_not_found");
	if (application.status !== "active") return denied("app_disabled");
	if (application.accessPolicy !== "open" && grant === undefined) return denied("not_assigned");
	const held = grant?.roles ?? [];
	const roles = held.map((role) => role.name).sort();
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
