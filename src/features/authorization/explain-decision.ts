// Explains one decision, of now or of a past moment, to whoever manages access.

import type { Clock } from "../../kernel/clock.ts";
import { invalidField } from "../../kernel/error.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { ApplicationRoleStore } from "../applications/model.ts";
import { type Explanation, explainAccess } from "./explain-access.ts";
import type { AccessFactStore, AccessHistoryStore } from "./model.ts";
import { loadPastFacts } from "./past-facts.ts";

export interface ExplainDeps {
	readonly db: Persistence<{
		accessFacts: AccessFactStore;
		accessHistory: AccessHistoryStore;
		applicationRoles: ApplicationRoleStore;
	}>;
	readonly clock: Clock;
}

export interface AskedDecision {
	readonly userId: string;
	readonly appId: string;
	readonly permission: string | undefined;
	/** Undefined: now. */
	readonly atMs: number | undefined;
}

export interface ExplainedDecision extends Explanation {
	/** What the audit trail does not tell of a past moment; undefined for now, which needs no trail. */
	readonly gaps: readonly string[] | undefined;
}

/** @throws AppError `request.invalid` for a moment that has not come yet. */
export async function explainDecision(
	{ db, clock }: ExplainDeps,
	tenantId: string,
	{ userId, appId, permission, atMs }: AskedDecision,
): Promise<ExplainedDecision> {
	const { accessFacts, accessHistory, applicationRoles } = db.stores;
	if (atMs !== undefined && atMs > clock()) throw invalidField("at", "must not be in the future");
	const today = await accessFacts.load(tenantId, userId, appId);
	if (atMs === undefined) {
		const defined = permission === undefined ? [] : await applicationRoles.listAll(tenantId, appId);
		return { ...explainAccess(today, permission, defined), gaps: undefined };
	}
	const { facts, gaps } = await loadPastFacts(accessHistory, tenantId, { userId, appId, today }, atMs);
	return { ...explainAccess(facts, permission, []), gaps };
}
