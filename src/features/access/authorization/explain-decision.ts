// Explains one access decision to an administrator, as of now or of a past moment.

import { invalidField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { type Explanation, explainAccess } from "./explain-access.ts";
import { loadPastFacts } from "./past-facts.ts";

export interface DecisionQuery {
	readonly userId: string;
	readonly appId: string;
	readonly permission?: string;
	/** Default: now. */
	readonly atMs?: number;
}

export interface ExplainedDecision extends Explanation {
	/** What the audit trail does not record of a past moment; undefined for now, which needs no trail. */
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
		return { ...explainAccess(today, permission, defined), gaps: undefined };
	}
	const { facts, gaps } = await loadPastFacts(accessHistory, tenantId, { userId, appId, today }, atMs);
	return { ...explainAccess(facts, permission, []), gaps };
}
