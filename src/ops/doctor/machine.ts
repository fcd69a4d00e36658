// Checks the machine: the version of Node, free disk space, the data directory, and the master key in it.

import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkDataFolder } from "../../adapters/files/data-folder.ts";
import { refuseFolderInUse } from "../../adapters/sqlite/folder-lock.ts";
import { loadExistingKeys } from "../../app/master-keys.ts";
import type { Config } from "../../config/config.ts";
import { check, type InstallationCheck } from "../../domain/installation-check.ts";
import { StartError } from "../../kernel/start-error.ts";
import { failing } from "./failing.ts";

const NODE_MAJOR_MIN = 24;
const MEGABYTE = 1_000_000;
const LITTLE_MEGABYTES = 1_000;
const TOO_LITTLE_MEGABYTES = 100;

export function examineMachine(config: Config): InstallationCheck[] {
	return [examineNode(process.versions.node), examineSpace(config.dataDir)];
}

/** @param version in the form of `process.versions.node`. */
export function examineNode(version: string): InstallationCheck {
	if (Number.parseInt(version, 10) >= NODE_MAJOR_MIN) return check("node.supported", { version });
	return check("node.unsupported", { version, min: NODE_MAJOR_MIN });
}

function examineSpace(dataDir: string): InstallationCheck {
	const folder = nearestFolder(dataDir);
	const { bavail, bsize } = statfsSync(folder);
	return decideSpace(Math.floor((bavail * bsize) / MEGABYTE), folder);
}

export function decideSpace(megabytes: number, path: string): InstallationCheck {
	if (megabytes < TOO_LITTLE_MEGABYTES) return check("disk.full", { megabytes, path });
	return check(megabytes < LITTLE_MEGABYTES ? "disk.low" : "disk.free", { megabytes, path });
}

function nearestFolder(path: string): string {
	const parent = dirname(path);
	return existsSync(path) || parent === path ? path : nearestFolder(parent);
}

const OTHERS = 0o077;

export async function examineDataFolder(config: Config): Promise<InstallationCheck[]> {
	return [
		...(await failing("data_directory.unusable", () => examineFolder(config.dataDir))),
		...(await failing("master_key.unusable", () => examineMasterKey(config))),
	];
}

function examineFolder(path: string): InstallationCheck {
	checkDataFolder(path);
	if (!existsSync(path)) return check("data_directory.missing", { path });
	const mode = statSync(path).mode & 0o777;
	const use = isInUse(path) ? "in_use" : "unused";
	if (process.platform === "win32" || (mode & OTHERS) === 0) return check(`data_directory.${use}`, { path });
	return check(`data_directory.${use}_open`, { path, mode: `0${mode.toString(8)}` });
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

/** Reads the key like a start does. Runs only when a database exists, so that no key is created. */
function examineMasterKey(config: Config): InstallationCheck {
	const { masterKey, dataDir } = config;
	const isConfigured = masterKey.inline !== undefined || masterKey.file !== undefined;
	loadExistingKeys(config);
	if (isConfigured) return check("master_key.configured");
	return check("master_key.generated", { file: join(dataDir, "master.key") });
}
