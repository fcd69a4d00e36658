// Counts the audit events of a tenant for every step of a period, including steps without events.

import { AUDIT_COUNTED_MAX, type AuditQuery } from "../../../domain/audit.ts";
import { STEP_MS, type StatisticsStep } from "../../../domain/statistics.ts";
import type { Needs } from "../../platform.ts";
import { rangeOf } from "../statistics/read-statistics.ts";

interface AuditStatistics {
	readonly fromMs: number;
	/** The end of the last step. */
	readonly toMs: number;
	/** Older events of the period are not counted. */
	readonly countedFromMs: number;
	/** Oldest first. */
	readonly steps: readonly { readonly atMs: number; readonly events: number }[];
}

/** @throws AppError `request.invalid`. */
export async function countAuditEvents(
	{ db, clock }: Needs<"audit", "clock">,
	filter: AuditQuery,
	step: StatisticsStep,
): Promise<AuditStatistics> {
	const { fromMs, toMs } = rangeOf({ step, fromMs: filter.fromMs, toMs: filter.toMs }, clock());
	const query = { ...filter, fromMs, toMs };
	const { totals, countedFromMs } = await db.stores.audit.count(query, STEP_MS[step], AUDIT_COUNTED_MAX);
	const steps = Array.from({ length: (toMs - fromMs) / STEP_MS[step] }, (_, index) => {
		const atMs = fromMs + index * STEP_MS[step];
		return { atMs, events: totals.get(atMs) ?? 0 };
	});
	return { fromMs, toMs, countedFromMs, steps };
}
