// The data folder: looked at, made, and closed to other users. A bad start changes nothing, so the steps are
// separate and whoever starts takes them in this order, each only when the one before has passed:
//
//  1. the configuration                              reads only
//  2. readCertificate, when files are named          reads only
//  3. findConfiguredMasterKeys                       reads only
//  4. checkDataFolder                                reads only
//  5. openDataFolder                                 makes the folder when there is none
//  6. lockFolder (adapters/sql/folder-lock.ts)       adds latchkey.lock
//  7. tightenDataFolder                              takes other users' rights away
//  8. loadMasterKeys                                 adds master.key at the first start
//  9. ensureCertificate                              adds the self-signed pair when none is named
// 10. the database and the rest

import { accessSync, chmodSync, constants, mkdirSync, readdirSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { StartError, systemCode } from "../../kernel/start-error.ts";

const OTHERS = 0o077;
const WRITABLE_BY_ALL = 0o002;
const LOCK_FILE = "latchkey.lock";
/** What may lie in a folder before the first start: a fresh volume's own things, a restored backup, a given key. */
const EXPECTED = /^(?:latchkey\..*|master\.key(?:\.old)?|tls-(?:cert|key)\.pem|mail|lost\+found|\..*)$/;
/** Windows has no modes; there the folder inherits its rights. */
const HAS_MODES = process.platform !== "win32";

export interface DataFolder {
	/** Absolute, as given. */
	readonly path: string;
	/** The folder was not there before. */
	readonly made: boolean;
}

/**
 * Changes nothing. An existing folder must be readable, writable and either private or such that closing it
 * cannot hurt anybody: a folder full of other things (`/`, `/tmp`, a home) is not ours to close. A missing one
 * must be possible to make.
 *
 * @throws StartError
 */
export function checkDataFolder(path: string): void {
	const stats = findStats(path);
	if (stats === undefined) {
		checkParent(path);
		return;
	}
	if (!stats.isDirectory()) throw new StartError(`data folder ${path} is not a folder`);
	checkAccess(path, `data folder ${path}`);
	if (!isLoose(stats)) return;
	if (!isOwn(stats)) {
		if ((stats.mode & WRITABLE_BY_ALL) === 0) return;
		throw new StartError(
			`data folder ${path} belongs to another user and everybody can write to it (mode ${modeText(stats)}); name a folder of your own`,
		);
	}
	const strange = findStrange(path, stats);
	if (strange === undefined) return;
	throw new StartError(
		`data folder ${path} is open to other users (mode ${modeText(stats)}) and holds ${strange}; name an empty folder, or close it with chmod 700`,
	);
}

/**
 * Makes the folder (0700, parents too) unless it is there; checks it first.
 *
 * @throws StartError
 */
export function openDataFolder(path: string): DataFolder {
	checkDataFolder(path);
	return { path, made: makeFolder(path) };
}

/**
 * Parents first. Not `recursive`: where a folder cannot be made for want of a parent that does exist (`/proc`),
 * that tries again for ever (seen with Node 26.10).
 */
function makeFolder(path: string): boolean {
	if (findStats(path) !== undefined) return false;
	const parent = dirname(path);
	if (parent !== path) makeFolder(parent);
	try {
		mkdirSync(path, { mode: 0o700 });
		return true;
	} catch (cause) {
		throw new StartError(`data folder ${path} cannot be made (${systemCode(cause)})`, { cause });
	}
}

/**
 * Sets the mode to 0700 when others have rights and the folder is this user's. Otherwise leaves it and gives a
 * line to log: a volume mounted for a group works, and every file in it is private by itself.
 *
 * @throws StartError
 */
export function tightenDataFolder(path: string): string | undefined {
	const stats = findStats(path);
	if (stats === undefined || !isLoose(stats)) return undefined;
	if (!isOwn(stats))
		return `data folder ${path} is open to other users (mode ${modeText(stats)}) and not ours to close`;
	try {
		chmodSync(path, 0o700);
		return undefined;
	} catch (cause) {
		throw new StartError(`data folder ${path} cannot be closed to other users (${systemCode(cause)})`, {
			cause,
		});
	}
}

function findStats(path: string): Stats | undefined {
	try {
		return statSync(path, { throwIfNoEntry: false });
	} catch (cause) {
		if (systemCode(cause) === "ENOTDIR") return undefined;
		throw new StartError(`data folder ${path} cannot be looked at (${systemCode(cause)})`, { cause });
	}
}

/** The nearest folder above that exists must let us make one in it. */
function checkParent(path: string): void {
	let parent = dirname(path);
	let stats = findStats(parent);
	while (stats === undefined && dirname(parent) !== parent) {
		parent = dirname(parent);
		stats = findStats(parent);
	}
	if (stats?.isDirectory() !== true) {
		throw new StartError(`data folder ${path} cannot be made: ${parent} is not a folder`);
	}
	checkAccess(parent, `data folder ${path} cannot be made: ${parent}`);
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

/** Something in the folder that shows it serves another purpose too; the sticky bit says so of `/tmp`. */
function findStrange(path: string, stats: Stats): string | undefined {
	const names = readdirSync(path);
	if (names.includes(LOCK_FILE)) return undefined;
	if ((stats.mode & 0o1000) !== 0) return "files of many users";
	const name = names.find((entry) => !EXPECTED.test(entry));
	return name === undefined ? undefined : `${JSON.stringify(name)}, which is not latchkey's`;
}

function modeText(stats: Stats): string {
	return (stats.mode & 0o7777).toString(8).padStart(4, "0");
}
