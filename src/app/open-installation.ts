// Opens an installation in the order that changes nothing when a check fails: configuration, folder, lock, keys,
// database.

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createBreachedPasswords } from "../adapters/files/breached-passwords.ts";
import { openDataFolder, tightenDataFolder } from "../adapters/files/data-folder.ts";
import { findConfiguredMasterKeys, loadMasterKeys } from "../adapters/files/master-key.ts";
import { migrate, SCHEMA_VERSION, schemaVersion } from "../adapters/migrations/migrate.ts";
import type { Engine } from "../adapters/sql/engine.ts";
import { type FolderLock, lockFolder } from "../adapters/sqlite/folder-lock.ts";
import { createPersistence } from "../adapters/stores/stores.ts";
import type { Config } from "../config/config.ts";
import { createKeyedDigest } from "../crypto/digest.ts";
import { createPasswordHasher, type PasswordHasher } from "../crypto/password.ts";
import { randomBytes32 } from "../crypto/random.ts";
import type { SecretBox } from "../crypto/secret-box.ts";
import type { Db } from "../domain/stores.ts";
import { chainHash } from "../features/record/audit/chain.ts";
import { loadMailTexts } from "../features/record/mail/mail-texts.ts";
import { listedSubject } from "../features/record/mail/render.ts";
import type { Clock } from "../kernel/clock.ts";
import { newId } from "../kernel/id.ts";
import type { Log } from "../kernel/log.ts";
import { StartError } from "../kernel/start-error.ts";
import {
	isEmptyDatabase,
	noInstallation,
	openDatabase,
	refuseMovedInstallation,
	refuseNewerSchema,
	unusable,
} from "./installation-place.ts";
import { createSecretBox, loadExistingKeys, rereadKeys } from "./master-keys.ts";

export interface Installation {
	readonly db: Db;
	readonly engine: Engine;
	readonly secretBox: SecretBox;
	readonly passwords: PasswordHasher;
	/** The schema version found (0: an empty database), and the names of the migrations that were applied. */
	readonly schema: { readonly found: number; readonly applied: readonly string[] };
	/** Closes the database and releases the folder's lock. */
	close(): Promise<void>;
}

/**
 * Locks the data folder for this process, creates what is missing, and updates the schema (`serve`, `migrate`).
 *
 * @throws StartError
 */
export async function openInstallation(
	config: Config,
	{ clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<Installation> {
	findConfiguredMasterKeys(config.masterKey);
	refuseMovedInstallation(config);
	openDataFolder(config.dataDir);
	const lock = lockFolder(config.dataDir);
	try {
		const warning = tightenDataFolder(config.dataDir);
		if (warning !== undefined) log.warn({}, warning);
		const keys = loadMasterKeys(config.masterKey, config.dataDir, {
			databaseExists: !(await isEmptyDatabase(config)),
			randomBytes32,
		});
		if (keys.created)
			log.info(
				{},
				`made ${join(config.dataDir, "master.key")}: back it up, without it no stored secret can be read`,
			);
		return await open(config, keys.keysText, { clock, log, lock, updatesSchema: true });
	} catch (error) {
		lock.release();
		throw error;
	}
}

/**
 * Opens an existing installation, beside a running service or without one, for commands that change a few rows.
 * Creates nothing.
 *
 * @throws StartError when there is no database, or its schema is not the one of this version.
 */
export async function openBesideService(config: Config, clock: Clock): Promise<Installation> {
	refuseMovedInstallation(config);
	if (await isEmptyDatabase(config)) throw noInstallation(config);
	return open(config, loadExistingKeys(config), {
		clock,
		log: undefined,
		lock: undefined,
		updatesSchema: false,
	});
}

interface OpenOptions {
	readonly clock: Clock;
	readonly log: Log | undefined;
	readonly lock: FolderLock | undefined;
	readonly updatesSchema: boolean;
}

async function open(
	config: Config,
	keysText: string,
	{ clock, log, lock, updatesSchema }: OpenOptions,
): Promise<Installation> {
	const texts = loadMailTexts(config.mailTexts);
	const secretBox = createSecretBox(keysText, rereadKeys(config, log));
	const breached =
		config.breachedPasswords === null ? undefined : createBreachedPasswords(config.breachedPasswords);
	await breached?.requireUsable();
	const engine = await openDatabase(config);
	let schema: Installation["schema"];
	try {
		schema = updatesSchema ? await updateSchema(engine, clock) : await requireSchema(engine);
	} catch (error) {
		await engine.close();
		throw unusable(config, error);
	}
	if (updatesSchema) prepareSearches(engine, log);
	const db = createPersistence(engine, {
		nowMs: clock,
		newId: () => newId(clock()),
		chainHash,
		seal: (plain, context) => secretBox.seal(plain, context),
		open: (sealed, context) => secretBox.open(sealed, context),
		subjectOf: (mail) => listedSubject(texts, mail),
		...(lock === undefined ? {} : { keyedDigest: createKeyedDigest() }),
	});
	const passwords = createPasswordHasher({
		cost: config.bcryptCost,
		threads: Math.max(1, availableParallelism() - 1),
		isBreached: breached?.has,
		onLanesFailed: config.hashLanes === "on" ? reportFailedLanes(log) : undefined,
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

/** Beside the start: until it is done, a search reads every name. */
function prepareSearches(engine: Engine, log: Log | undefined): void {
	engine.prepareSearches().catch((err: unknown) => {
		log?.warn(
			{ err },
			"the index for searches could not be made: a search reads every name until the next start",
		);
	});
}

function reportFailedLanes(log: Log | undefined): (error: Error) => void {
	return (error) =>
		log?.warn({ err: error }, "password hashes share no thread any more: sign-ins in a rush take longer");
}

async function updateSchema(engine: Engine, clock: Clock): Promise<Installation["schema"]> {
	const applied = await migrate(engine, clock());
	return { found: SCHEMA_VERSION - applied.length, applied };
}

async function requireSchema(engine: Engine): Promise<Installation["schema"]> {
	const found = await schemaVersion(engine);
	if (found === SCHEMA_VERSION) return { found, applied: [] };
	refuseNewerSchema("the database", found);
	throw new StartError(
		`the database has schema ${found}, this version of latchkey needs ${SCHEMA_VERSION}; run latchkey migrate`,
	);
}
