// The data directory: checked, created, and closed to other users. A refused start must change nothing, so the steps
// are separate. A start runs them in this order, each only after the previous one has succeeded:
//
//  1. the configuration                              reads only
//  2. readCertificate, when files are configured     reads only
//  3. findConfiguredMasterKeys                       reads only
//  4. checkDataFolder                                reads only
//  5. the files of the database, the list of
//     breached passwords, and the mail texts         reads only
//  6. openDataFolder                                 creates a missing directory
//  7. lockFolder (adapters/sqlite/folder-lock.ts)    creates latchkey.lock
//  8. tightenDataFolder                              revokes the access of other users
//  9. loadMasterKeys                                 creates master.key at the first start
// 10. ensureCertificate                              creates the self-signed pair when none is configured
// 11. everything else, beginning with the database

import { accessSync, chmodSync, constants, mkdirSync, readdirSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { StartError, systemCode } from "../../kernel/start-error.ts";

const OTHERS = 0o077;
const WRITABLE_BY_ALL = 0o002;
const LOCK_FILE = "latchkey.lock";
/** Files that may exist before the first start: on a new volume, from a restored backup, or a provided key. */
const EXPECTED = /^(?:latchkey\..*|master\.key(?:\.old)?|tls-(?:cert|key)\.pem|mail|lost\+found|\..*)$/;
/** Windows has no file modes; the directory inherits its permissions. */
const HAS_MODES = process.platform !== "win32";

/**
 * Changes nothing. An existing directory must be readable, writable, and either private or safe to make private:
 * without other content (unlike `/`, `/tmp`, or a home directory). A missing directory must be possible to create.
 *
 * @throws StartError
 */
export function checkDataFolder(path: string): void {
	const stats = findStats(path);
	if (stats === undefined) {
		checkParent(path);
		return;
	}
	if (!stats.isDirectory()) throw new StartError(`data directory ${path} is not a directory`);
	checkAccess(path, `data directory ${path}`);
	if (!isLoose(stats)) return;
	if (!isOwn(stats)) {
		if ((stats.mode & WRITABLE_BY_ALL) === 0) return;
		throw new StartError(
			`data directory ${path} belongs to another user and is writable by everyone (mode ${modeText(stats)}); name a directory of your own`,
		);
	}
	const foreign = findForeign(path, stats);
	if (foreign === undefined) return;
	throw new StartError(
		`data directory ${path} is open to other users (mode ${modeText(stats)}) and holds ${foreign}; name an empty directory, or close it with chmod 700`,
	);
}

/**
 * Checks the directory, and creates it if missing (0700, including parents).
 *
 * @throws StartError
 */
export function openDataFolder(path: string): void {
	checkDataFolder(path);
	createFolder(path);
}

/**
 * Creates parents first. Does not use `recursive`, which loops forever where an existing parent permits no
 * subdirectories (`/proc`, with Node 26.10).
 */
function createFolder(path: string): void {
	if (findStats(path) !== undefined) return;
	const parent = dirname(path);
	if (parent !== path) createFolder(parent);
	try {
		mkdirSync(path, { mode: 0o700 });
	} catch (cause) {
		throw new StartError(`data directory ${path} cannot be created (${systemCode(cause)})`, { cause });
	}
}

/**
 * Sets the mode to 0700 when other users have access and this user owns the directory. Returns a warning to log when
 * another user owns it: a volume mounted for a group works, because every file in it is private.
 *
 * @throws StartError
 */
export function tightenDataFolder(path: string): string | undefined {
	const stats = findStats(path);
	if (stats === undefined || !isLoose(stats)) return undefined;
	if (!isOwn(stats))
		return `data directory ${path} is open to other users (mode ${modeText(stats)}) and owned by another user, so latchkey cannot close it`;
	try {
		chmodSync(path, 0o700);
		return undefined;
	} catch (cause) {
		throw new StartError(`data directory ${path} cannot be closed to other users (${systemCode(cause)})`, {
			cause,
		});
	}
}

function findStats(path: string): Stats | undefined {
	try {
		return statSync(path, { throwIfNoEntry: false });
	} catch (cause) {
		if (systemCode(cause) === "ENOTDIR") return undefined;
		throw new StartError(`data directory ${path} cannot be read (${systemCode(cause)})`, { cause });
	}
}

/** The nearest existing parent must be a writable directory. */
function checkParent(path: string): void {
	let parent = dirname(path);
	let stats = findStats(parent);
	while (stats === undefined && dirname(parent) !== parent) {
		parent = dirname(parent);
		stats = findStats(parent);
	}
	if (stats?.isDirectory() !== true) {
		throw new StartError(`data directory ${path} cannot be created: ${parent} is not a directory`);
	}
	checkAccess(parent, `data directory ${path} cannot be created: ${parent}`);
}

function checkAccess(path: string, subject: string): void {
	try {
		accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
	} catch (cause) {
		throw new StartError(`${subject} is not writable (${systemCode(cause)})`, { cause });
	}
}

function isLoose(stats: Stats): boolean {
	return HAS_MODES && (stats.mode & OTHERS) !== 0;
}

function isOwn(stats: Stats): boolean {
	return process.getuid?.() === stats.uid;
}

/** An entry that shows that the directory also serves another purpose; the sticky bit marks `/tmp`. */
function findForeign(path: string, stats: Stats): string | undefined {
	const names = readdirSync(path);
	if (names.includes(LOCK_FILE)) return undefined;
	if ((stats.mode & 0o1000) !== 0) return "files of many users";
	const name = names.find((entry) => !EXPECTED.test(entry));
	return name === undefined ? undefined : `${JSON.stringify(name)}, which is not latchkey's`;
}

function modeText(stats: Stats): string {
	return (stats.mode & 0o7777).toString(8).padStart(4, "0");
}
