// Changes the master key that the installation made for itself in the data folder, also while the service runs on it.

import { existsSync } from "node:fs";
import { addOwnMasterKey, dropOldMasterKeys, readOwnMasterKeys } from "../adapters/files/master-key.ts";
import { lockFolder, refuseFolderInUse } from "../adapters/sql/folder-lock.ts";
import type { Config } from "../config/config.ts";
import { randomBytes32 } from "../crypto/random.ts";
import { type Clock, SECOND_MS } from "../kernel/clock.ts";
import { StartError } from "../kernel/start-error.ts";
import { databaseFile } from "./database-place.ts";
import { openBesideService } from "./open-installation.ts";
import { type Resealed, reseal } from "./reseal.ts";

const LOCK_FILE = "latchkey.rekey.lock";

/** A write of the service that was sealed just before the new key was there is committed, or given up, by then. */
const SETTLED_MS = 6 * SECOND_MS;

export interface MasterKeyChange extends Resealed {
	/** A change that was cut short is finished: no key was made this time. */
	readonly continued: boolean;
}

/**
 * A new key goes before the old one in `master.key`, which the running service reads before it seals the next text and
 * when it meets a text it cannot open; everything is sealed anew; then the old key leaves `master.key` for `master.key.old`.
 * Cut short at any moment, `master.key` opens everything, and the next run finishes the change.
 *
 * @throws StartError when the keys are configured, when another change runs, and as `reseal` does.
 */
export async function changeMasterKey(
	config: Config,
	{ clock, onProgress }: { readonly clock: Clock; readonly onProgress: (texts: number) => void },
): Promise<MasterKeyChange> {
	const { dataDir } = config;
	refuseConfigured(config);
	if (!existsSync(databaseFile(config)))
		throw new StartError(`${databaseFile(config)} does not exist yet; start the service once first`);
	const lock = lockFolder(dataDir, LOCK_FILE);
	try {
		const continued = readOwnMasterKeys(dataDir).keysText.includes(",");
		if (!continued) addOwnMasterKey(dataDir, randomBytes32());
		const installation = await openBesideService(config, { clock });
		try {
			const first = await reseal(installation, onProgress);
			await settle(dataDir);
			const second = await reseal(installation, (texts) => onProgress(first.texts + texts));
			dropOldMasterKeys(dataDir);
			const from = [...new Set([...first.from, ...second.from])].sort();
			return { keyId: first.keyId, texts: first.texts + second.texts, from, continued };
		} finally {
			await installation.close();
		}
	} finally {
		lock.release();
	}
}

function refuseConfigured({ masterKey }: Config): void {
	if (masterKey.inline === undefined && masterKey.file === undefined) return;
	const where = masterKey.file ?? "LATCHKEY_MASTER_KEY";
	throw new StartError(
		`the master key is configured: add a new one to the list in ${where} yourself, on every node, and run latchkey rekey without --new-key`,
	);
}

/** Without a service there is nothing to wait for: one that starts now reads the new list. */
async function settle(dataDir: string): Promise<void> {
	try {
		refuseFolderInUse(dataDir);
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		const leftMs = readOwnMasterKeys(dataDir).sinceMs + SETTLED_MS - Date.now();
		if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
	}
}
