// Opens an installation in the one order that changes nothing when a start is bad: configuration, folder, lock, keys, database.

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createBreachedPasswords } from "../adapters/files/breached-passwords.ts";
import { openDataFolder, tightenDataFolder } from "../adapters/files/data-folder.ts";
import { findConfiguredMasterKeys, loadMasterKeys, watchMasterKeys } from "../adapters/files/master-key.ts";
import type { Engine } from "../adapters/sql/engine.ts";
import { type FolderLock, lockFolder } from "../adapters/sql/folder-lock.ts";
import { migrate, SCHEMA_VERSION, schemaVersion } from "../adapters/sql/migrate.ts";
import { createPersistence, type Stores } from "../adapters/sql/stores.ts";
import type { Config } from "../config/config.ts";
import { createPasswordHasher, type PasswordHasher } from "../crypto/password.ts";
import { randomBytes32 } from "../crypto/random.ts";
import { parseMasterKeys, SecretBox, SecretBoxError } from "../crypto/secret-box.ts";
import { chainHash } from "../features/audit/chain.ts";
import type { Clock } from "../kernel/clock.ts";
import { newId } from "../kernel/id.ts";
import type { Log } from "../kernel/log.ts";
import { StartError } from "../kernel/start-error.ts";
import type { Persistence } from "../kernel/transaction.ts";
import { databaseFile, isEmptyDatabase, openDatabase, unusable } from "./database-place.ts";

export interface Installation {
	readonly db: Persistence<Stores>;
	readonly engine: Engine;
	readonly secretBox: SecretBox;
	readonly passwords: PasswordHasher;
	/** The schema version found (0: an empty database), and the names of the migrations applied just now. */
	readonly schema: { readonly found: number; readonly applied: readonly string[] };
	/** Closes the database and gives the folder back. */
	close(): Promise<void>;
}

/**
 * Takes the data folder for this process alone, makes what is missing, and brings the schema up to date (`serve`,
 * `migrate`).
 *
 * @throws StartError
 */
export async function openInstallation(
	config: Config,
	{ clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<Installation> {
	findConfiguredMasterKeys(config.masterKey);
	openDataFolder(config.dataDir);
	const lock = lockFolder(config.dataDir);
	try {
		const loose = tightenDataFolder(config.dataDir);
		if (loose !== undefined) log.warn({}, loose);
		const keys = loadMasterKeys(config.masterKey, config.dataDir, {
			databaseExists: !(await isEmptyDatabase(config)),
			randomBytes32,
		});
		if (keys.made)
			log.info(
				{},
				`made ${join(config.dataDir, "master.key")}: back it up, without it no stored secret can be read`,
			);
		return await open(config, keys.keysText, { clock, log, lock, bringUpToDate: true });
	} catch (error) {
		lock.release();
		throw error;
	}
}

/**
 * Opens what is there, beside a running service or without one, and makes nothing: for commands that change a few rows.
 *
 * @throws StartError when there is no database yet, or its schema is not this program's.
 */
export async function openBesideService(
	config: Config,
	{ clock }: { readonly clock: Clock },
): Promise<Installation> {
	if (await isEmptyDatabase(config)) {
		const what =
			config.databaseUrl === null ? `${databaseFile(config)} does not exist` : "the database is empty";
		throw new StartError(`${what} yet; start the service once first`);
	}
	const { keysText } = loadMasterKeys(config.masterKey, config.dataDir, {
		databaseExists: true,
		randomBytes32,
	});
	return open(config, keysText, { clock, log: undefined, lock: undefined, bringUpToDate: false });
}

interface Circumstances {
	readonly clock: Clock;
	readonly log: Log | undefined;
	readonly lock: FolderLock | undefined;
	readonly bringUpToDate: boolean;
}

async function open(
	config: Config,
	keysText: string,
	{ clock, log, lock, bringUpToDate }: Circumstances,
): Promise<Installation> {
	const secretBox = readKeys(keysText, rereadKeys(config, log));
	const breached =
		config.breachedPasswords === null ? undefined : createBreachedPasswords(config.breachedPasswords);
	await breached?.requireUsable();
	const engine = await openDatabase(config);
	let schema: Installation["schema"];
	try {
		schema = bringUpToDate ? await updateSchema(engine, clock) : await requireSchema(engine);
	} catch (error) {
		await engine.close();
		throw unusable(config, error);
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
		isBreached: breached?.has,
	});
	return {
		db,
		engine,
		secretBox,
		passwords,
		schema,
		async close() {
			await engine.close();
			lock?.release();
		},
	};
}

function readKeys(keysText: string, reread?: () => readonly Buffer[] | undefined): SecretBox {
	try {
		return new SecretBox(parseMasterKeys(keysText), reread);
	} catch (cause) {
		if (cause instanceof SecretBoxError) throw new StartError(`master key: ${cause.message}`, { cause });
		throw cause;
	}
}

/** Keys in a file may change while the service runs; a list that is none is logged, and the keys of before stay. */
function rereadKeys({ masterKey, dataDir }: Config, log: Log | undefined) {
	const tell = (err: StartError): void =>
		log?.error({ err }, "master keys not read again, the old ones stay");
	const changed = watchMasterKeys(masterKey, dataDir, tell);
	if (changed === undefined) return undefined;
	return (): readonly Buffer[] | undefined => {
		const keysText = changed();
		if (keysText === undefined) return undefined;
		try {
			readKeys(keysText);
			return parseMasterKeys(keysText);
		} catch (error) {
			if (!(error instanceof StartError)) throw error;
			tell(error);
			return undefined;
		}
	};
}

async function updateSchema(engine: Engine, clock: Clock): Promise<Installation["schema"]> {
	const applied = await migrate(engine, clock());
	return { found: SCHEMA_VERSION - applied.length, applied };
}

async function requireSchema(engine: Engine): Promise<Installation["schema"]> {
	const found = await schemaVersion(engine);
	if (found === SCHEMA_VERSION) return { found, applied: [] };
	throw new StartError(
		found < SCHEMA_VERSION
			? `the database has schema ${found}, this program needs ${SCHEMA_VERSION}; run latchkey migrate`
			: `the database has schema ${found}, this program knows up to ${SCHEMA_VERSION}; use the newer version of latchkey`,
	);
}
