// The mark beside an embedded database: its last commit, outside of the database. A database behind its mark went back
// in time: an old copy was put back, or its log was cut short.

import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { isoTime } from "../../kernel/clock.ts";

/** The last commit of a database, as the database or the mark knows it. */
export interface LastCommit {
	/** Random for each start of a service; "" in a database that no service has opened. */
	readonly owner: string;
	/** Commits since the database was created. */
	readonly commits: number;
}

export interface Mark extends LastCommit {
	readonly atMs: number;
	/** The files that the service holds: `filesOf`. */
	readonly files: string;
}

/** What the database says about its last commit. */
export interface DatabaseState extends LastCommit {
	/** The last commit before the current owner. A process that is killed as it becomes the owner leaves the mark of the one before. */
	readonly before: LastCommit;
}

const FILES = ["", "-wal", "-shm"];
/** All marks have one length, so that a new one replaces all of the old one. */
const LINE = /^(\S{36}) (\d{15}) (\S{24}) (\S+) *\n$/;
const LINE_LENGTH = 200;

export function markOf(databaseFile: string): string {
	return `${databaseFile}.mark`;
}

/** Undefined if there is none, or if a power failure left none that can be read. */
export function readMark(databaseFile: string): Mark | undefined {
	let text: string;
	try {
		text = readFileSync(markOf(databaseFile), "utf8");
	} catch {
		return undefined;
	}
	const [, owner, commits, at = "", files] = LINE.exec(text) ?? [];
	if (owner === undefined || files === undefined) return undefined;
	return { owner, commits: Number(commits), atMs: Date.parse(at), files };
}

/** Call after the database was replaced on purpose. */
export function removeMark(databaseFile: string): void {
	rmSync(markOf(databaseFile), { force: true });
}

/** Whether the database lacks commits that the mark knows. */
export function isBehind(mark: LastCommit, { owner, commits, before }: DatabaseState): boolean {
	if (mark.owner === owner) return commits < mark.commits;
	return mark.owner !== before.owner || before.commits < mark.commits;
}

/** Identifies the open files of a database by their inodes; `-` for a missing one. */
export function filesOf(databaseFile: string): string {
	return FILES.map((end) => inodeOf(databaseFile + end)).join(",");
}

export function inodeOf(path: string): string {
	return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino.toString() ?? "-";
}

/** An open mark. It is not flushed to disk, so it never runs ahead of the database, which is. */
export class MarkFile {
	readonly #file: number;

	/** Creates a missing file, readable only by its owner. */
	constructor(databaseFile: string) {
		closeSync(openSync(markOf(databaseFile), "a", 0o600));
		this.#file = openSync(markOf(databaseFile), "r+");
	}

	write({ owner, commits, atMs, files }: Mark): void {
		const line = `${owner} ${String(commits).padStart(15, "0")} ${isoTime(atMs)} ${files}`;
		writeSync(this.#file, `${line.padEnd(LINE_LENGTH - 1)}\n`, 0);
	}

	close(): void {
		closeSync(this.#file);
	}
}
