// People and API clients without use: when they are warned and disabled.

import { DAY_MS } from "../kernel/clock.ts";

/** What can be dormant. */
export type DormantKind = "user" | "api_client";

/** Days between the warning and the end. */
export const WARNED_DAYS = 14;
/** A warning that did not lead to the end counts for this long: then another one follows. */
const WARNING_COUNTS_DAYS = 30;

/**
 * Selects active accounts without a sign-in or another use since `inactiveSinceMs`. A use after a warning cancels the
 * warning.
 */
export interface DormantQuery {
	readonly tenantId: string;
	readonly inactiveSinceMs: number;
	/** Earlier warnings count no longer. */
	readonly warnedAfterMs: number;
	/** Selects those whose warning counts and is not later; null selects those without one. */
	readonly warnedByMs: number | null;
}

/** @param days of the tenant's setting. */
export function dormantQueries(tenantId: string, days: number, nowMs: number) {
	const warnedAfterMs = nowMs - WARNING_COUNTS_DAYS * DAY_MS;
	const queryFor = (inactiveDays: number, warnedByMs: number | null): DormantQuery => {
		return { tenantId, inactiveSinceMs: nowMs - inactiveDays * DAY_MS, warnedAfterMs, warnedByMs };
	};
	return {
		toDisable: queryFor(days, nowMs - WARNED_DAYS * DAY_MS),
		toWarn: queryFor(days - WARNED_DAYS, null),
	};
}

/** Each change is one statement that repeats the conditions, so that a sign-in at the same moment wins or is refused. */
export interface DormancyStore {
	/** Ids, at most `limit`. */
	list(kind: DormantKind, query: DormantQuery, limit: number): Promise<string[]>;
	/** @returns false if it no longer meets the query. */
	warn(kind: DormantKind, query: DormantQuery, id: string, nowMs: number): Promise<boolean>;
	/** @returns false if it no longer meets the query. */
	disable(kind: DormantKind, query: DormantQuery, id: string, nowMs: number): Promise<boolean>;
}
