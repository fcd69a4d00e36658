// Records what a process writes, and builds the files that a power cut at any moment of it leaves.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What a disk writes whole or not at all. */
const SECTOR = 512;
const RECORD_SIZE = 32;

export interface DiskRecord {
	/** `write`; `sync`: all earlier writes of the file are on disk; `truncate` to `offset` bytes. */
	readonly kind: "write" | "sync" | "truncate";
	/** Below the recorded folder. */
	readonly file: string;
	/** On the clock of `process.hrtime`, when the call had returned. */
	readonly atNs: bigint;
	readonly offset: number;
	readonly data: Buffer;
}

/** What becomes of writes that no sync followed: none is on disk, or any of their sectors. */
export type Fate = "dropped" | "torn";

const KINDS: Readonly<Record<string, DiskRecord["kind"]>> = { W: "write", S: "sync", T: "truncate" };

/** The environment of a process to record. */
export function recordingOf(folder: string, scratch: string): Record<string, string> {
	const library = join(scratch, "power-cut.so");
	const source = join(import.meta.dirname, "power-cut.c");
	execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"]);
	return { LD_PRELOAD: library, POWER_CUT_FOLDER: folder, POWER_CUT_LOG: join(scratch, "power-cut.log") };
}

export function readRecords(scratch: string): DiskRecord[] {
	const log = readFileSync(join(scratch, "power-cut.log"));
	const records: DiskRecord[] = [];
	let at = 0;
	while (at + RECORD_SIZE <= log.length) {
		const length = log.readUInt32LE(at + 16);
		const nameEnd = at + RECORD_SIZE + log.readUInt32LE(at + 20);
		const kind = KINDS[String.fromCharCode(log.readUInt8(at + 24))];
		// The kill may have cut the last record short.
		if (nameEnd + length > log.length) break;
		if (kind === undefined) throw new Error(`no record at ${at}`);
		records.push({
			kind,
			file: log.toString("utf8", at + RECORD_SIZE, nameEnd),
			atNs: log.readBigUInt64LE(at),
			offset: Number(log.readBigUInt64LE(at + 8)),
			data: log.subarray(nameEnd, nameEnd + length),
		});
		at = nameEnd + length;
	}
	return records;
}

/** The disk under a process: replays its records, and says what a power cut after them leaves. */
export class Disk {
	readonly #files: Map<string, Buffer>;
	/** By file, in the order of the calls. */
	readonly #waiting = new Map<string, DiskRecord[]>();

	/** @param before the contents of the files before the first record. */
	constructor(before: ReadonlyMap<string, Buffer>) {
		this.#files = copies(before);
	}

	replay(record: DiskRecord): void {
		const waiting = this.#waiting.get(record.file) ?? [];
		if (record.kind !== "sync") {
			waiting.push(record);
			this.#waiting.set(record.file, waiting);
			return;
		}
		for (const { kind, file, offset, data } of waiting) change(this.#files, { kind, file, offset }, data);
		this.#waiting.delete(record.file);
	}

	/** The files with their contents. */
	afterCut(fate: Fate): Map<string, Buffer> {
		const files = copies(this.#files);
		if (fate === "torn") for (const record of [...this.#waiting.values()].flat()) tear(files, record);
		return files;
	}
}

function tear(files: Map<string, Buffer>, record: DiskRecord): void {
	const { kind, file, offset, data } = record;
	if (kind === "truncate" && isKept()) change(files, record, data);
	for (let start = 0; start < data.length; ) {
		const end = Math.min(data.length, start + SECTOR - ((offset + start) % SECTOR));
		if (isKept()) change(files, { kind, file, offset: offset + start }, data.subarray(start, end));
		start = end;
	}
}

const isKept = (): boolean => Math.random() < 0.5;

function change(
	files: Map<string, Buffer>,
	{ kind, file, offset }: Pick<DiskRecord, "kind" | "file" | "offset">,
	data: Buffer,
): void {
	const old = files.get(file) ?? Buffer.alloc(0);
	const size = kind === "truncate" ? offset : Math.max(old.length, offset + data.length);
	const changed = withSize(old, size);
	data.copy(changed, offset);
	files.set(file, changed);
}

/** Grows by doubling the memory behind the buffer: a log grows by thousands of writes. */
function withSize(old: Buffer, size: number): Buffer {
	if (size <= old.length) return old.subarray(0, size);
	if (size > old.buffer.byteLength) {
		const larger = Buffer.alloc(2 * size).subarray(0, size);
		old.copy(larger);
		return larger;
	}
	return Buffer.from(old.buffer, 0, size).fill(0, old.length);
}

/** Copies, each with memory of its own. */
function copies(files: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
	const copied = new Map<string, Buffer>();
	for (const [file, bytes] of files) {
		const copy = Buffer.alloc(bytes.length);
		bytes.copy(copy);
		copied.set(file, copy);
	}
	return copied;
}
