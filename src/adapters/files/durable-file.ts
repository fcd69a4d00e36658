// Writes a small private file so that a crash leaves the whole of it or none.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { StartError, systemCode } from "../../kernel/start-error.ts";

/**
 * Writes `text` under `path`, mode 0600, in place of what was there. It is on disk, name and all, when this
 * returns. The caller is the only writer (it holds the folder's lock), so one name for the unfinished file is
 * enough and a crash's remainder is replaced by the next attempt.
 *
 * @throws StartError when the disk refuses; what was there before is then still there.
 */
export function writeFileDurably(path: string, text: string): void {
	const unfinished = `${path}.tmp`;
	try {
		rmSync(unfinished, { force: true });
		writeAndSync(unfinished, text);
		renameSync(unfinished, path);
		syncFolder(dirname(path));
	} catch (cause) {
		rmSync(unfinished, { force: true });
		throw new StartError(`${path} cannot be written (${systemCode(cause)})`, { cause });
	}
}

function writeAndSync(path: string, text: string): void {
	const file = openSync(path, "wx", 0o600);
	try {
		writeFileSync(file, text);
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
}

/** The new name is part of the folder, which is synced by itself; Windows can neither open nor sync one. */
export function syncFolder(path: string): void {
	if (process.platform === "win32") return;
	const folder = openSync(path, "r");
	try {
		fsyncSync(folder);
	} finally {
		closeSync(folder);
	}
}
