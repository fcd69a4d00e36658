// Opens an installation in the one order that changes nothing when a start is bad: configuration, folder, lock, keys, database.

import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { checkDataFolder, openDataFolder, tightenDataFolder } from "../adapters/files/data-folder.ts";
import { findConfiguredMasterKeys, loadMasterKeys } from "../adapters/files/master-key.ts";
import type { Engine } from "../adapters/sql/engine.ts";
import { type FolderLock, lockFolder } from "../adapters/sql/folder-lock.ts";
import { migrate } from "../adapters/sql/migrate.ts";
import { openSqlite } from "../adapters/sql/sqlite.ts";
import { createPersistence, type Stores } from "../adapters/sql/stores.ts";
import type { Config } from "../config/config.ts";
import { createPasswordHasher, type PasswordHasher } from "../crypto/password.ts";
import { randomBytes32 } from "../crypto/random.ts";
import { parseMasterKeys, SecretBox } from "../crypto/secret-box.ts";
import { chainHash } from "../features/audit/chain.ts";
import type { Clock } from "../kernel/clock.ts";
import { newId } from "../kernel/id.ts";
import type { Log } from "../kernel/log.ts";
import type { Persistence } from "../kernel/transaction.ts";

export interface Installation {
	readonly db: Persistence<Stores>;
	readonly engine: Engine;
	readonly secretBox: SecretBox;
	readonly passwords: PasswordHasher;
	/** Closes the database and gives the folder back. */
	close(): Promise<void>;
}

/** `exclusive`: nobody else may use the folder while we do (serve, migrate); other commands work beside a running service. */
export async function openInstallation(
	config: Config,
	{ clock, log, exclusive }: { readonly clock: Clock; readonly log: Log; readonly exclusive: boolean },
): Promise<Installation> {
	findConfiguredMasterKeys(config.masterKey);
	checkDataFolder(config.dataDir);
	openDataFolder(config.dataDir);
	const lock = exclusive ? lockFolder(config.dataDir) : undefined;
	try {
		return await open(config, lock, clock, log);
	} catch (error) {
		lock?.release();
		throw error;
	}
}

async function open(
	config: Config,
	lock: FolderLock | undefined,
	clock: Clock,
	log: Log,
): Promise<Installation> {
	const loose = tightenDataFolder(config.dataDir);
	if (loose !== undefined) log.warn({}, loose);
	const databaseFile = join(config.dataDir, "latchkey.db");
	const keys = loadMasterKeys(config.masterKey, config.dataDir, {
		databaseExists: existsSync(databaseFile),
		randomBytes32,
	});
	if (keys.made)
		log.info(
			{},
			`made ${join(config.dataDir, "master.key")}: back it up, without it no stored secret can be read`,
		);
	const secretBox = new SecretBox(parseMasterKeys(keys.keysText));
	const engine = openSqlite(databaseFile);
	try {
		const applied = await migrate(engine, clock());
		if (applied.length > 0) log.info({ migrations: applied }, "database schema brought up to date");
	} catch (error) {
		await engine.close();
		throw error;
	}
	const db = createPersistence(engine, {
		nowMs: clock,
		newId: () => newId(clock()),
		chainHash,
		seal: (plain, context) => secretBox.seal(plain, context),
		open: (sealed, context) => secretBox.open(sealed, context),
	});
	const passwords = createPasswordHasher({
		cost: config.bcryptCost,
		threads: Math.max(1, availableParallelism() - 1),
	});
	return {
		db,
		engine,
		secretBox,
		passwords,
		async close() {
			await engine.close();
			lock?.release();
		},
	};
}
