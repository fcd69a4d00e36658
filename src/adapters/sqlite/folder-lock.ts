// Locks a data directory against a second process. The operating system releases the lock when its owner ends.

import { chmodSync, closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartError, systemCode } from "../../kernel/start-error.ts";

export const LOCK_FILE = "latchkey.lock";
const PRIVATE = 0o600;
/** `isFolderInUse` briefly holds a shared lock. */
const LOCK_TIMEOUT_MS = 250;
const BUSY = 5;
const LOCKED = 6;

/** Keeps a reference: a garbage-collected database releases its lock. */
const held = new Set<DatabaseSync>();

export interface FolderLock {
	/** Keeps the file. A second call does nothing. */
	release(): void;
}

/**
 * Locks the directory for this process until `release` is called or the process ends, even by `kill -9`. The lock is an open
 * exclusive transaction on `latchkey.lock`, a separate empty SQLite database, so the locks of the real database are
 * unaffected. Nothing else may open that file: with POSIX locks, closing any handle to it in this process releases the lock.
 *
 * @param lockFile another file, for a command that must not run twice at the same time.
 * @throws StartError when this or another process holds the lock, or the directory cannot be locked.
 */
export function lockFolder(folder: string, lockFile: string = LOCK_FILE): FolderLock {
	const file = join(folder, lockFile);
	let database: DatabaseSync | undefined;
	try {
		makePrivate(file);
		database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
		database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;");
	} catch (error) {
		if (database?.isOpen) database.close();
		throw isBusy(error) ? inUse(folder, error) : unlockable(folder, error);
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
 * Creates the file without access for other users, before SQLite opens it: its journal gets the same mode, and in a
 * directory of a group, others could open it.
 */
function makePrivate(file: string): void {
	try {
		// Only a new file: closing another handle to one that this process has locked would release the lock.
		closeSync(openSync(file, "wx", PRIVATE));
	} catch (error) {
		if (systemCode(error) !== "EEXIST") throw error;
	}
	for (const each of [file, `${file}-journal`]) if (existsSync(each)) chmodSync(each, PRIVATE);
}

/** @throws StartError when this or another process holds the lock, or the file cannot be read. */
export function refuseFolderInUse(folder: string): void {
	if (isFolderInUse(folder)) throw inUse(folder);
}

/**
 * Whether this or another process holds the lock. Changes nothing.
 *
 * @throws StartError when the file cannot be read.
 */
export function isFolderInUse(folder: string): boolean {
	const file = join(folder, LOCK_FILE);
	if (!existsSync(file)) return false;
	let database: DatabaseSync | undefined;
	try {
		database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
		database.prepare("SELECT count(*) FROM sqlite_master").get();
		return false;
	} catch (error) {
		if (isBusy(error)) return true;
		throw unlockable(folder, error);
	} finally {
		if (database?.isOpen) database.close();
	}
}

function isBusy(error: unknown): boolean {
	const code = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
	return code === BUSY || code === LOCKED;
}

function inUse(folder: string, cause?: unknown): StartError {
	return new StartError(`data directory ${folder} is in use by another latchkey process`, {
		cause,
		kind: "refused",
	});
}

function unlockable(folder: string, cause: unknown): StartError {
	const reason = cause instanceof Error ? cause.message : String(cause);
	return new StartError(`data directory ${folder} cannot be locked with its file ${LOCK_FILE}: ${reason}`, {
		cause,
	});
}
