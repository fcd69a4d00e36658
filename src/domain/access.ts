// The access decision: whether a user, an API client, or a program may use an application, with a permission. Pure functions over loaded facts.

import { freezeAll, perShared } from "../kernel/per-shared.ts";
import type { ApplicationRole } from "./application-role.ts";
import type { UserStatus } from "./user.ts";

/** Why access was allowed or denied, in the order of the checks. */
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

export type FactRole = Pick<ApplicationRole, "id" | "name" | "permissions">;

/** A grant of the application that applies to the user, with its roles. */
export interface FactGrant {
	readonly id: string;
	/** The group that holds it; undefined for the user's own. */
	readonly group: { readonly id: string; readonly name: string } | undefined;
	readonly roles: readonly FactRole[];
	/** When it ends, or the membership by which it applies; null for no end. */
	readonly expiresAtMs: number | null;
}

export interface AccessFacts {
	readonly user: { readonly status: UserStatus } | undefined;
	readonly application:
		| { readonly status: "active" | "disabled"; readonly accessPolicy: "open" | "assigned" }
		| undefined;
	/** The user's own grants and those of their groups, unordered. */
	readonly grants: readonly FactGrant[];
	/** Grants that are over, which no decision counts; they are stored for up to an hour. */
	readonly ended?: readonly FactGrant[];
}

export interface Decision {
	readonly allowed: boolean;
	readonly reason: DecisionReason;
	/** Names of the roles of all grants, sorted; empty if access is denied before roles are checked. */
	readonly roles: readonly string[];
	/** Permissions of those roles, sorted, without duplicates. */
	readonly permissions: readonly string[];
}

export interface AccessPair {
	readonly userId: string;
	readonly appId: string;
}

/** The maximum number of questions in one batch. */
export const BATCH_MAX = 100;

/** The maximum number of roles, and of permissions, in one response; longer lists are marked as truncated. */
export const LISTED_MAX = 1_000;

/** All methods return what counts now: see `factsAt`. */
export interface AccessFactStore {
	/** One statement, within the tenant only. */
	load(tenantId: string, userId: string, appId: string): Promise<AccessFacts>;
	/**
	 * The same for an API client of the application, or for a program: its own status takes the place of the user's.
	 */
	loadOfCaller(
		tenantId: string,
		subject: { readonly kind: "api_client" | "program"; readonly id: string },
		appId: string,
	): Promise<AccessFacts>;
	/** Facts of up to `BATCH_MAX` pairs, in order; one statement, so all facts are consistent. */
	loadAll(tenantId: string, pairs: readonly AccessPair[]): Promise<AccessFacts[]>;
}

/** When the first of the grants ends; infinite if none does. */
const nextEndOf = perShared(({ grants }: AccessFacts) =>
	Math.min(...grants.map(({ expiresAtMs }) => expiresAtMs ?? Number.POSITIVE_INFINITY)),
);

export function hasEnds(facts: AccessFacts): boolean {
	return nextEndOf(facts) < Number.POSITIVE_INFINITY;
}

/** What shared facts were narrowed to, for times from `fromMs` until the next end. */
const narrowed = new WeakMap<AccessFacts, { readonly fromMs: number; readonly facts: AccessFacts }>();

/**
 * What counts at this time: without grants that are over. Returns the same object until the next end, so that what
 * follows from it is computed once.
 *
 * @param facts as stored
 */
export function factsAt(facts: AccessFacts, nowMs: number): AccessFacts {
	if (nowMs < nextEndOf(facts)) return facts;
	const known = narrowed.get(facts);
	if (known !== undefined && known.fromMs <= nowMs && nowMs < nextEndOf(known.facts)) return known.facts;
	const { true: grants = [], false: ended = [] } = Object.groupBy(facts.grants, ({ expiresAtMs }) =>
		expiresAtMs === null || nowMs < expiresAtMs ? "true" : "false",
	);
	const current: AccessFacts = { ...facts, grants, ended };
	if (Object.isFrozen(facts)) {
		const fromMs = Math.max(...ended.map(({ expiresAtMs }) => expiresAtMs ?? 0));
		narrowed.set(facts, { fromMs, facts: freezeAll(current) });
	}
	return current;
}

/** The decision, with the roles and permissions the user holds in the application. */
export function decideAccess(facts: AccessFacts, permission?: string): Decision {
	const reason = judgeAccess(facts, permission);
	return { allowed: reason === "ok", reason, ...heldNames(facts, reason) };
}

/**
 * Only the reason of the decision, which is up to a thousand times faster than listing and sorting the roles of a user
 * with many. Checks the user, the application, its policy or a grant, and then the permission, if any.
 */
export function judgeAccess(facts: AccessFacts, permission?: string): DecisionReason {
	const { user, application, grants } = facts;
	if (user === undefined) return "user_not_found";
	if (user.status !== "active") return "user_disabled";
	if (application === undefined) return "app_not_found";
	if (application.status !== "active") return "app_disabled";
	if (application.accessPolicy !== "open" && grants.length === 0) return "not_assigned";
	if (permission === undefined) return "ok";
	for (const role of heldRoles(facts))
		if (role.permissions.some((pattern) => permits(pattern, permission))) return "ok";
	return "missing_permission";
}

/**
 * Roles and permissions of a decision: sorted, without duplicates, empty if access is denied before roles are checked.
 */
export function heldNames(
	facts: AccessFacts,
	reason: DecisionReason,
): Pick<Decision, "roles" | "permissions"> {
	return reason === "ok" || reason === "missing_permission" ? namesOf(facts) : { roles: [], permissions: [] };
}

const namesOf = perShared((facts: AccessFacts) => {
	const held = heldRoles(facts);
	return {
		roles: [...new Set(held.map((role) => role.name))].sort(),
		permissions: [...new Set(held.flatMap((role) => role.permissions))].sort(),
	};
});

/** Each role once: a store returns the same object for the same role in several grants. */
const heldRoles = perShared(({ grants }: AccessFacts) => [...new Set(grants.flatMap(({ roles }) => roles))]);

/** Whether one of `patterns` permits the permission; takes the same time for any number of patterns. */
export function permitsAny(patterns: ReadonlySet<string>, permission: string): boolean {
	if (patterns.has("*") || patterns.has(permission)) return true;
	const parts = permission.split(":");
	return parts.some((_, count) => count > 0 && patterns.has(`${parts.slice(0, count).join(":")}:*`));
}

/** `*` permits every permission, `orders:*` those that begin with `orders:`, any other pattern only itself. */
export function permits(pattern: string, permission: string): boolean {
	if (pattern === "*" || pattern === permission) return true;
	return pattern.endsWith(":*") && permission.startsWith(pattern.slice(0, -1));
}
