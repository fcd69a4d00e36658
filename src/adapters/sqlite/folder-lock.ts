// Keeps a second process out of a data folder, by a lock the operating system drops with its owner.

import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartError } from "../../kernel/start-error.ts";

const LOCK_FILE = "latchkey.lock";
/** `refuseFolderInUse` holds a shared lock for an instant. */
const LOCK_TIMEOUT_MS = 250;
const BUSY = 5;
const LOCKED = 6;

/** Keeps a reference: a garbage-collected database releases its lock. */
const held = new Set<DatabaseSync>();

export interface FolderLock {
	/** Releases the folder; the file stays. A second call does nothing. */
	release(): void;
}

/**
 * Locks the folder for this process until `release` or the process ends, even by `kill -9`. The lock is an
 * open exclusive transaction on `latchkey.lock`, an empty SQLite database of its own, so the real database
 * keeps its own locking. Nothing else may open that file: with POSIX locks, closing any handle to it in this
 * process drops the lock. A backup leaves it out.
 *
 * @param lockFile another file for another purpose: a command that must not run twice at once.
 * @throws StartError when another process (or another part of this one) has the folder, or it cannot be locked.
 */
export function lockFolder(folder: string, lockFile: string = LOCK_FILE): FolderLock {
	const file = join(folder, lockFile);
	let database: DatabaseSync | undefined;
	try {
		database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
		database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;");
		chmodSync(file, 0o600);
	} catch (error) {
		if (database?.isOpen) database.close();
		throw startError(folder, error);
	}
	const owned = database;
	held.add(owned);
	return {
		release: () => {
			if (held.delete(owned)) owned.close();
		},
	};
}

/**
 * Changes nothing; a folder without the file is not in use.
 *
 * @throws StartError when another process (or another part of this one) has the folder, or that cannot be found out.
 */
export function refuseFolderInUse(folder: string): void {
	const file = join(folder, LOCK_FILE);
	if (!existsSync(file)) return;
	let database: DatabaseSync | undefined;
	try {
		database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
		database.prepare("SELECT count(*) FROM sqlite_master").get();
	} catch (error) {
		throw startError(folder, error);
	} finally {
		if (database?.isOpen) database.close();
	}
}

function startError(folder: string, cause: unknown): StartError {
	const code = cause instanceof Error && "errcode" in cause ? Number(cause.errcode) & 0xff : 0;
	if (code === BUSY || code === LOCKED) {
		return new StartError(`data folder ${folder} is in use by another latchkey process`, {
			cause,
			kind: "refused",
		});
	}
	const reason = cause instanceof Error ? cause.message : String(cause);
	return new StartError(`data folder ${folder} cannot be locked by its file ${LOCK_FILE}: ${reason}`, {
		cause,
	});
}
