// Writes a backup: header, every table with its rows and their digest, and an end with the MAC over all of it.

import { createRunningDigest, type MacKey, textMac } from "../../crypto/digest.ts";
import type {
	BackupEnd,
	BackupHeader,
	Progress,
	Row,
	Table,
	TableCount,
	TableShape,
} from "../../domain/backup.ts";

/** Encrypted text begins with `v1.` and the 8-digit hex id of its master key. */
const SEALED = /^v1\.([0-9a-f]{8})\./;

/** The first line of a table, without its line feed. */
function shapeLine({ name, columns }: TableShape): string {
	return JSON.stringify({ table: name, columns });
}

/** Counts and digests the rows of one table in order: SHA-256 over its lines, each with its line feed. */
export class TableDigest {
	readonly #shape: TableShape;
	readonly #sealedColumns: readonly number[];
	readonly #digest = createRunningDigest();
	#rows = 0;

	constructor(shape: TableShape) {
		this.#shape = shape;
		this.#sealedColumns = shape.columns.flatMap((name, index) => (name.endsWith("_sealed") ? [index] : []));
		this.#digest.add(`${shapeLine(shape)}\n`);
	}

	get rows(): number {
		return this.#rows;
	}

	/**
	 * @param lines the lines of the rows, each with its line feed.
	 * @param keys receives the ids of the master keys that encrypted values in the rows.
	 */
	add(rows: readonly Row[], lines: string, keys?: Set<string>): void {
		this.#rows += rows.length;
		this.#digest.add(lines);
		if (keys === undefined || this.#sealedColumns.length === 0) return;
		for (const row of rows)
			for (const index of this.#sealedColumns) {
				const id = SEALED.exec(String(row[index] ?? ""))?.[1];
				if (id !== undefined) keys.add(id);
			}
	}

	/** Call once, after the last row. */
	count(): TableCount {
		return { name: this.#shape.name, rows: this.#rows, sha256: this.#digest.hex() };
	}
}

/** The rows as JSON lines, each with its line feed. */
export function linesOf(rows: readonly Row[]): string {
	let text = "";
	for (const row of rows) text += `${JSON.stringify(row)}\n`;
	return text;
}

interface BackupSource {
	/** Parents first, without the table of migrations. */
	readonly tables: readonly Table[];
	/** In batches, in the order of the primary key. */
	rows(table: Table): AsyncIterable<readonly Row[]>;
}

/** The MAC input: it covers the whole file through the digests of the tables. */
export function macText(header: string, { tables, sealed_with }: Omit<BackupEnd, "mac">): string {
	return `${header}\n${JSON.stringify([tables, sealed_with])}`;
}

/**
 * Yields the text of a backup, at most a batch of rows at a time; returns its last line.
 *
 * @param macKey derived from the master key in `header.master_key`.
 */
export async function* backupText(
	source: BackupSource,
	{
		header,
		macKey,
		progress,
	}: { readonly header: BackupHeader; readonly macKey: MacKey; readonly progress: Progress },
): AsyncGenerator<string, BackupEnd> {
	const headerLine = JSON.stringify(header);
	yield `${headerLine}\n`;
	const tables: TableCount[] = [];
	const keys = new Set<string>();
	for (const table of source.tables) {
		const digest = new TableDigest(table);
		yield `${shapeLine(table)}\n`;
		for await (const rows of source.rows(table)) {
			const lines = linesOf(rows);
			digest.add(rows, lines, keys);
			yield lines;
			progress(table.name, digest.rows, false);
		}
		progress(table.name, digest.rows, true);
		tables.push(digest.count());
	}
	const proved = { tables, sealed_with: [...keys].sort() };
	const end: BackupEnd = { ...proved, mac: textMac(macKey, macText(headerLine, proved)) };
	yield `${JSON.stringify({ end })}\n`;
	return end;
}
