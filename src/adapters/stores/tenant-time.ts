// The time with which ends of grants and memberships are compared.

import { DAY_MS } from "../../kernel/clock.ts";
import { type Queries, statement } from "../sql/queries.ts";

/** A newest event that is farther ahead of the clock is an error, which `latchkey doctor` reports, and does not count. */
const AHEAD_MAX_MS = DAY_MS;

const NEWEST_EVENT = statement("SELECT at FROM audit_heads WHERE tenant_id = $1", { reads: "cached" });

export type TenantTime = (tenantId: string) => Promise<number>;

/** The clock, or the time of the tenant's newest event if the clock was set back: nothing that is over comes back. */
export function tenantTime(queries: Queries, nowMs: () => number): TenantTime {
	return async (tenantId) => {
		const newest = await queries.one<{ at: number }>(NEWEST_EVENT, tenantId);
		const now = nowMs();
		const isAhead = newest !== undefined && newest.at > now && newest.at <= now + AHEAD_MAX_MS;
		return isAhead ? newest.at : now;
	};
}
