// Writes the database of an installation to one file, with the service running or stopped.

import { RESTORE_POLICY } from "../../adapters/copy/restore-policy.ts";
import { writeBackupFile, writeBackupToOutput } from "../../adapters/files/backup-file.ts";
import { schemaVersion } from "../../adapters/migrations/migrate.ts";
import type { Engine, Queries } from "../../adapters/sql/engine.ts";
import { createBackupStore } from "../../adapters/stores/backup-store.ts";
import {
	hasDatabaseFile,
	noInstallation,
	refuseNewerSchema,
	withDatabase,
} from "../../app/installation-place.ts";
import { VERSION } from "../../app/version.ts";
import type { Config } from "../../config/config.ts";
import {
	type BackupEnd,
	type BackupHeader,
	MIGRATIONS_TABLE,
	type Progress,
	type Table,
} from "../../domain/backup.ts";
import { type Clock, isoTime } from "../../kernel/clock.ts";
import { messageOf, StartError } from "../../kernel/start-error.ts";
import { type BackupKeys, loadBackupKeys } from "./backup-keys.ts";
import { backupText } from "./write-backup.ts";

export type { Progress };

interface BackupOptions {
	/** `-` for standard output. */
	readonly target: string;
	/** Aborts the backup; no file is left. */
	readonly signal: AbortSignal;
	readonly clock: Clock;
	/** Called with the row counts before the first row is written. */
	readonly expect: (rows: ReadonlyMap<string, number>) => void;
	readonly progress: Progress;
}

interface BackupReport {
	readonly header: BackupHeader;
	readonly end: BackupEnd;
	/** Size of the compressed backup. */
	readonly bytes: number;
	/** Why the metrics do not show this backup; undefined if they do. */
	readonly unrecorded: string | undefined;
}

/**
 * Records the backup for the metrics. A failure to do so, such as on a full disk, does not fail the backup.
 *
 * @throws StartError when there is nothing to back up or the file cannot be written; then no file is left.
 */
export async function backUp(config: Config, options: BackupOptions): Promise<BackupReport> {
	if (config.databaseUrl === null && !hasDatabaseFile(config))
		throw noInstallation(config, "yet: there is nothing to back up");
	const keys = loadBackupKeys(config);
	return await withDatabase(config, async (engine) => {
		const schema = await schemaVersion(engine);
		if (schema === 0)
			throw new StartError("the database is empty: there is nothing to back up", { kind: "not_found" });
		refuseNewerSchema("the database", schema);
		const written = await engine.whole.view((queries) =>
			writeView(engine, queries, { ...options, keys, schema }),
		);
		const unrecorded = await createBackupStore(engine.queries)
			.record({ atMs: Date.parse(written.header.created_at), bytes: written.bytes })
			.then(() => undefined, messageOf);
		return { ...written, unrecorded };
	});
}

async function writeView(
	{ name, whole }: Engine,
	queries: Queries,
	options: BackupOptions & { readonly keys: BackupKeys; readonly schema: number },
): Promise<Omit<BackupReport, "unrecorded">> {
	const { target, signal, clock, expect, progress, keys, schema } = options;
	const header: BackupHeader = {
		format: "latchkey backup",
		version: 1,
		latchkey: VERSION,
		schema,
		engine: name,
		created_at: isoTime(clock()),
		master_key: keys.secretBox.keyId,
	};
	const macKey = keys.macKeyOf(header.master_key);
	if (macKey === undefined) throw new Error("the encrypting key is missing from the keys");
	const tables = await contentTables(whole, queries);
	expect(await countRows(queries, tables));
	const source = { tables, rows: (table: Table) => whole.rows(queries, table) };
	let end: BackupEnd | undefined;
	const text = async function* (): AsyncGenerator<string> {
		end = yield* backupText(source, { header, macKey, progress });
	};
	const bytes = await (target === "-"
		? writeBackupToOutput(text(), signal)
		: writeBackupFile(target, text(), signal));
	if (end === undefined) throw new Error("the backup has no last line");
	return { header, end, bytes };
}

/** All tables except the table of migrations and those that only the running database needs. */
export async function contentTables(whole: Engine["whole"], queries: Queries): Promise<Table[]> {
	return (await whole.tables(queries)).filter(
		({ name }) => name !== MIGRATIONS_TABLE && RESTORE_POLICY[name]?.rows !== "omitted",
	);
}

export async function countRows(
	queries: Queries,
	tables: readonly Table[],
): Promise<ReadonlyMap<string, number>> {
	const counts = new Map<string, number>();
	for (const { name } of tables) {
		const row = await queries.one<{ total: number }>(`SELECT count(*) AS total FROM ${name}`);
		counts.set(name, row?.total ?? 0);
	}
	return counts;
}
