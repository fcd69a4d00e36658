// Puts a backup in the place of an empty database, and closes what was used, ended or sent after it was made.

import { readBackupFile } from "../adapters/files/backup-file.ts";
import { checkDataFolder, openDataFolder } from "../adapters/files/data-folder.ts";
import type { Engine, Queries } from "../adapters/sql/engine.ts";
import { type FolderLock, lockFolder, refuseFolderInUse } from "../adapters/sql/folder-lock.ts";
import { SCHEMA_VERSION } from "../adapters/sql/migrate.ts";
import { raiseNonceFloor } from "../adapters/sql/nonce-store.ts";
import { RESTORE_POLICY, restoredNonceFloor } from "../adapters/sql/restore-policy.ts";
import type { Config } from "../config/config.ts";
import {
	type BackupEnd,
	BackupError,
	type BackupHeader,
	type Progress,
	type Table,
	type TableShape,
} from "../features/backup/model.ts";
import { type BackupPart, readBackup } from "../features/backup/read-backup.ts";
import { SIGNATURE_WINDOW_SECONDS } from "../features/external/model.ts";
import { type Clock, isoTime, MINUTE_MS, SECOND_MS } from "../kernel/clock.ts";
import { StartError } from "../kernel/start-error.ts";
import { type BackupKeys, loadBackupKeys } from "./backup-keys.ts";
import { openForFilling, unusable } from "./database-place.ts";
import { fillDatabase } from "./fill-database.ts";

/** Clocks of two machines. */
const CLOCK_SLACK_MS = 5 * MINUTE_MS;

export interface RestoreOptions {
	readonly file: string;
	readonly replace: boolean;
	readonly clock: Clock;
	/** Called with the rows there are, when the file was read once and is good. */
	readonly expect: (rows: ReadonlyMap<string, number>) => void;
	readonly progress: Progress;
}

export interface RestoreReport {
	readonly header: BackupHeader;
	readonly end: BackupEnd;
	/** Signed requests with a timestamp up to this are refused. */
	readonly closedUntilMs: number;
	/** What was ended or made void, in words, with how many; none with 0. */
	readonly told: readonly (readonly [string, number])[];
}

/**
 * Reads the file twice: once to prove it, with nothing changed, and once more to take it over.
 *
 * @throws StartError in one line; nothing was changed then.
 */
export async function restore(config: Config, options: RestoreOptions): Promise<RestoreReport> {
	checkDataFolder(config.dataDir);
	refuseFolderInUse(config.dataDir);
	const keys = loadBackupKeys(config);
	const { header, end } = await prove(options, keys);
	options.expect(new Map(end.tables.map(({ name, rows }) => [name, rows])));
	const lock = config.databaseUrl === null ? takeFolder(config.dataDir) : undefined;
	try {
		const target = await openForFilling(config);
		return await target.use((engine) => takeOver(engine, { header, end }, options, keys));
	} catch (error) {
		throw unusable(config, named(options.file, error));
	} finally {
		lock?.release();
	}
}

function takeFolder(dataDir: string): FolderLock {
	openDataFolder(dataDir);
	return lockFolder(dataDir);
}

async function prove(
	{ file, clock }: RestoreOptions,
	keys: BackupKeys,
): Promise<{ readonly header: BackupHeader; readonly end: BackupEnd }> {
	let header: BackupHeader | undefined;
	try {
		for await (const part of readBackup(readBackupFile(file), keys)) {
			if (part.kind === "header") {
				header = part.header;
				requireKnown(header, clock());
			}
			if (part.kind === "end" && header !== undefined) return { header, end: part.end };
		}
	} catch (error) {
		throw named(file, error);
	}
	throw new Error("a backup without an end was taken for a whole one");
}

function requireKnown({ schema, latchkey, created_at }: BackupHeader, nowMs: number): void {
	if (schema > SCHEMA_VERSION)
		throw new BackupError(
			`has schema ${schema}, this program knows up to ${SCHEMA_VERSION}: use latchkey ${latchkey} or newer`,
		);
	if (Date.parse(created_at) > nowMs + CLOCK_SLACK_MS)
		throw new BackupError(`was made at ${created_at}, and here it is ${isoTime(nowMs)}: set the clock`);
}

function named(file: string, error: unknown): unknown {
	return error instanceof BackupError ? new StartError(`${file} ${error.message}`, { cause: error }) : error;
}

async function takeOver(
	engine: Engine,
	{ header, end }: Pick<RestoreReport, "header" | "end">,
	{ file, replace, clock, progress }: RestoreOptions,
	keys: BackupKeys,
): Promise<RestoreReport> {
	const backupAtMs = Date.parse(header.created_at);
	let told: (readonly [string, number])[] = [];
	let floor = 0;
	await fillDatabase(engine, {
		schema: header.schema,
		replace,
		refusal: "the database is not empty: name an empty one, or lose everything in it with --replace",
		secretBox: keys.secretBox,
		clock,
		copy: (queries, tables) =>
			copyParts(readBackup(readBackupFile(file), keys), tables, {
				insert: (table, rows) => engine.whole.insert(queries, table, rows),
				progress,
			}),
		async finish(queries) {
			const nowMs = clock();
			told = [...leftOut(end), ...(await mend(engine, queries, nowMs))];
			floor = await raiseNonceFloor(
				queries,
				restoredNonceFloor({ nowMs, backupAtMs }, SIGNATURE_WINDOW_SECONDS),
			);
		},
		event: () => ({
			action: "installation.restored",
			details: {
				backup_created_at: header.created_at,
				signed_calls_refused_until: isoTime(floor * SECOND_MS),
			},
		}),
	});
	return { header, end, closedUntilMs: floor * SECOND_MS, told: told.filter(([, count]) => count > 0) };
}

interface Sink {
	insert(table: TableShape, rows: Extract<BackupPart, { kind: "rows" }>["rows"]): Promise<void>;
	readonly progress: Progress;
}

async function copyParts(
	parts: AsyncIterable<BackupPart>,
	tables: readonly Table[],
	{ insert, progress }: Sink,
): Promise<void> {
	const missing = new Map(tables.map((table) => [table.name, table]));
	let current: TableShape | undefined;
	let rows = 0;
	const done = (): void => {
		if (current !== undefined) progress(current.name, rows, true);
	};
	for await (const part of parts) {
		if (part.kind === "table") {
			done();
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
	done();
	const [table] = missing.keys();
	if (table !== undefined) throw new BackupError(`has no table ${table}, and its schema has one`);
}

function requireSameColumns({ name, columns }: TableShape, table: Table | undefined): void {
	if ([...columns].sort().join() !== [...(table?.columns ?? [])].sort().join())
		throw new BackupError(`has a table ${name} that is not as its schema has it`);
}

function policyOf(table: string): (typeof RESTORE_POLICY)[string] {
	const policy = RESTORE_POLICY[table];
	if (policy === undefined) throw new Error(`no policy says what a restore does with ${table}`);
	return policy;
}

function leftOut({ tables }: BackupEnd): (readonly [string, number])[] {
	return tables.flatMap(({ name, rows }) => {
		const { told } = policyOf(name);
		return told === undefined ? [] : [[told, rows] as const];
	});
}

async function mend(
	{ whole }: Engine,
	queries: Queries,
	nowMs: number,
): Promise<(readonly [string, number])[]> {
	const told: (readonly [string, number])[] = [];
	for (const { mends = [] } of Object.values(RESTORE_POLICY))
		for (const { told: what, sql } of mends) {
			const rows = await whole.run(queries, sql(nowMs));
			if (what !== "") told.push([what, rows]);
		}
	return told;
}
