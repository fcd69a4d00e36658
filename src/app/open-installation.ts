// Opens an installation in the order that changes nothing when a check fails: configuration, folder, lock, keys,
// database.

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createBreachedPasswords } from "../adapters/files/breached-passwords.ts";
import { openDataFolder, tightenDataFolder } from "../adapters/files/data-folder.ts";
import { findConfiguredMasterKeys, loadMasterKeys } from "../adapters/files/master-key.ts";
import { migrate, SCHEMA_VERSION, schemaVersion } from "../adapters/migrations/migrate.ts";
import type { Engine } from "../adapters/sql/engine.ts";
import { filesOf, readMark } from "../adapters/sqlite/database-mark.ts";
import { type FolderLock, isFolderInUse, lockFolder } from "../adapters/sqlite/folder-lock.ts";
import { refuseUnwritable } from "../adapters/sqlite/refuse-unwritable.ts";
import { KEPT_STATEMENTS } from "../adapters/stores/kept-plans.ts";
import { RecentEndings } from "../adapters/stores/recent-endings.ts";
import { createPersistence } from "../adapters/stores/stores.ts";
import type { Config } from "../config/config.ts";
import { createKeyedDigest, sha256Hex } from "../crypto/digest.ts";
import { createPasswordHasher, type PasswordHasher } from "../crypto/password.ts";
import { randomBytes32 } from "../crypto/random.ts";
import type { SecretBox } from "../crypto/secret-box.ts";
import { userCiphers } from "../crypto/user-ciphers.ts";
import type { FollowedServer } from "../domain/database-server.ts";
import type { Db } from "../domain/stores.ts";
import { auditChain } from "../features/record/audit/chain.ts";
import { loadMailTexts } from "../features/record/mail/mail-texts.ts";
import { listedSubject } from "../features/record/mail/render.ts";
import { type Clock, isoTime } from "../kernel/clock.ts";
import { newId } from "../kernel/id.ts";
import type { Log } from "../kernel/log.ts";
import { StartError } from "../kernel/start-error.ts";
import {
	databaseFile,
	isEmptyDatabase,
	noInstallation,
	openDatabase,
	refuseMissingDatabase,
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
	/** What this process ended; undefined on a database that cannot fail over. */
	readonly endings: RecentEndings | undefined;
	/** Set by the watch of the database server. */
	readonly followedServer: FollowedServer;
	/** The schema version found (0: an empty database), and the names of the migrations that were applied. */
	readonly schema: { readonly found: number; readonly applied: readonly string[] };
	/** Closes the database and releases the folder's lock. */
	close(): Promise<void>;
}

/**
 * Locks the data directory for this process, creates what is missing, and updates the schema (`serve`, `migrate`).
 *
 * @param isNew creates a database even if the data directory held one.
 * @throws StartError
 */
export async function openInstallation(
	config: Config,
	{ clock, log, isNew = false }: { readonly clock: Clock; readonly log: Log; readonly isNew?: boolean },
): Promise<Installation> {
	findConfiguredMasterKeys(config.masterKey);
	refuseMovedInstallation(config);
	refuseMissingDatabase(config, isNew);
	const files = await loadFiles(config);
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
				`created ${join(config.dataDir, "master.key")}: back it up; stored secrets cannot be decrypted without it`,
			);
		return await open(config, keys.keysText, { ...files, clock, log, lock, updatesSchema: true });
	} catch (error) {
		lock.release();
		throw error;
	}
}

/**
 * Opens an existing installation, with the service running or stopped, for commands that change a few rows.
 * Creates nothing.
 *
 * @throws StartError when there is no database, or its schema is not the one of this version.
 */
export async function openBesideService(config: Config, clock: Clock): Promise<Installation> {
	refuseMovedInstallation(config);
	if (await isEmptyDatabase(config)) throw noInstallation(config);
	if (config.databaseUrl === null) refuseReplacedFiles(config.dataDir, databaseFile(config));
	const installation = await open(config, loadExistingKeys(config), {
		...(await loadFiles(config)),
		clock,
		log: undefined,
		lock: undefined,
		updatesSchema: false,
	});
	installation.engine.ownership?.follow(clock);
	return installation;
}

