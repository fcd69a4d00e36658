// What a restore does with each table, by name, and the time from which it accepts signed requests.

import { SECOND_MS } from "../../kernel/clock.ts";
import type { TablePolicy } from "../sql/table-policy.ts";
import { TABLES } from "../sql/tables/all-tables.ts";

export type { TablePolicy };

/**
 * A backup cannot tell what was used after it, so digests of single-use values are voided. A test requires each table
 * to be repaired or declared harmless.
 */
export const RESTORE_POLICY: Readonly<Record<string, TablePolicy>> = Object.fromEntries(
	TABLES.map(({ name, restore }) => [name, restore]),
);

/** Statements separated by `;` for a failover that may have lost writes. Repeating them is safe. */
export function failoverRepairs(nowMs: number): string {
	const repairs = TABLES.flatMap(({ restore }) => restore.afterFailover ?? []);
	return repairs.map(({ sql }) => sql(nowMs)).join(";\n");
}

/**
 * Signed requests with a timestamp at or below this floor, in seconds, are refused. It lies above every timestamp that
 * can have been accepted before the restore, including those of callers whose clock was ahead.
 */
export function restoredNonceFloor(
	{ nowMs, backupAtMs }: { readonly nowMs: number; readonly backupAtMs: number },
	windowSeconds: number,
): number {
	return Math.ceil(Math.max(nowMs, backupAtMs) / SECOND_MS) + windowSeconds;
}
