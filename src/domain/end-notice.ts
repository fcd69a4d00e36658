// Access that ends soon, of which its holders and reviewers are notified.

import { DAY_MS } from "../kernel/clock.ts";
import type { GrantSubject } from "./grant.ts";

/** A grant or a membership that ends soon. */
export interface EndingAccess {
	readonly kind: GrantSubject["kind"] | "member";
	readonly subjectId: string;
	/** The application; of a membership, the group. */
	readonly placeId: string;
	readonly expiresAtMs: number;
}

/** A notice is due a week before the end … */
export const NOTICE_DUE_MS = 7 * DAY_MS;
/** … and then includes the ends of the next day, so that no one gets more than one mail a day. */
export const NOTICE_COVERS_MS = 8 * DAY_MS;

export interface EndNoticeStore {
	/** Tenants in which an end within this time has no notice. Excludes access that lasts less than 14 days in all. */
	listTenants(nowMs: number, withinMs: number): Promise<string[]>;
	/**
	 * Call inside a transaction. Claims up to `limit` of these ends, those of one subject together. Each end is claimed
	 * once; a changed end again. Skips rows that another transaction holds.
	 */
	claim(tenantId: string, nowMs: number, withinMs: number, limit: number): Promise<EndingAccess[]>;
}
