// Checks the machine: the version of Node, free disk space, the data directory with the master key, and the list of
// breached passwords.

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { createBreachedPasswords } from "../../adapters/files/breached-passwords.ts";
import { checkDataFolder } from "../../adapters/files/data-folder.ts";
import { isFolderInUse } from "../../adapters/sqlite/folder-lock.ts";
import { connectionBudget, descriptorsOfService } from "../../app/connection-budget.ts";
import { loadExistingKeys } from "../../app/master-keys.ts";
import type { Config } from "../../config/config.ts";
import { check, type InstallationCheck } from "../../domain/installation-check.ts";
import { freeSpace } from "../copy/restore-space.ts";
import { failing } from "./failing.ts";

const NODE_MAJOR_MIN = 24;
const MEGABYTE = 1_000_000;
const LITTLE_MEGABYTES = 1_000;
const TOO_LITTLE_MEGABYTES = 100;

export function examineMachine(config: Config): InstallationCheck[] {
	return [
		examineNode(process.versions.node),
		...examineDescriptors(config, descriptorsOfService()),
		examineSpace(config.dataDir),
	];
}

/** @param version in the form of `process.versions.node`. */
export function examineNode(version: string): InstallationCheck {
	if (Number.parseInt(version, 10) >= NODE_MAJOR_MIN) return check("node.supported", { version });
	return check("node.unsupported", { version, min: NODE_MAJOR_MIN });
}

/** Nothing where the limit is unknown. The service may be started with another one. */
export function examineDescriptors(
	config: Pick<Config, "maxConnections" | "databaseUrl">,
	descriptors: ReturnType<typeof descriptorsOfService>,
): InstallationCheck[] {
	const { descriptors: limit, connections } = connectionBudget(config, descriptors);
	if (limit === undefined) return [];
	const { maxConnections: configured } = config;
	if (configured <= connections) return [check("descriptors.enough", { limit, connections })];
	return [check("descriptors.few", { limit, connections, configured })];
}

function examineSpace(dataDir: string): InstallationCheck {
	const { folder, bytes } = freeSpace(dataDir);
	return decideSpace(Math.floor(bytes / MEGABYTE), folder);
}

export function decideSpace(megabytes: number, path: string): InstallationCheck {
	if (megabytes < TOO_LITTLE_MEGABYTES) return check("disk.full", { megabytes, path });
	return check(megabytes < LITTLE_MEGABYTES ? "disk.low" : "disk.free", { megabytes, path });
}

const OTHERS = 0o077;

export async function examineDataFolder(config: Config): Promise<InstallationCheck[]> {
	return [
		...(await failing("data_directory.unusable", () => examineFolder(config.dataDir))),
		...(await failing("master_key.unusable", () => examineMasterKey(config))),
	];
}

/** Nothing without a list. */
export async function examineBreachedPasswords({
	breachedPasswords: file,
}: Config): Promise<InstallationCheck[]> {
	if (file === null) return [];
	return await failing("breached_passwords.unusable", async () => {
		await createBreachedPasswords(file).requireUsable();
		return [check("breached_passwords.usable", { file })];
	});
}

function examineFolder(path: string): InstallationCheck {
	checkDataFolder(path);
	if (!existsSync(path)) return check("data_directory.missing", { path });
	const mode = statSync(path).mode & 0o777;
	const use = isFolderInUse(path) ? "in_use" : "unused";
	if (process.platform === "win32" || (mode & OTHERS) === 0) return check(`data_directory.${use}`, { path });
	return check(`data_directory.${use}_open`, { path, mode: `0${mode.toString(8)}` });
}

/** Reads the key like a start does. Runs only when a database exists, so that no key is created. */
function examineMasterKey(config: Config): InstallationCheck {
	const { masterKey, dataDir } = config;
	const isConfigured = masterKey.inline !== undefined || masterKey.file !== undefined;
	loadExistingKeys(config);
	if (isConfigured) return check("master_key.configured");
	return check("master_key.generated", { file: join(dataDir, "master.key") });
}
