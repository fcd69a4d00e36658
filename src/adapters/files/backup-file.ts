// The compressed file of a backup: written atomically, read as text.

import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { BackupError } from "../../domain/backup.ts";
import { StartError, systemCode } from "../../kernel/start-error.ts";
import { syncFolder } from "./durable-file.ts";

/** Takes half the time of the default level; digests barely compress further. */
const COMPRESSION = { level: 4 };

/**
 * Compresses the text into a new file of mode 0600. The file gets its name once it is completely on disk. Returns its
 * size in bytes.
 *
 * @throws StartError when the file exists, cannot be written, or `signal` aborts; then no file is left.
 */
export async function writeBackupFile(
	path: string,
	text: AsyncIterable<string>,
	signal: AbortSignal,
): Promise<number> {
	if (existsSync(path))
		throw new StartError(`${path} already exists: specify a new file`, { kind: "refused" });
	const unfinished = `${path}.${process.pid}.unfinished`;
	try {
		const file = createWriteStream(unfinished, { flags: "wx", mode: 0o600, flush: true });
		await pipeline(text, createGzip(COMPRESSION), file, { signal });
		renameSync(unfinished, path);
		syncFolder(dirname(path));
		return file.bytesWritten;
	} catch (cause) {
		rmSync(unfinished, { force: true });
		if (signal.aborted) throw stopped(cause);
		if (!isSystemError(cause)) throw cause;
		if (systemCode(cause) === "ENOENT")
			throw new StartError(`directory ${dirname(path)} does not exist: create it first`, {
				cause,
				kind: "not_found",
			});
		throw new StartError(`${path} cannot be written (${systemCode(cause)})`, { cause });
	}
}

/** Returns the number of bytes written. @throws StartError when standard output cannot be written, or `signal` aborts. */
export async function writeBackupToOutput(text: AsyncIterable<string>, signal: AbortSignal): Promise<number> {
	if (process.stdout.isTTY) throw new StartError("standard output is a terminal: specify a file");
	let bytes = 0;
	const count = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
		for await (const chunk of chunks) {
			bytes += chunk.length;
			yield chunk;
		}
	};
	try {
		await pipeline(text, createGzip(COMPRESSION), count, process.stdout, { end: false, signal });
		return bytes;
	} catch (cause) {
		if (signal.aborted) throw stopped(cause);
		if (!isSystemError(cause)) throw cause;
		throw new StartError(`standard output cannot be written (${systemCode(cause)})`, { cause });
	}
}

/**
 * Yields the text of a file in pieces.
 *
 * @throws StartError when it cannot be read; BackupError when it is not compressed, damaged, or truncated.
 */
export async function* readBackupFile(path: string): AsyncGenerator<string> {
	const gunzip = createGunzip();
	// The loop below throws the same error.
	pipeline(createReadStream(path), gunzip).catch(() => undefined);
	const chunks: AsyncIterable<Buffer> = gunzip;
	const decoder = new TextDecoder("utf-8", { fatal: true });
	let hasBegun = false;
	try {
		for await (const chunk of chunks) {
			hasBegun = true;
			yield decoder.decode(chunk, { stream: true });
		}
		yield decoder.decode();
	} catch (cause) {
		throw readError(path, cause, hasBegun);
	}
}

function readError(path: string, cause: unknown, hasBegun: boolean): unknown {
	const code = systemCode(cause);
	if (code === "Z_BUF_ERROR") return new BackupError("is damaged: it is truncated", { cause });
	if (code.startsWith("Z_") && !hasBegun && cause instanceof Error && /header check/.test(cause.message))
		return new BackupError("was not created by latchkey backup", { cause });
	if (code.startsWith("Z_") || code === "ERR_ENCODING_INVALID_ENCODED_DATA")
		return new BackupError("is damaged: it cannot be decompressed", { cause });
	if (code === "ENOENT") return new StartError(`${path} does not exist`, { cause, kind: "not_found" });
	return isSystemError(cause) ? new StartError(`${path} cannot be read (${code})`, { cause }) : cause;
}

function stopped(cause: unknown): StartError {
	return new StartError("stopped: no backup was written", { cause });
}

/** An error of the operating system, as opposed to the database that the text is read from. */
function isSystemError(error: unknown): boolean {
	return error instanceof Error && "syscall" in error;
}
