// Proves a backup: restores it into a temporary embedded database, counts its rows, and verifies its audit trails.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../../adapters/sql/engine.ts";
import { loadExistingKeys } from "../../app/master-keys.ts";
import { openBesideService } from "../../app/open-installation.ts";
import { openSigningKeys } from "../../app/stored-keys.ts";
import type { Config } from "../../config/config.ts";
import type { BackupEnd } from "../../domain/backup.ts";
import { type TrailReport, verifyAudit } from "../verify-audit.ts";
import { loadBackupKeys } from "./backup-keys.ts";
import { policyOf } from "./copy-parts.ts";
import { type RestoreOptions, type RestoreReport, restore } from "./restore.ts";

export interface CheckReport extends Pick<RestoreReport, "header" | "end"> {
	/** Tables that lack rows of the backup. */
	readonly short: readonly { readonly table: string; readonly rows: number; readonly expected: number }[];
	readonly trails: readonly TrailReport[];
}

export interface CheckOptions extends Omit<RestoreOptions, "replace" | "placeSetting"> {
	/** Called with a function that removes the temporary directory, for a process that is stopped. */
	readonly onFolder: (remove: () => void) => void;
	readonly onAudit: (tenant: string, events: number) => void;
}

/**
 * Reads only the file and the master key: neither the configured database nor the data directory changes. Removes the
 * temporary directory.
 *
 * @throws StartError as `restore`
 */
export async function checkBackup(config: Config, options: CheckOptions): Promise<CheckReport> {
	loadBackupKeys(config);
	const inline = loadExistingKeys(config);
	const folder = mkdtempSync(join(tmpdir(), "latchkey-check-"));
	const remove = (): void => rmSync(folder, { recursive: true, force: true });
	options.onFolder(remove);
	try {
		const temporary: Config = { ...config, dataDir: folder, databaseUrl: null, masterKey: { inline } };
		const { header, end } = await restore(temporary, { ...options, replace: false, placeSetting: "TMPDIR" });
		return { header, end, ...(await examine(temporary, end, options)) };
	} finally {
		remove();
	}
}

async function examine(
	config: Config,
	end: BackupEnd,
	{ clock, onAudit }: CheckOptions,
): Promise<Pick<CheckReport, "short" | "trails">> {
	const installation = await openBesideService(config, clock);
	try {
		const { db, engine, secretBox } = installation;
		const short = await shortTables(engine, end);
		const keys = await openSigningKeys(db.stores.signingKeys, secretBox);
		const trails: TrailReport[] = [];
		for await (const trail of verifyAudit({ db, keys }, onAudit)) trails.push(trail);
		return { short, trails };
	} finally {
		await installation.close();
	}
}

/** A restore adds events, and deletes rows only of tables with repairs. */
async function shortTables({ queries }: Engine, { tables }: BackupEnd): Promise<CheckReport["short"]> {
	const short: { table: string; rows: number; expected: number }[] = [];
	for (const { name, rows: expected } of tables) {
		const policy = policyOf(name);
		if (policy.rows !== "kept" || (policy.repairs ?? []).length > 0) continue;
		const counted = await queries.one<{ rows: number }>(`SELECT count(*) AS rows FROM ${name}`);
		const rows = Number(counted?.rows);
		if (rows < expected) short.push({ table: name, rows, expected });
	}
	return short;
}