/** A command that opened other files than the running service would change nothing of it. @throws StartError */
function refuseReplacedFiles(dataDir: string, file: string): void {
	const mark = readMark(file);
	if (mark === undefined || mark.files === filesOf(file) || !isFolderInUse(dataDir)) return;
	throw new StartError(
		`a file of ${file} was replaced or removed while the service holds it: restart the service first`,
		{ kind: "refused" },
	);
}

/** Reads and checks every file that an existing or a new installation uses. Creates nothing. @throws StartError */
async function loadFiles(config: Config) {
	if (config.databaseUrl === null) refuseUnwritable(databaseFile(config));
	const breached =
		config.breachedPasswords === null ? undefined : createBreachedPasswords(config.breachedPasswords);
	await breached?.requireUsable();
	return { breached, texts: loadMailTexts(config.mailTexts) };
}

interface OpenOptions extends Awaited<ReturnType<typeof loadFiles>> {
	readonly clock: Clock;
	readonly log: Log | undefined;
	readonly lock: FolderLock | undefined;
	readonly updatesSchema: boolean;
}

async function open(
	config: Config,
	keysText: string,
	{ breached, texts, clock, log, lock, updatesSchema }: OpenOptions,
): Promise<Installation> {
	const secretBox = createSecretBox(keysText, rereadKeys(config, log));
	const engine = await openDatabase(config, log && ((message) => log.warn({}, message)));
	let schema: Installation["schema"];
	try {
		schema = updatesSchema ? await updateSchema(engine, clock) : await requireSchema(engine);
	} catch (error) {
		await engine.close();
		throw unusable(config, error);
	}
	const warn = (message: string) => (err: unknown) => log?.warn({ err }, message);
	if (updatesSchema) {
		// In the background: until it finishes, a search reads every name.
		void engine
			.prepareSearches()
			.catch(warn("the search index could not be built: a search reads every name until the next start"));
		// Says weeks ahead that the role of this node may not create the table of a month.
		await engine
			.prepareMonths(clock())
			.catch(
				warn("the table of the next month's audit events could not be created: the role must own the tables"),
			);
		// Needs the right to create functions only behind a pooler. Decisions are the same without them.
		await engine
			.keepPlans(KEPT_STATEMENTS)
			.catch(warn("plans could not be kept behind the pooler: signed calls cost the database more"));
	}
	const endings = engine.serverIdentity === undefined ? undefined : new RecentEndings(clock);
	const followedServer: FollowedServer = { identity: "" };
	const db = createPersistence(engine, {
		endings,
		followedServer,
		nowMs: clock,
		newId: () => newId(clock()),
		auditChain,
		digestOf: sha256Hex,
		userCiphers,
		seal: (plain, context) => secretBox.seal(plain, context),
		open: (sealed, context) => secretBox.open(sealed, context),
		subjectOf: (mail) => listedSubject(texts, mail),
		...(lock === undefined ? {} : { keyedDigest: createKeyedDigest() }),
	});
	const passwords = createPasswordHasher({
		cost: config.bcryptCost,
		threads: Math.max(1, availableParallelism() - 1),
		isBreached: breached?.has,
		onLanesFailed:
			config.hashLanes === "on"
				? warn("password hashes no longer share a thread: sign-ins in a burst take longer")
				: undefined,
	});
	return {
		db,
		engine,
		secretBox,
		passwords,
		endings,
		followedServer,
		schema,
		async close() {
			await engine.close();
			lock?.release();
		},
	};
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

/**
 * Checks that the embedded database can be written: SQLite opens it without an error even if it is read-only or the
 * disk is full. PostgreSQL refuses such a connection when it opens.
 *
 * @throws StartError
 */
export async function requireWritable(config: Config, { queries }: Engine, nowMs: number): Promise<void> {
	if (config.databaseUrl !== null) return;
	try {
		await queries.run(
			"INSERT INTO meta (key, value) VALUES ('started_at', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
			isoTime(nowMs),
		);
	} catch (error) {
		throw unusable(config, error);
	}
}
