// The time of the last backup in SQL: one row of the installation's table.

import type { BackupStore } from "../../domain/backup.ts";
import { isNumber, objectOf, parseJson } from "../../kernel/shape.ts";
import type { Queries } from "../sql/queries.ts";

const RECORD = `INSERT INTO meta (key, value) VALUES ('last_backup', $1)
	ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
const FIND_LAST = `SELECT (SELECT value FROM meta WHERE key = 'last_backup') AS backup,
	(SELECT applied_at FROM schema_migrations WHERE version = 1) AS created`;

const isBackup = objectOf({ at: isNumber, bytes: isNumber });

export function createBackupStore(queries: Queries): BackupStore {
	return {
		async record({ atMs, bytes }) {
			await queries.run(RECORD, JSON.stringify({ at: atMs, bytes }));
		},
		async findLast() {
			const row = await queries.one<{ backup: string | null; created: number | null }>(FIND_LAST);
			if (typeof row?.backup !== "string") return { atMs: row?.created ?? 0, bytes: undefined };
			const { at, bytes } = parseJson(isBackup, row.backup);
			return { atMs: at, bytes };
		},
	};
}
