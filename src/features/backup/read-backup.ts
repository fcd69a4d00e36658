// Reads a backup and believes it only when its end proves everything before.

import { isTextMac, type MacKey } from "../../crypto/running-digest.ts";
import { type LineReader, readLines } from "./lines.ts";
import {
	type BackupEnd,
	BackupError,
	type BackupHeader,
	type Row,
	type TableCount,
	type TableShape,
} from "./model.ts";
import { linesOf, TableDigest } from "./table-digest.ts";
import { provedText } from "./write-backup.ts";

const BATCH_ROWS = 1_000;
const HEADER_MAX = 10_000;

export type BackupPart =
	| { readonly kind: "header"; readonly header: BackupHeader }
	| { readonly kind: "table"; readonly table: TableShape }
	| { readonly kind: "rows"; readonly table: TableShape; readonly rows: readonly Row[] }
	/** Comes last, and only when all was proved. */
	| { readonly kind: "end"; readonly end: BackupEnd };

export interface ReadOptions {
	/** Derived from the master key with this id; undefined when it is not there. */
	macKeyOf(masterKeyId: string): MacKey | undefined;
	/** Shown when the right one is missing. */
	readonly keyIds: readonly string[];
}

/**
 * Gives the parts in the order of the file, at most a thousand rows at once. Rows are given before they are proved:
 * whoever acts on them undoes it when the end does not come.
 *
 * @param text decompressed, in pieces of any size.
 * @throws BackupError when the file is none of ours, newer than this program, damaged, cut off, changed, or made with
 * a master key that is not there.
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
			const end = prove(headerLine, other.end, { tables: counts, sealed_with: [...keys].sort() }, macKey);
			if ((await lines.next()) !== undefined) throw damaged("something follows its end");
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
	/** The line that is no row: the next table, or the end. Undefined while more rows may follow. */
	readonly other: Record<string, unknown> | undefined;
}

async function nextRows(lines: LineReader, table: TableShape | undefined): Promise<NextRows> {
	const rows: Row[] = [];
	while (rows.length < BATCH_ROWS) {
		const line = await lines.next();
		if (line === undefined) throw damaged("it is cut off");
		const value = parse(line);
		if (!Array.isArray(value)) return { rows, other: value as Record<string, unknown> };
		if (table === undefined || value.length !== table.columns.length || !value.every(isCell))
			throw damaged("a row does not fit its table");
		rows.push(value as unknown as Row);
	}
	return { rows, other: undefined };
}

function isCell(value: unknown): boolean {
	return value === null || typeof value === "string" || Number.isSafeInteger(value);
}

function parse(line: string): object {
	try {
		const value: unknown = JSON.parse(line);
		if (typeof value === "object" && value !== null) return value;
	} catch {
		// Told below.
	}
	throw damaged("a line of it is no JSON");
}

function parseHeader(line: string): BackupHeader {
	let header: Partial<BackupHeader> | null = null;
	try {
		header = JSON.parse(line);
	} catch {
		// Told below.
	}
	if (typeof header !== "object" || header?.format !== "latchkey backup")
		throw new BackupError("is not a backup made by latchkey backup");
	if (header.version !== 1)
		throw new BackupError(`has format ${header.version}, this program knows 1: use the newer latchkey`);
	const { schema, created_at, master_key } = header;
	if (!Number.isSafeInteger(schema) || Number.isNaN(Date.parse(String(created_at))) || !master_key)
		throw damaged("its first line is not whole");
	return header as BackupHeader;
}

function parseShape({ table, columns }: Record<string, unknown>): TableShape {
	if (
		typeof table !== "string" ||
		!Array.isArray(columns) ||
		!columns.every((name) => typeof name === "string")
	)
		throw damaged("a line of it is neither a row nor a table");
	return { name: table, columns };
}

function prove(headerLine: string, given: unknown, found: Omit<BackupEnd, "mac">, macKey: MacKey): BackupEnd {
	const { mac } = (given ?? {}) as Partial<BackupEnd>;
	if (typeof mac !== "string" || !isTextMac(macKey, provedText(headerLine, found), mac))
		throw damaged("its content is not what was written, or it was made with another master key");
	const end = { ...found, mac };
	// Counts and digests are written out for whoever reads the file without a key: they are not to be wrong.
	if (JSON.stringify(given) !== JSON.stringify(end)) throw damaged("its last line is not what was written");
	return end;
}

function requireKeys({ sealed_with }: BackupEnd, { keyIds }: ReadOptions): void {
	const missing = sealed_with.filter((id) => !keyIds.includes(id));
	if (missing.length > 0) throw missingKey(missing, keyIds);
}

function missingKey(missing: readonly string[], given: readonly string[]): BackupError {
	return new BackupError(
		`needs master key ${missing.join(", ")}, which is not among the keys given (${given.join(", ")}): put back the key that was in use when it was made`,
	);
}

function damaged(why: string): BackupError {
	return new BackupError(`is damaged: ${why}`);
}
