// Restores a backup into an empty database, and voids what may have been used, revoked, or sent after the backup.

import { RESTORE_POLICY, restoredNonceFloor } from "../../adapters/copy/restore-policy.ts";
import { readBackupFile } from "../../adapters/files/backup-file.ts";
import { checkDataFolder, openDataFolder } from "../../adapters/files/data-folder.ts";
import { removeMovedMark } from "../../adapters/files/moved-mark.ts";
import { SCHEMA_VERSION } from "../../adapters/migrations/migrate.ts";
import type { Engine, Queries } from "../../adapters/sql/engine.ts";
import { lockFolder, refuseFolderInUse } from "../../adapters/sqlite/folder-lock.ts";
import { raiseNonceFloor } from "../../adapters/stores/nonce-floor.ts";
import { databaseFile, openForFilling } from "../../app/installation-place.ts";
import type { Config } from "../../config/config.ts";
import { type BackupEnd, BackupError, type BackupHeader, type Progress } from "../../domain/backup.ts";
import { SIGNATURE_WINDOW_SECONDS } from "../../domain/nonce.ts";
import { type Clock, isoTime, MINUTE_MS, SECOND_MS } from "../../kernel/clock.ts";
import { StartError } from "../../kernel/start-error.ts";
import { type BackupKeys, loadBackupKeys } from "./backup-keys.ts";
import { copyParts, policyOf } from "./copy-parts.ts";
import { fillDatabase } from "./fill-database.ts";
import { readBackup } from "./read-backup.ts";
import { requireSpace } from "./restore-space.ts";

/** Tolerated clock skew between two machines. */
const CLOCK_SLACK_MS = 5 * MINUTE_MS;

export interface RestoreOptions {
	readonly file: string;
	/** What errors call the file. */
	readonly name: string;
	readonly replace: boolean;
	/** The variable that moves the data directory to another disk. Default: `LATCHKEY_DATA_DIR`. */
	readonly placeSetting?: string;
	readonly clock: Clock;
	/** Called with the row counts after the file is verified. */
	readonly expect: (rows: ReadonlyMap<string, number>) => void;
	readonly progress: Progress;
}

export interface RestoreReport {
	readonly header: BackupHeader;
	readonly end: BackupEnd;
	/** Signed requests with a timestamp up to this time are refused. */
	readonly closedUntilMs: number;
	/** Descriptions of revoked or voided rows with their counts; counts of 0 are omitted. */
	readonly voided: readonly (readonly [string, number])[];
}

/**
 * Reads the file twice: first to verify it, then to copy it.
 *
 * @throws StartError with a one-line message; nothing is changed then.
 */
export async function restore(config: Config, options: RestoreOptions): Promise<RestoreReport> {
	checkDataFolder(config.dataDir);
	refuseFolderInUse(config.dataDir);
	const keys = loadBackupKeys(config);
	const { header, end, textBytes } = await verifyFile(options, keys);
	const { dataDir } = config;
	const { placeSetting: setting = "LATCHKEY_DATA_DIR" } = options;
	const isEmbedded = config.databaseUrl === null;
	if (isEmbedded) requireSpace({ dataDir, databaseFile: databaseFile(config), setting }, textBytes);
	options.expect(new Map(end.tables.map(({ name, rows }) => [name, rows])));
	if (isEmbedded) openDataFolder(dataDir);
	const lock = isEmbedded ? lockFolder(dataDir) : undefined;
	try {
		const report = await openForFilling(config, (engine) => fillFrom(engine, { header, end }, options, keys));
		if (isEmbedded) removeMovedMark(databaseFile(config));
		return report;
	} catch (error) {
		throw named(options.name, error);
	} finally {
		lock?.release();
	}
}

async function verifyFile(
	{ file, name, clock }: RestoreOptions,
	keys: BackupKeys,
): Promise<{ readonly header: BackupHeader; readonly end: BackupEnd; readonly textBytes: number }> {
	let header: BackupHeader | undefined;
	let textBytes = 0;
	const count = async function* (pieces: AsyncIterable<string>): AsyncGenerator<string> {
		for await (const piece of pieces) {
			textBytes += Buffer.byteLength(piece);
			yield piece;
		}
	};
	try {
		for await (const part of readBackup(count(readBackupFile(file)), keys)) {
			if (part.kind === "header") {
				header = part.header;
				requireKnown(header, clock());
			}
			if (part.kind === "end" && header !== undefined) return { header, end: part.end, textBytes };
		}
	} catch (error) {
		throw named(name, error);
	}
	throw new Error("a backup without an end was accepted");
}

function requireKnown({ schema, latchkey, created_at }: BackupHeader, nowMs: number): void {
	if (schema > SCHEMA_VERSION)
		throw new BackupError(
			`has schema ${schema}, this version of latchkey supports up to ${SCHEMA_VERSION}: use latchkey ${latchkey} or newer`,
			{ kind: "failed" },
		);
	if (Date.parse(created_at) > nowMs + CLOCK_SLACK_MS)
		throw new BackupError(
			`was created at ${created_at}, but the clock here says ${isoTime(nowMs)}: set the clock`,
			{ kind: "failed" },
		);
}

function named(name: string, error: unknown): unknown {
	return error instanceof BackupError
		? new StartError(`${name} ${error.message}`, { cause: error, kind: error.kind })
		: error;
}

async function fillFrom(
	engine: Engine,
	{ header, end }: Pick<RestoreReport, "header" | "end">,
	{ file, replace, clock, progress }: RestoreOptions,
	keys: BackupKeys,
): Promise<RestoreReport> {
	const backupAtMs = Date.parse(header.created_at);
	let voided: (readonly [string, number])[] = [];
	let floor = 0;
	await fillDatabase(engine, {
		schema: header.schema,
		replace,
		refusal: "the database is not empty: choose an empty one, or delete everything in it with --replace",
		secretBox: keys.secretBox,
		clock,
		copy: (queries, tables) =>
			copyParts(
				readBackup(readBackupFile(file), keys),
				tables,
				(table, rows) => engine.whole.insert(queries, table, rows),
				progress,
			),
		async finish(queries) {
			const nowMs = clock();
			voided = [...leftOut(end), ...(await repair(engine, queries, nowMs))];
			const refused = restoredNonceFloor({ nowMs, backupAtMs }, SIGNATURE_WINDOW_SECONDS);
			floor = await raiseNonceFloor(queries, refused);
		},
		event: () => ({
			action: "installation.restored",
			details: {
				backup_created_at: header.created_at,
				signed_calls_refused_until: isoTime(floor * SECOND_MS),
			},
		}),
	});
	return { header, end, closedUntilMs: floor * SECOND_MS, voided: voided.filter(([, count]) => count > 0) };
}

function leftOut({ tables }: BackupEnd): (readonly [string, number])[] {
	return tables.flatMap(({ name, rows }) => {
		const { description } = policyOf(name);
		return description === undefined ? [] : [[description, rows] as const];
	});
}

/** Voids what may have been used after the backup. */
async function repair(
	{ whole }: Engine,
	queries: Queries,
	nowMs: number,
): Promise<(readonly [string, number])[]> {
	const voided: (readonly [string, number])[] = [];
	for (const { repairs = [] } of Object.values(RESTORE_POLICY))
		for (const { description, sql } of repairs) {
			const rows = await whole.run(queries, sql(nowMs));
			if (description !== "") voided.push([description, rows]);
		}
	return voided;
}
