// Where the master keys come from: the configuration, or a file in the data folder made at the first start.

import { closeSync, existsSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { StartError, systemCode } from "../../kernel/start-error.ts";
import { writeFileDurably } from "./durable-file.ts";

const KEY_BYTES = 32;
const KEY_FILE = "master.key";
const OLD_KEY_FILE = "master.key.old";
const OTHERS = 0o077;

/** As configured; at most one of the two. */
export interface MasterKeySource {
	readonly inline?: string;
	/** Absolute path. */
	readonly file?: string;
}

export interface MasterKeys {
	/** Comma-separated, each 32 bytes in canonical base64; the first seals, all open. A secret. */
	readonly keysText: string;
	/** The key was made just now: time to tell the operator to back it up. */
	readonly made: boolean;
}

export interface FirstStart {
	/** There is a database, so its secrets were sealed with a key that must not be replaced. */
	readonly databaseExists: boolean;
	/** 32 bytes from a cryptographic source. */
	readonly randomBytes32: () => Buffer;
}

/**
 * The keys the configuration names, undefined when it names none. Reads only, so it may run before anything
 * is made.
 *
 * @throws StartError when the text or the file is not usable.
 */
export function findConfiguredMasterKeys(source: MasterKeySource): string | undefined {
	if (source.inline !== undefined) return parseKeys(source.inline, "LATCHKEY_MASTER_KEY");
	if (source.file === undefined) return undefined;
	return readKeyFile(source.file, `${source.file} (named by LATCHKEY_MASTER_KEY_FILE)`);
}

/**
 * The configured keys, else those in `master.key` in the data folder, which is made (0600, durable before this
 * returns) when there is neither a key nor a database. Wants the folder's lock.
 *
 * @throws StartError when a key is unreadable, malformed or open to other users, or gone beside a database.
 */
export function loadMasterKeys(source: MasterKeySource, dataDir: string, first: FirstStart): MasterKeys {
	const configured = findConfiguredMasterKeys(source);
	if (configured !== undefined) return { keysText: configured, made: false };
	const path = join(dataDir, KEY_FILE);
	if (existsSync(path)) return { keysText: readKeyFile(path, path), made: false };
	if (first.databaseExists) {
		throw new StartError(
			`${path} is missing, but the database holds secrets sealed with it; put the file back, or give the key as LATCHKEY_MASTER_KEY`,
		);
	}
	return { keysText: makeKey(path, first.randomBytes32()), made: true };
}

/**
 * Looks whether the file the keys came from has changed, which takes microseconds. Each call answers the keys of now
 * when it has since the last one (and the first time), else undefined. A file that cannot be used is told of once and
 * changes nothing. Undefined for keys that are in no file.
 */
export function watchMasterKeys(
	source: MasterKeySource,
	dataDir: string,
	onProblem: (error: StartError) => void,
): (() => string | undefined) | undefined {
	if (source.inline !== undefined) return undefined;
	const path = source.file ?? join(dataDir, KEY_FILE);
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

function stampOf(path: string): string {
	const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
	return stats === undefined ? "gone" : `${stats.ino} ${stats.mtimeNs} ${stats.size} ${stats.mode}`;
}

/** The keys in the data folder's own file, and since when they are there. @throws StartError when there is none. */
export function readOwnMasterKeys(dataDir: string): { readonly keysText: string; readonly sinceMs: number } {
	const path = join(dataDir, KEY_FILE);
	const keysText = readKeyFile(path, path);
	return { keysText, sinceMs: statSync(path).mtimeMs };
}

/** Puts a new key before those in the data folder's own file; on disk when this returns. */
export function addOwnMasterKey(dataDir: string, bytes: Buffer): void {
	const { keysText } = readOwnMasterKeys(dataDir);
	writeFileDurably(join(dataDir, KEY_FILE), `${bytes.toString("base64")},${keysText}\n`);
}

/** Leaves only the first key in the data folder's own file; the others go on to `master.key.old`, for older backups. */
export function dropOldMasterKeys(dataDir: string): void {
	const [first = "", ...old] = readOwnMasterKeys(dataDir).keysText.split(",");
	const oldPath = join(dataDir, OLD_KEY_FILE);
	const kept = existsSync(oldPath) ? readKeyFile(oldPath, oldPath).split(",") : [];
	writeFileDurably(oldPath, `${[...new Set([...old, ...kept])].join(",")}\n`);
	writeFileDurably(join(dataDir, KEY_FILE), `${first}\n`);
}

function makeKey(path: string, bytes: Buffer): string {
	if (bytes.length !== KEY_BYTES) throw new Error(`a master key has ${KEY_BYTES} bytes, not ${bytes.length}`);
	const text = bytes.toString("base64");
	writeFileDurably(path, `${text}\n`);
	return text;
}

function readKeyFile(path: string, subject: string): string {
	const { text, mode } = readOpened(path, subject);
	if (process.platform !== "win32" && (mode & OTHERS) !== 0) {
		const shown = (mode & 0o777).toString(8).padStart(4, "0");
		throw new StartError(`${subject} is open to other users (mode ${shown}); close it with chmod 600`);
	}
	return parseKeys(text.trim(), subject);
}

/** Mode and text of the same opened file, so that nobody can put another in between. */
function readOpened(path: string, subject: string): { text: string; mode: number } {
	let file: number | undefined;
	try {
		file = openSync(path, "r");
		return { mode: fstatSync(file).mode, text: readFileSync(file, "utf8") };
	} catch (cause) {
		const code = systemCode(cause);
		const problem = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
		throw new StartError(`${subject} ${problem}`, { cause });
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

function parseKeys(text: string, subject: string): string {
	const keys = text.split(",").map((key) => key.trim());
	if (keys.every(isKey)) return keys.join(",");
	throw new StartError(
		`${subject} must hold ${KEY_BYTES} bytes in base64, or a comma-separated list of such keys`,
	);
}

function isKey(text: string): boolean {
	const bytes = Buffer.from(text, "base64");
	// Node decodes base64 leniently; only the canonical text survives being written again.
	return bytes.length === KEY_BYTES && bytes.toString("base64") === text;
}
