// Writes a backup: header, every table with its rows, and an end with the MAC over all of it.

import { type MacKey, textMac } from "../../crypto/running-digest.ts";
import type { BackupEnd, BackupHeader, Progress, Row, Table, TableCount } from "../../domain/backup.ts";
import { linesOf, shapeLine, TableDigest } from "./table-digest.ts";

export interface BackupSource {
	/** Parents first, without the table of migrations. */
	readonly tables: readonly Table[];
	/** In batches, in the order of the primary key. */
	rows(table: Table): AsyncIterable<readonly Row[]>;
}

/** The text under the MAC: it covers everything in the file by the digests of the tables. */
export function macText(header: string, { tables, sealed_with }: Omit<BackupEnd, "mac">): string {
	return `${header}\n${JSON.stringify([tables, sealed_with])}`;
}

/**
 * Yields the text of a backup, at most a batch of rows at once; returns its last line.
 *
 * @param macKey derived from the master key that `header.master_key` names.
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
