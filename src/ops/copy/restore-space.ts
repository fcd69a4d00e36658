// Checks before a restore that the disk has room for it.

import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "../../kernel/start-error.ts";

const MEGABYTE = 1_000_000;
/** Of a database without rows. */
const EMPTY_BYTES = 1_500_000;
/** A row needs 1.5 to 3 times its text, with its indexes: refuse only what surely does not fit. */
const BYTES_PER_TEXT = 1.5;

interface FilledPlace {
	readonly dataDir: string;
	readonly databaseFile: string;
	/** The variable that moves it. */
	readonly setting: string;
}

/**
 * Rows are written to the log of the database first, and copied to its file after the commit: at the end, both exist. The
 * file of a database that is replaced is reused.
 *
 * @param textBytes of the decompressed backup
 * @throws StartError; nothing has changed then.
 */
export function requireSpace({ dataDir, databaseFile, setting }: FilledPlace, textBytes: number): void {
	const { folder, bytes: free } = freeSpace(dataDir);
	const present = existsSync(databaseFile) ? statSync(databaseFile).size : 0;
	const needed = spaceNeeded(textBytes, present);
	if (free >= needed) return;
	throw new StartError(
		`a restore needs twice the space of the database, here at least ${Math.ceil(needed / MEGABYTE)} MB, and ${Math.floor(free / MEGABYTE)} MB are free at ${folder}: free up space, or set ${setting} to a larger disk`,
		{ kind: "refused" },
	);
}

/** @param present bytes of the database that is replaced */
function spaceNeeded(textBytes: number, present: number): number {
	const database = EMPTY_BYTES + Math.ceil(textBytes * BYTES_PER_TEXT);
	return 2 * database - Math.min(present, database);
}

/** On the disk of a directory, which need not exist yet. */
export function freeSpace(path: string): { readonly folder: string; readonly bytes: number } {
	const folder = nearestFolder(path);
	const { bavail, bsize } = statfsSync(folder);
	return { folder, bytes: bavail * bsize };
}

function nearestFolder(path: string): string {
	const parent = dirname(path);
	return existsSync(path) || parent === path ? path : nearestFolder(parent);
}
