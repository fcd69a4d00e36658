// Explains an access decision, now or at a past moment: every rule that allows it, or every missing requirement.

import {
	type AccessFacts,
	type Decision,
	decideAccess,
	type FactGrant,
	type FactRole,
	judgeAccess,
	permits,
} from "../../../domain/access.ts";
import { invalidField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { loadPastFacts } from "./past-facts.ts";

/** A rule that allows access. For a permission: the role that grants it and the pattern that covers it. */
export interface Rule {
	/** `open`: every active user may use the application. */
	readonly by: "open" | "grant";
	readonly grantId: string | null;
	/** The group that holds the grant; null for the user's own. */
	readonly group: { readonly id: string; readonly name: string } | null;
	readonly role: { readonly id: string; readonly name: string } | null;
	readonly permission: string | null;
}

export const NEEDS = [
	"user_exists",
	"user_active",
	"application_exists",
	"application_active",
	"grant",
	"permission",
] as const;

export interface Need {
	readonly what: (typeof NEEDS)[number];
	/** For `permission`: names of the application's roles that grant it, sorted. */
	readonly roles: readonly string[];
}

export interface Explanation {
	readonly decision: Decision;
	/** Every rule that is sufficient by itself: own grants before grants of groups, then by name. Empty if denied. */
	readonly rules: readonly Rule[];
	/** Every missing requirement, not only the first. Empty if allowed. */
	readonly needed: readonly Need[];
	/** Grants that are over and would otherwise apply, the last one first. Empty if allowed. */
	readonly ended: readonly EndedAccess[];
}

export interface EndedAccess extends Pick<Rule, "grantId" | "group"> {
	readonly endedAtMs: number;
}

/** @param defined the known roles of the application, to name those that grant the permission */
export function explainAccess(
	facts: AccessFacts,
	permission: string | undefined,
	defined: readonly FactRole[],
): Explanation {
	const decision = decideAccess(facts, permission);
	return {
		decision,
		rules: decision.allowed ? rulesOf(facts, permission) : [],
		needed: decision.allowed ? [] : needsOf(facts, permission, defined),
		ended: (decision.allowed ? [] : (facts.ended ?? []))
			.map((grant) => ({ ...placeOf(grant), endedAtMs: grant.expiresAtMs ?? 0 }))
			.sort((a, b) => b.endedAtMs - a.endedAtMs),
	};
}

function rulesOf({ application, grants }: AccessFacts, permission: string | undefined): Rule[] {
	const sorted = grants.toSorted(byGroup);
	if (permission !== undefined) return sorted.flatMap((grant) => rulesOfGrant(grant, permission));
	const open: Rule = { by: "open", grantId: null, group: null, role: null, permission: null };
	const granted = sorted.map((grant): Rule => ({ ...open, by: "grant", ...placeOf(grant) }));
	return application?.accessPolicy === "open" ? [open, ...granted] : granted;
}

function rulesOfGrant(grant: FactGrant, permission: string): Rule[] {
	return grant.roles
		.toSorted((a, b) => compare(a.name, b.name))
		.flatMap(({ id, name, permissions }): Rule[] => {
			const covering = permissions.toSorted().find((pattern) => permits(pattern, permission));
			if (covering === undefined) return [];
			return [{ by: "grant", ...placeOf(grant), role: { id, name }, permission: covering }];
		});
}

function placeOf({ id, group }: FactGrant): Pick<Rule, "grantId" | "group"> {
	return { grantId: id, group: group ?? null };
}

function byGroup(a: FactGrant, b: FactGrant): number {
	return compare(a.group?.name ?? "", b.group?.name ?? "") || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
	return a === b ? 0 : a < b ? -1 : 1;
}

function needsOf(
	{ user, application, grants }: AccessFacts,
	permission: string | undefined,
	defined: readonly FactRole[],
): Need[] {
	const needs: Need[] = [];
	const need = (what: Need["what"], roles: readonly string[] = []): unknown => needs.push({ what, roles });
	if (user === undefined) need("user_exists");
	else if (user.status !== "active") need("user_active");
	if (application === undefined) {
		need("application_exists");
		return needs;
	}
	if (application.status !== "active") need("application_active");
	if (application.accessPolicy !== "open" && grants.length === 0) need("grant");
	if (permission === undefined) return needs;
	const grantsIt = (role: FactRole): boolean =>
		role.permissions.some((pattern) => permits(pattern, permission));
	if (!grants.some(({ roles }) => roles.some(grantsIt)))
		need(
			"permission",
			defined
				.filter(grantsIt)
				.map(({ name }) => name)
				.sort(),
		);
	return needs;
}

interface DecisionQuery {
	readonly userId: string;
	readonly appId: string;
	readonly permission?: string;
	/** Default: now. */
	readonly atMs?: number;
}

interface ExplainedDecision extends Explanation {
	/** What the audit trail does not record about the past moment; undefined for now. */
	readonly gaps: readonly string[] | undefined;
}

/** @throws AppError `request.invalid` if `atMs` is in the future. */
export async function explainDecision(
	{ db, clock }: Needs<"accessFacts" | "accessHistory" | "applicationRoles", "clock">,
	tenantId: string,
	{ userId, appId, permission, atMs }: DecisionQuery,
): Promise<ExplainedDecision> {
	const { accessFacts, accessHistory, applicationRoles } = db.stores;
	if (atMs !== undefined && atMs > clock()) throw invalidField("at", "not_future");
	const today = await accessFacts.load(tenantId, userId, appId);
	if (atMs === undefined) {
		const defined = permission === undefined ? [] : await applicationRoles.listAll(tenantId, appId);
		// A grant that is over is removed soon, and then only the trail knows it.
		const past =
			judgeAccess(today, permission) === "ok"
				? today
				: (await loadPastFacts(accessHistory, tenantId, { userId, appId, today }, clock())).facts;
		const facts = { ...today, ended: past.ended ?? today.ended ?? [] };
		return { ...explainAccess(facts, permission, defined), gaps: undefined };
	}
	const { facts, gaps } = await loadPastFacts(accessHistory, tenantId, { userId, appId, today }, atMs);
	return { ...explainAccess(facts, permission, []), gaps };
}
