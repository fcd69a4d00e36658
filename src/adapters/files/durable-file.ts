// Writes a small private file atomically and durably.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { StartError, systemCode } from "../../kernel/start-error.ts";

/**
 * Replaces the file with `text`, mode 0600. File and name are on disk when this returns. The caller is the only writer
 * (it holds the directory's lock), so one temporary name suffices; the next call overwrites what a crash leaves behind.
 *
 * @throws StartError when the file cannot be written; then the old content remains.
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

/** Syncs the names in a directory. Windows can neither open nor sync a directory. */
export function syncFolder(path: string): void {
	if (process.platform === "win32") return;
	const folder = openSync(path, "r");
	try {
		fsyncSync(folder);
	} finally {
		closeSync(folder);
	}
}
