// Searches breached passwords in a sorted file of SHA-1 hashes, in the format of Have I Been Pwned.

import { type FileHandle, open } from "node:fs/promises";
import { AppError } from "../../kernel/error.ts";
import { readProblem, StartError } from "../../kernel/start-error.ts";

/** 40 hex digits, and how often the password was seen. */
const LINE = /^([0-9A-Fa-f]{40})(?::[0-9]+)?$/;
const LINE_MAX = 64;
/** In bytes. The search reads ranges of this size. */
const BLOCK = 4096;

/** Opens the file for each search, so that a replaced file takes effect at once. */
export interface BreachedPasswords {
	/**
	 * Takes about 25 short reads in the complete list of 40 GB.
	 *
	 * @param sha1Hex 40 hex digits.
	 * @throws AppError `service.unavailable` when the file cannot be read: an unchecked password is refused.
	 */
	has(sha1Hex: string): Promise<boolean>;
	/** @throws StartError when the file is missing, or its first, middle, or last lines are not sorted hashes. */
	requireUsable(): Promise<void>;
}

export function createBreachedPasswords(path: string): BreachedPasswords {
	return {
		async has(sha1Hex) {
			try {
				await using file = await open(path, "r");
				return await search(file, (await file.stat()).size, sha1Hex.toUpperCase());
			} catch (cause) {
				throw new AppError("service.unavailable", "the password cannot be checked now; try again", {
					retryAfterSeconds: 5,
					cause,
				});
			}
		},
		async requireUsable() {
			const problem = await findProblem(path);
			if (problem !== undefined) throw new StartError(`LATCHKEY_BREACHED_PASSWORDS: ${path} ${problem}`);
		},
	};
}

async function findProblem(path: string): Promise<string | undefined> {
	try {
		await using file = await open(path, "r");
		const { size } = await file.stat();
		// Read a short file as a whole: the samples of a long one must not overlap.
		const [offsets, length] =
			size < 4 * BLOCK ? [[0], size] : [[0, Math.floor(size / 2), size - BLOCK], BLOCK];
		const lines: string[] = [];
		for (const offset of offsets) lines.push(...(await readLines(file, offset, offset + length)));
		return findProblemInLines(lines);
	} catch (cause) {
		return readProblem(cause);
	}
}

function findProblemInLines(lines: readonly string[]): string | undefined {
	if (lines.length === 0) return "is empty";
	let isSorted = true;
	let previous = "";
	for (const line of lines) {
		const hash = hashOf(line);
		if (hash === undefined) return `is not a list of SHA-1 hashes: ${JSON.stringify(line.slice(0, 50))}`;
		if (hash < previous) isSorted = false;
		previous = hash;
	}
	return isSorted ? undefined : "is not sorted by hash";
}

/** Binary search by offset; the hash lies between the lines at `low` and `high`. */
async function search(file: FileHandle, size: number, searched: string): Promise<boolean> {
	let low = 0;
	let high = size;
	while (high - low > BLOCK) {
		const middle = Math.floor((low + high) / 2);
		const [first] = await readLines(file, middle, middle + 2 * LINE_MAX);
		const hash = first === undefined ? undefined : hashOf(first);
		if (hash === undefined) throw new Error("the list of breached passwords has a line that is no hash");
		if (hash === searched) return true;
		if (hash < searched) low = middle;
		else high = middle;
	}
	// A line may begin before `low` or end after `high`.
	const lines = await readLines(file, Math.max(0, low - LINE_MAX), Math.min(size, high + 2 * LINE_MAX));
	return lines.some((line) => hashOf(line) === searched);
}

/** The complete lines between two offsets, without a partial line at either end. */
async function readLines(file: FileHandle, from: number, to: number): Promise<string[]> {
	// Read one more byte to detect the end of the file.
	const buffer = Buffer.alloc(to - from + 1);
	const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
	const isAtEnd = bytesRead < buffer.length;
	const lines = buffer.toString("latin1", 0, Math.min(bytesRead, to - from)).split("\n");
	if (from > 0) lines.shift();
	if (!isAtEnd || lines.at(-1) === "") lines.pop();
	return lines.map((line) => line.replace(/\r$/, ""));
}

function hashOf(line: string): string | undefined {
	return LINE.exec(line)?.[1]?.toUpperCase();
}
