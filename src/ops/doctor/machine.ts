// Checks the machine: the version of Node, free disk space, the data directory, and the master key in it.

import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkDataFolder } from "../../adapters/files/data-folder.ts";
import { refuseFolderInUse } from "../../adapters/sqlite/folder-lock.ts";
import { loadExistingKeys } from "../../app/master-keys.ts";
import type { Config } from "../../config/config.ts";
import { StartError } from "../../kernel/start-error.ts";
import { type Finding, fail, failing, ok, warn } from "./finding.ts";

const NODE_MAJOR_MIN = 24;
const MEGABYTE = 1_000_000;
const LITTLE_MEGABYTES = 1_000;
const TOO_LITTLE_MEGABYTES = 100;

export function examineMachine(config: Config): Finding[] {
	return [examineNode(process.versions.node), examineSpace(config.dataDir)];
}

/** @param version in the form of `process.versions.node`. */
export function examineNode(version: string): Finding {
	if (Number.parseInt(version, 10) >= NODE_MAJOR_MIN) return ok("node", `v${version}`);
	return fail(
		"node",
		`v${version} is too old: ${NODE_MAJOR_MIN} or later is needed; npm start brings its own`,
	);
}

function examineSpace(dataDir: string): Finding {
	const folder = nearestFolder(dataDir);
	const { bavail, bsize } = statfsSync(folder);
	return decideSpace(Math.floor((bavail * bsize) / MEGABYTE), folder);
}

export function decideSpace(megabytes: number, folder: string): Finding {
	const text = `${megabytes} MB free at ${folder}`;
	if (megabytes < TOO_LITTLE_MEGABYTES)
		return fail("disk", `${text}: writes will soon be refused, make room`);
	if (megabytes < LITTLE_MEGABYTES) return warn("disk", `${text}: make room`);
	return ok("disk", text);
}

function nearestFolder(path: string): string {
	const parent = dirname(path);
	return existsSync(path) || parent === path ? path : nearestFolder(parent);
}

const OTHERS = 0o077;

export async function examineDataFolder(config: Config): Promise<Finding[]> {
	return [
		...(await failing("data folder", () => examineFolder(config.dataDir))),
		...(await failing("master key", () => examineMasterKey(config))),
	];
}

function examineFolder(dataDir: string): Finding {
	checkDataFolder(dataDir);
	if (!existsSync(dataDir)) return ok("data folder", `${dataDir} will be made by the first start`);
	const mode = statSync(dataDir).mode & 0o777;
	const isOpen = process.platform !== "win32" && (mode & OTHERS) !== 0;
	const text = `${dataDir} is ${isInUse(dataDir) ? "in use by a running latchkey" : "not in use"}`;
	if (!isOpen) return ok("data folder", text);
	const shownMode = `0${mode.toString(8)}`;
	return warn("data folder", `${text}, and open to other users (mode ${shownMode}): close it with chmod 700`);
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
function examineMasterKey(config: Config): Finding {
	const { masterKey, dataDir } = config;
	const ownFile = join(dataDir, "master.key");
	const isConfigured = masterKey.inline !== undefined || masterKey.file !== undefined;
	loadExistingKeys(config);
	return ok("master key", isConfigured ? "is configured" : `${ownFile}; is it in your backups?`);
}
