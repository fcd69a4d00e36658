// The doctor on the data folder: may it be used, is it private, who has it, and is the master key there.

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkDataFolder } from "../../adapters/files/data-folder.ts";
import { loadMasterKeys } from "../../adapters/files/master-key.ts";
import { refuseFolderInUse } from "../../adapters/sql/folder-lock.ts";
import type { Config } from "../../config/config.ts";
import { randomBytes32 } from "../../crypto/random.ts";
import { StartError } from "../../kernel/start-error.ts";
import { databaseFile } from "../database-place.ts";
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

/** Reads as a start does; the one case in which a start would make a key is answered before. */
function examineMasterKey(config: Config): Finding[] {
	const { masterKey, dataDir } = config;
	const ownFile = join(dataDir, "master.key");
	const isConfigured = masterKey.inline !== undefined || masterKey.file !== undefined;
	const databaseExists = config.databaseUrl === null && existsSync(databaseFile(config));
	if (!isConfigured && !databaseExists && !existsSync(ownFile))
		return [ok("master key", "will be made by the first start")];
	loadMasterKeys(masterKey, dataDir, { databaseExists, randomBytes32 });
	return [ok("master key", isConfigured ? "is configured" : `${ownFile}; is it in your backups?`)];
}
