// The master keys: from the configuration, or from a file in the data directory that the first start creates.

import { closeSync, existsSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readProblem, StartError } from "../../kernel/start-error.ts";
import { writeFileDurably } from "./durable-file.ts";
import { stampOf } from "./file-stamp.ts";

const KEY_BYTES = 32;
/** In the data directory. */
export const MASTER_KEY_FILE = "master.key";
const OLD_KEY_FILE = "master.key.old";
const OTHERS = 0o077;

/** Where the keys are configured; at most one of the two is set. */
export interface MasterKeySource {
	readonly inline?: string;
	/** Absolute path. */
	readonly file?: string;
}

export interface MasterKeys {
	/** Comma-separated, each 32 bytes in canonical base64; the first encrypts, all decrypt. A secret. */
	readonly keysText: string;
	/** This call created the key: ask the operator to back it up. */
	readonly created: boolean;
}

export interface FirstStart {
	/** Whether a database exists: its secrets are encrypted with a key that must not be replaced. */
	readonly databaseExists: boolean;
	/** 32 bytes from a cryptographic source. */
	readonly randomBytes32: () => Buffer;
}

/**
 * The configured keys; undefined without any. Reads only.
 *
 * @throws StartError when the text or the file is not usable.
 */
export function findConfiguredMasterKeys(source: MasterKeySource): string | undefined {
	if (source.inline !== undefined) return parseKeys(source.inline, "LATCHKEY_MASTER_KEY");
	if (source.file === undefined) return undefined;
	return readKeyFile(source.file, `${source.file} (named by LATCHKEY_MASTER_KEY_FILE)`);
}

/**
 * The configured keys, or those in `master.key` in the data directory. Creates `master.key` (0600, durable) when neither
 * a key nor a database exists. The caller holds the lock of the directory.
 *
 * @throws StartError when a key is unreadable, malformed, accessible to other users, or missing for an existing
 * database.
 */
export function loadMasterKeys(source: MasterKeySource, dataDir: string, first: FirstStart): MasterKeys {
	const configured = findConfiguredMasterKeys(source);
	if (configured !== undefined) return { keysText: configured, created: false };
	const path = join(dataDir, MASTER_KEY_FILE);
	if (existsSync(path)) return { keysText: readKeyFile(path, path), created: false };
	if (first.databaseExists) {
		throw new StartError(
			`${path} is missing, but the database contains secrets encrypted with it; restore the file, or set the key in LATCHKEY_MASTER_KEY`,
		);
	}
	return { keysText: createKey(path, first.randomBytes32()), created: true };
}

/**
 * Watches the file of the keys. The returned function takes microseconds: it returns the current keys on the first call
 * and after each change of the file, otherwise undefined. It reports an unusable file once.
 *
 * @returns undefined for keys that are not in a file.
 */
export function watchMasterKeys(
	source: MasterKeySource,
	dataDir: string,
	onProblem: (error: StartError) => void,
): (() => string | undefined) | undefined {
	if (source.inline !== undefined) return undefined;
	const path = source.file ?? join(dataDir, MASTER_KEY_FILE);
	let seen = "";
	return () => {
		const stamp = stampOf(path);
		if (stamp === seen) return undefined;
		seen = stamp;
		try {
			return readKeyFile(path, path);
		} catch (error) {
			if (!(error instanceof StartError)) throw error;
			onProblem(error);
			return undefined;
		}
	};
}

/**
 * The keys in `master.key` of the data directory, and when they were written. @throws StartError when it is missing.
 */
export function readOwnMasterKeys(dataDir: string): { readonly keysText: string; readonly sinceMs: number } {
	const path = join(dataDir, MASTER_KEY_FILE);
	const keysText = readKeyFile(path, path);
	return { keysText, sinceMs: statSync(path).mtimeMs };
}

/** Adds a new first key to `master.key`. Durable when this returns. */
export function addOwnMasterKey(dataDir: string, bytes: Buffer): void {
	const { keysText } = readOwnMasterKeys(dataDir);
	writeFileDurably(join(dataDir, MASTER_KEY_FILE), `${bytes.toString("base64")},${keysText}\n`);
}

/** Keeps only the first key in `master.key`, and moves the others to `master.key.old`, for older backups. */
export function dropOldMasterKeys(dataDir: string): void {
	const [first = "", ...old] = readOwnMasterKeys(dataDir).keysText.split(",");
	const oldPath = join(dataDir, OLD_KEY_FILE);
	const kept = existsSync(oldPath) ? readKeyFile(oldPath, oldPath).split(",") : [];
	writeFileDurably(oldPath, `${[...new Set([...old, ...kept])].join(",")}\n`);
	writeFileDurably(join(dataDir, MASTER_KEY_FILE), `${first}\n`);
}

function createKey(path: string, bytes: Buffer): string {
	if (bytes.length !== KEY_BYTES) throw new Error(`a master key has ${KEY_BYTES} bytes, not ${bytes.length}`);
	const text = bytes.toString("base64");
	writeFileDurably(path, `${text}\n`);
	return text;
}

function readKeyFile(path: string, subject: string): string {
	return parseKeys(readPrivateFile(path, subject).trim(), subject);
}

/** The text of a file that only its owner can read. @throws StartError */
export function readPrivateFile(path: string, subject: string): string {
	const { text, mode } = readOpened(path, subject);
	if (process.platform !== "win32" && (mode & OTHERS) !== 0) {
		const shown = (mode & 0o777).toString(8).padStart(4, "0");
		throw new StartError(`${subject} is open to other users (mode ${shown}); close it with chmod 600`);
	}
	return text;
}

/** Reads mode and text of one open file, so that it cannot be replaced in between. */
function readOpened(path: string, subject: string): { text: string; mode: number } {
	let file: number | undefined;
	try {
		file = openSync(path, "r");
		return { mode: fstatSync(file).mode, text: readFileSync(file, "utf8") };
	} catch (cause) {
		throw new StartError(`${subject} ${readProblem(cause)}`, { cause });
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

function parseKeys(text: string, subject: string): string {
	const keys = text.split(",").map((key) => key.trim());
	if (keys.every(isKey)) return keys.join(",");
	throw new StartError(
		`${subject} must contain ${KEY_BYTES} bytes in base64, or a comma-separated list of such keys`,
	);
}

function isKey(text: string): boolean {
	const bytes = Buffer.from(text, "base64");
	// Node decodes base64 leniently; accept only the canonical text, which encodes to itself.
	return bytes.length === KEY_BYTES && bytes.toString("base64") === text;
}
