// Reads a backup, and verifies it by its last line.

import { isTextMac, type MacKey } from "../../crypto/digest.ts";
import {
	type BackupEnd,
	BackupError,
	type BackupHeader,
	type Row,
	type TableCount,
	type TableShape,
} from "../../domain/backup.ts";
import { isMembers, listOf, type Members, type Shape } from "../../kernel/shape.ts";
import { linesOf, macText, TableDigest } from "./write-backup.ts";

const BATCH_ROWS = 1_000;
const HEADER_MAX = 10_000;

export type BackupPart =
	| { readonly kind: "header"; readonly header: BackupHeader }
	| { readonly kind: "table"; readonly table: TableShape }
	| { readonly kind: "rows"; readonly table: TableShape; readonly rows: readonly Row[] }
	/** The last part, once everything is verified. */
	| { readonly kind: "end"; readonly end: BackupEnd };

interface ReadOptions {
	/** Derived from the master key with this id; undefined when the key is missing. */
	macKeyOf(masterKeyId: string): MacKey | undefined;
	/** Named in the error when the right key is missing. */
	readonly keyIds: readonly string[];
}

/**
 * Yields the parts in file order, at most 1,000 rows at a time. Rows are yielded before they are verified: the caller
 * must roll back when the end is missing.
 *
 * @param text decompressed, in pieces of any size.
 * @throws BackupError when the file is not a backup, newer than this version, damaged, truncated, changed, or needs a
 * master key that is missing.
 */
export async function* readBackup(
	text: AsyncIterable<string>,
	options: ReadOptions,
): AsyncGenerator<BackupPart> {
	const lines = readLines(text);
	const headerLine = (await lines.next(HEADER_MAX)) ?? "";
	const header = parseHeader(headerLine);
	const macKey = options.macKeyOf(header.master_key);
	if (macKey === undefined) throw missingKey([header.master_key], options.keyIds);
	yield { kind: "header", header };
	const counts: TableCount[] = [];
	const keys = new Set<string>();
	let digest: TableDigest | undefined;
	let table: TableShape | undefined;
	for (;;) {
		const { rows, other } = await nextRows(lines, table);
		if (rows.length > 0 && table !== undefined) {
			digest?.add(rows, linesOf(rows), keys);
			yield { kind: "rows", table, rows };
		}
		if (other === undefined) continue;
		if (digest !== undefined) counts.push(digest.count());
		if ("end" in other) {
			const end = verifyEnd(headerLine, other.end, { tables: counts, sealed_with: [...keys].sort() }, macKey);
			if ((await lines.next()) !== undefined) throw damaged("it has data after its end");
			requireKeys(end, options);
			yield { kind: "end", end };
			return;
		}
		table = parseShape(other);
		digest = new TableDigest(table);
		yield { kind: "table", table };
	}
}

interface NextRows {
	readonly rows: Row[];
	/** The line after the rows: the next table, or the end. Undefined while more rows may follow. */
	readonly other: Members | undefined;
}

async function nextRows(lines: LineReader, table: TableShape | undefined): Promise<NextRows> {
	const rows: Row[] = [];
	while (rows.length < BATCH_ROWS) {
		const line = await lines.next();
		if (line === undefined) throw damaged("it is truncated");
		const value = parse(line);
		if (isMembers(value)) return { rows, other: value };
		if (!isRow(value) || value.length !== table?.columns.length)
			throw damaged("a row does not fit its table");
		rows.push(value);
	}
	return { rows, other: undefined };
}

const isCell = (value: unknown): value is Row[number] =>
	value === null || typeof value === "string" || Number.isSafeInteger(value);
const isRow: Shape<Row> = listOf(isCell);

function parse(line: string): object {
	const value = jsonIn(line);
	if (typeof value === "object" && value !== null) return value;
	throw damaged("a line is not JSON");
}

/** Undefined for text that is not JSON. */
function jsonIn(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined;
	}
}

function parseHeader(line: string): BackupHeader {
	const header = jsonIn(line) as Partial<BackupHeader> | null | undefined;
	if (typeof header !== "object" || header?.format !== "latchkey backup")
		throw new BackupError("was not created by latchkey backup");
	if (header.version !== 1)
		throw new BackupError(
			`has format ${header.version}, this version of latchkey supports 1: use the newer version`,
			{ kind: "failed" },
		);
	const { schema, created_at, master_key } = header;
	if (!Number.isSafeInteger(schema) || Number.isNaN(Date.parse(String(created_at))) || !master_key)
		throw damaged("its first line is incomplete");
	return header as BackupHeader;
}

function parseShape({ table, columns }: Members): TableShape {
	if (
		typeof table !== "string" ||
		!Array.isArray(columns) ||
		!columns.every((name) => typeof name === "string")
	)
		throw damaged("a line is neither a row nor a table");
	return { name: table, columns };
}

function verifyEnd(
	headerLine: string,
	written: unknown,
	found: Omit<BackupEnd, "mac">,
	macKey: MacKey,
): BackupEnd {
	const mac = isMembers(written) ? written.mac : undefined;
	if (typeof mac !== "string" || !isTextMac(macKey, macText(headerLine, found), mac))
		throw damaged("its content was changed, or it was written with another master key");
	const end = { ...found, mac };
	// Humans read the counts and digests without a key: refuse wrong ones.
	if (JSON.stringify(written) !== JSON.stringify(end)) throw damaged("its last line was changed");
	return end;
}

function requireKeys({ sealed_with }: BackupEnd, { keyIds }: ReadOptions): void {
	const missing = sealed_with.filter((id) => !keyIds.includes(id));
	if (missing.length > 0) throw missingKey(missing, keyIds);
}

function missingKey(missing: readonly string[], present: readonly string[]): BackupError {
	return new BackupError(
		`needs master key ${missing.join(", ")}, which is not among the keys given (${present.join(", ")}): add the key that was in use when it was created`,
		{ kind: "failed" },
	);
}

function damaged(why: string): BackupError {
	return new BackupError(`is damaged: ${why}`);
}

/** Far above any row. Without a limit, a file without line feeds would exhaust memory. */
const LINE_MAX = 1 << 24;

interface LineReader {
	/**
	 * The next line without its line feed; undefined at the end. Text after the last line feed is ignored.
	 *
	 * @throws BackupError for a line of more than `max` characters.
	 */
	next(max?: number): Promise<string | undefined>;
}

function readLines(text: AsyncIterable<string>): LineReader {
	const pieces = text[Symbol.asyncIterator]();
	let buffer = "";
	let start = 0;
	return {
		async next(max = LINE_MAX) {
			let searched = start;
			for (;;) {
				const end = buffer.indexOf("\n", searched);
				if (end >= 0) {
					const line = buffer.slice(start, end);
					start = end + 1;
					return line;
				}
				if (buffer.length - start > max) throw new BackupError("was not created by latchkey backup");
				buffer = buffer.slice(start);
				start = 0;
				searched = buffer.length;
				const { value, done } = await pieces.next();
				if (done === true) return undefined;
				buffer += value;
			}
		},
	};
}
