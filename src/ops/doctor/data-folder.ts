// Checks the data folder: access, mode, use by a running service, and the master key.

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkDataFolder } from "../../adapters/files/data-folder.ts";
import { loadMasterKeys } from "../../adapters/files/master-key.ts";
import { refuseFolderInUse } from "../../adapters/sqlite/folder-lock.ts";
import type { Config } from "../../config/config.ts";
import { randomBytes32 } from "../../crypto/random.ts";
import { StartError } from "../../kernel/start-error.ts";
import { type Finding, failing, ok, warn } from "./finding.ts";

const OTHERS = 0o077;

export async function examineDataFolder(config: Config): Promise<Finding[]> {
	return [
		...(await failing("data folder", () => examineFolder(config.dataDir))),
		...(await failing("master key", () => examineMasterKey(config))),
	];
}

function examineFolder(dataDir: string): Finding[] {
	checkDataFolder(dataDir);
	if (!existsSync(dataDir)) return [ok("data folder", `${dataDir} will be made by the first start`)];
	const mode = statSync(dataDir).mode & 0o777;
	const isOpen = process.platform !== "win32" && (mode & OTHERS) !== 0;
	const text = `${dataDir} is ${isInUse(dataDir) ? "in use by a running latchkey" : "not in use"}`;
	if (!isOpen) return [ok("data folder", text)];
	return [
		warn(
			"data folder",
			`${text}, and open to other users (mode 0${mode.toString(8)}): close it with chmod 700`,
		),
	];
}

function isInUse(dataDir: string): boolean {
	try {
		refuseFolderInUse(dataDir);
		return false;
	} catch (error) {
		if (error instanceof StartError && error.message.includes("in use")) return true;
		throw error;
	}
}

/** Reads the key as a start does. Runs only with a database, so that no key is created. */
function examineMasterKey(config: Config): Finding[] {
	const { masterKey, dataDir } = config;
	const ownFile = join(dataDir, "master.key");
	const isConfigured = masterKey.inline !== undefined || masterKey.file !== undefined;
	loadMasterKeys(masterKey, dataDir, { databaseExists: true, randomBytes32 });
	return [ok("master key", isConfigured ? "is configured" : `${ownFile}; is it in your backups?`)];
}
