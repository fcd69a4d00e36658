// The digest of a table, which shows that two databases, or a database and a file, hold the same rows.

import { createRunningDigest } from "../../crypto/running-digest.ts";
import type { Row, TableCount, TableShape } from "../../domain/backup.ts";

/** A sealed text begins with `v1.` and the 8 hex digits of its master key's id. */
const SEALED = /^v1\.([0-9a-f]{8})\./;

/** The first line of a table, without its line feed. */
export function shapeLine({ name, columns }: TableShape): string {
	return JSON.stringify({ table: name, columns });
}

/** A line of a row, without its line feed. */
export function rowLine(row: Row): string {
	return JSON.stringify(row);
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
	 * @param keys receives the ids of the master keys that sealed values in the rows.
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

export function linesOf(rows: readonly Row[]): string {
	let text = "";
	for (const row of rows) text += `${rowLine(row)}\n`;
	return text;
}
