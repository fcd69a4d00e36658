// The embedded installation to copy: its database file, and whether the configured master keys open it.

import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Engine, Queries } from "../../adapters/sql/engine.ts";
import { openSqlite } from "../../adapters/sqlite/sqlite.ts";
import { isDamage } from "../../app/installation-place.ts";
import type { Config } from "../../config/config.ts";
import type { Table } from "../../domain/backup.ts";
import { AppError } from "../../kernel/error.ts";
import { StartError, usageError } from "../../kernel/start-error.ts";
import { type BackupKeys, loadBackupKeys } from "./backup-keys.ts";

/** The database file of `sqlite:<path>`, a path to the file or its directory. @throws StartError */
export function sourceFile(from: string): string {
	const named = /^sqlite:(.+)$/.exec(from)?.[1];
	if (named === undefined) throw usageError("--from must be sqlite:<path of latchkey.db or its directory>");
	const path = resolve(named);
	const stats = statSync(path, { throwIfNoEntry: false });
	const file = stats?.isDirectory() === true ? join(path, "latchkey.db") : path;
	if (!existsSync(file)) throw new StartError(`${file} does not exist`, { kind: "not_found" });
	return file;
}

/** The message gives the location of the key, never the key. @throws StartError when no key is configured. */
export function requireKeys(config: Config, file: string): BackupKeys {
	const { inline, file: keyFile } = config.masterKey;
	if (inline === undefined && keyFile === undefined) {
		const own = masterKeyFile(file);
		const where = existsSync(own) ? own : "the installation's master key file";
		throw new StartError(
			`an installation on PostgreSQL needs a configured master key: set LATCHKEY_MASTER_KEY to the content of ${where}, here and on every node`,
		);
	}
	return loadBackupKeys(config);
}

function masterKeyFile(file: string): string {
	return join(dirname(file), "master.key");
}

/** @throws StartError when the file is not a database. */
export function openSource(file: string): Engine {
	try {
		return openSqlite(file);
	} catch (cause) {
		throw unreadable(file, cause);
	}
}

/** Converts an error of the database to a StartError; returns other errors unchanged. */
export function unreadable(file: string, cause: unknown): unknown {
	const reason = cause instanceof AppError ? cause.cause : cause;
	if (!(reason instanceof Error) || !("errcode" in reason)) return cause;
	return new StartError(`database ${file} cannot be read: ${reason.message}`, {
		cause,
		kind: isDamage(reason) ? "damaged" : "away",
	});
}

/** @throws StartError with the ids of the missing master keys. */
export async function requireRightKeys(
	view: Queries,
	tables: readonly Table[],
	{ keys, file }: { readonly keys: BackupKeys; readonly file: string },
): Promise<void> {
	const used = new Set<string>();
	for (const { name, columns } of tables)
		for (const column of columns.filter((each) => each.endsWith("_sealed"))) {
			// Encrypted text begins with `v1.` and the 8-digit id of its key.
			const sql = `SELECT DISTINCT substr(${column}, 4, 8) AS id FROM ${name} WHERE ${column} LIKE 'v1.%'`;
			for (const { id } of await view.all<{ id: string }>(sql)) used.add(id);
		}
	const missing = [...used].filter((id) => !keys.keyIds.includes(id));
	if (missing.length > 0)
		throw new StartError(
			`the secrets in ${file} are encrypted with master key ${missing.join(", ")}, which is not among the configured keys (${keys.keyIds.join(", ")}): set LATCHKEY_MASTER_KEY to the content of ${masterKeyFile(file)}`,
		);
}
