// The time with which ends of grants and memberships are compared.

import { TIME_AHEAD_MAX_MS } from "../../domain/audit.ts";
import { type Queries, statement } from "../sql/queries.ts";

const LATEST_EVENT = statement("SELECT latest_at AS at FROM audit_heads WHERE tenant_id = $1", {
	reads: "cached",
});

export type TenantTime = (tenantId: string) => Promise<number>;

/** The clock, or the time of the tenant's latest event if the clock was set back: nothing that is over comes back. */
export function tenantTime(queries: Queries, nowMs: () => number): TenantTime {
	return async (tenantId) => {
		const latest = await queries.one<{ at: number }>(LATEST_EVENT, tenantId);
		const now = nowMs();
		const isAhead = latest !== undefined && latest.at > now && latest.at <= now + TIME_AHEAD_MAX_MS;
		return isAhead ? latest.at : now;
	};
}
