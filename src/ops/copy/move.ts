// Copies an embedded installation unchanged into an empty PostgreSQL database, and verifies that both are equal.

import { dirname } from "node:path";
import { markMoved, refuseMoved } from "../../adapters/files/moved-mark.ts";
import { schemaVersion } from "../../adapters/migrations/migrate.ts";
import { parsePostgresUrl } from "../../adapters/postgres/postgres-address.ts";
import type { Engine, Queries } from "../../adapters/sql/engine.ts";
import { lockFolder } from "../../adapters/sqlite/folder-lock.ts";
import { unpackNonceBatches } from "../../adapters/stores/batched-nonces.ts";
import { openForFilling, refuseNewerSchema } from "../../app/installation-place.ts";
import type { Config } from "../../config/config.ts";
import { sha256Hex } from "../../crypto/digest.ts";
import type { Progress, Table, TableCount } from "../../domain/backup.ts";
import type { Clock } from "../../kernel/clock.ts";
import { StartError, usageError } from "../../kernel/start-error.ts";
import { contentTables, countRows } from "./backup.ts";
import type { BackupKeys } from "./backup-keys.ts";
import { fillDatabase } from "./fill-database.ts";
import { openSource, requireKeys, requireRightKeys, sourceFile, unreadable } from "./moving-source.ts";
import { linesOf, TableDigest } from "./write-backup.ts";

interface MoveOptions {
	/** `sqlite:<path>` of the database file or its directory. */
	readonly from: string;
	/** `postgres://…` */
	readonly to: string;
	readonly clock: Clock;
	readonly expect: (rows: ReadonlyMap<string, number>) => void;
	readonly progress: Progress;
}

/**
 * Keeps sessions and links valid: the copy replaces the original, which is marked after the commit so that it cannot
 * start again. Locks the source during the copy; fills the target in one transaction.
 *
 * @returns the copied rows by table.
 * @throws StartError with a one-line message; the target is unchanged then.
 */
export async function moveInstallation(config: Config, options: MoveOptions): Promise<readonly TableCount[]> {
	const file = sourceFile(options.from);
	if (!/^postgres(ql)?:\/\//.test(options.to))
		throw usageError("--to must be postgres://user:password@host:5432/name");
	const keys = requireKeys(config, file);
	refuseMoved(file);
	const { shown } = parsePostgresUrl(options.to);
	const lock = lockFolder(dirname(file));
	try {
		const source = openSource(file);
		let copied: readonly TableCount[];
		try {
			copied = await source.whole.view((view) => moveView({ config, file, keys, source, view }, options));
		} finally {
			await source.close();
		}
		// Only after the commit: after a failed copy, the source remains usable.
		markMoved(file, { to: `PostgreSQL ${shown}`, atMs: options.clock() });
		return copied;
	} finally {
		lock.release();
	}
}

interface Source {
	readonly config: Config;
	readonly file: string;
	readonly keys: BackupKeys;
	readonly source: Engine;
	readonly view: Queries;
}

async function moveView(from: Source, options: MoveOptions): Promise<readonly TableCount[]> {
	const { config, file, keys, source, view } = from;
	const schema = await schemaVersion(source).catch((cause: unknown) => {
		throw unreadable(file, cause);
	});
	if (schema === 0)
		throw new StartError(`database ${file} is empty: there is nothing to copy`, { kind: "not_found" });
	refuseNewerSchema(`database ${file}`, schema);
	const tables = await contentTables(source.whole, view);
	await requireRightKeys(view, tables, { keys, file });
	options.expect(await countRows(view, tables));
	const place = { dataDir: config.dataDir, databaseUrl: options.to };
	return openForFilling(place, (engine) => fillFrom(from, { engine, schema }, options));
}

async function fillFrom(
	{ keys, source, view }: Source,
	{ engine, schema }: { readonly engine: Engine; readonly schema: number },
	{ clock, progress }: MoveOptions,
): Promise<readonly TableCount[]> {
	let counts: TableCount[] = [];
	await fillDatabase(engine, {
		schema,
		replace: false,
		refusal: "the database named by --to is not empty: name an empty one",
		secretBox: keys.secretBox,
		clock,
		async copy(queries, tables) {
			counts = [];
			for (const table of tables) {
				const copied = new TableDigest(table);
				for await (const rows of source.whole.rows(view, table)) {
					copied.add(rows, linesOf(rows));
					await engine.whole.insert(queries, table, rows);
					progress(table.name, copied.rows, false);
				}
				const count = copied.count();
				await requireEqual(engine, queries, table, count);
				progress(table.name, count.rows, true);
				counts.push(count);
			}
		},
		finish: (queries) => unpackNonceBatches(engine.whole, queries, sha256Hex),
		event: () => ({ action: "installation.moved", details: { from: source.name, to: engine.name } }),
	});
	return counts;
}

/** Compares the written rows with the source before the commit. */
async function requireEqual(
	{ whole }: Engine,
	queries: Queries,
	table: Table,
	source: TableCount,
): Promise<void> {
	const digest = new TableDigest(table);
	for await (const rows of whole.rows(queries, table)) digest.add(rows, linesOf(rows));
	const { rows, sha256 } = digest.count();
	if (rows !== source.rows || sha256 !== source.sha256)
		throw new Error(
			`table ${table.name} has ${source.rows} rows in the source and ${rows} in the target, with digests ${source.sha256} and ${sha256}`,
		);
}
