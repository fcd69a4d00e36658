// Puts a backup in the place of an empty database, and closes what was used, ended or sent after it was made.

import { readBackupFile } from "../adapters/files/backup-file.ts";
import { checkDataFolder, openDataFolder } from "../adapters/files/data-folder.ts";
import type { Engine, Queries } from "../adapters/sql/engine.ts";
import { type FolderLock, lockFolder, refuseFolderInUse } from "../adapters/sql/folder-lock.ts";
import { SCHEMA_VERSION } from "../adapters/sql/migrate.ts";
import { raiseNonceFloor } from "../adapters/sql/nonce-store.ts";
import { RESTORE_POLICY, restoredNonceFloor } from "../adapters/sql/restore-policy.ts";
import type { Config } from "../config/config.ts";
import { type BackupEnd, BackupError, type BackupHeader, type Progress } from "../features/backup/model.ts";
import { readBackup } from "../features/backup/read-backup.ts";
import { SIGNATURE_WINDOW_SECONDS } from "../features/external/model.ts";
import { type Clock, isoTime, MINUTE_MS, SECOND_MS } from "../kernel/clock.ts";
import { StartError } from "../kernel/start-error.ts";
import { type BackupKeys, loadBackupKeys } from "./backup-keys.ts";
import { copyParts, policyOf } from "./copy-parts.ts";
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
