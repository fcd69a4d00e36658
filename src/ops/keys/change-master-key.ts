// Changes the master key in the data directory, even while the service runs on it.

import { addOwnMasterKey, dropOldMasterKeys, readOwnMasterKeys } from "../../adapters/files/master-key.ts";
import { isFolderInUse, lockFolder } from "../../adapters/sqlite/folder-lock.ts";
import { hasDatabaseFile, noInstallation, refuseMovedInstallation } from "../../app/installation-place.ts";
import { openBesideService } from "../../app/open-installation.ts";
import type { Config } from "../../config/config.ts";
import { randomBytes32 } from "../../crypto/random.ts";
import { type Clock, SECOND_MS } from "../../kernel/clock.ts";
import { StartError } from "../../kernel/start-error.ts";
import { type Resealed, reseal } from "./reseal.ts";

const LOCK_FILE = "latchkey.rekey.lock";

/** By then, the service has committed or abandoned every write that it encrypted before the new key. */
const SETTLED_MS = 6 * SECOND_MS;

/**
 * Writes a new key before the old one to `master.key`, re-seals everything, and moves the old key to `master.key.old`.
 * The running service reads `master.key` again before it seals, and when it cannot open a text. When interrupted at any
 * moment, `master.key` opens everything, and the next run finishes the change.
 *
 * @returns `continued`: an earlier, interrupted change was completed, and this run created no key.
 * @throws StartError when the keys are configured, when another change runs, and as `reseal`.
 */
export async function changeMasterKey(
	config: Config,
	{ clock, onProgress }: { readonly clock: Clock; readonly onProgress: (texts: number) => void },
): Promise<Resealed & { readonly continued: boolean }> {
	const { dataDir } = config;
	refuseConfigured(config);
	refuseMovedInstallation(config);
	if (!hasDatabaseFile(config)) throw noInstallation(config);
	const lock = lockFolder(dataDir, LOCK_FILE);
	try {
		const continued = readOwnMasterKeys(dataDir).keysText.includes(",");
		if (!continued) addOwnMasterKey(dataDir, randomBytes32());
		const installation = await openBesideService(config, clock);
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

/** Waits for the writes of a running service. A service that starts now reads the new list. */
async function settle(dataDir: string): Promise<void> {
	if (!isFolderInUse(dataDir)) return;
	const leftMs = readOwnMasterKeys(dataDir).sinceMs + SETTLED_MS - Date.now();
	if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
}
