// Copies the rows of a backup into the tables of its schema, and refuses tables that differ from the schema.

import { RESTORE_POLICY, type TablePolicy } from "../../adapters/copy/restore-policy.ts";
import { BackupError, type Progress, type Row, type Table, type TableShape } from "../../domain/backup.ts";
import type { BackupPart } from "./read-backup.ts";

/**
 * Inserts the rows of all tables that a restore keeps.
 *
 * @throws BackupError when the tables of the file are not exactly those of the schema.
 */
export async function copyParts(
	parts: AsyncIterable<BackupPart>,
	tables: readonly Table[],
	insert: (table: TableShape, rows: readonly Row[]) => Promise<void>,
	progress: Progress,
): Promise<void> {
	const missing = new Map(tables.map((table) => [table.name, table]));
	let current: TableShape | undefined;
	let rows = 0;
	const reportDone = (): void => {
		if (current !== undefined) progress(current.name, rows, true);
	};
	for await (const part of parts) {
		if (part.kind === "table") {
			reportDone();
			current = part.table;
			rows = 0;
			requireSameColumns(part.table, missing.get(part.table.name));
			missing.delete(part.table.name);
		} else if (part.kind === "rows") {
			rows += part.rows.length;
			if (policyOf(part.table.name).rows === "kept") await insert(part.table, part.rows);
			progress(part.table.name, rows, false);
		}
	}
	reportDone();
	const [table] = missing.keys();
	if (table !== undefined) throw new BackupError(`lacks the table ${table} of its schema`);
}

function requireSameColumns({ name, columns }: TableShape, table: Table | undefined): void {
	if ([...columns].sort().join() !== [...(table?.columns ?? [])].sort().join())
		throw new BackupError(`has a table ${name} that differs from its schema`);
}

/** @throws Error for a table without a policy. */
export function policyOf(table: string): TablePolicy {
	const policy = RESTORE_POLICY[table];
	if (policy === undefined) throw new Error(`no restore policy for the table ${table}`);
	return policy;
}
