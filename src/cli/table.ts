// Prints lists and single records as text, or with `--json` as objects.

import type { Page } from "../kernel/page.ts";
import { printConfirmation, printNote, printResult } from "./output.ts";

function words(value: unknown): string {
	if (Array.isArray(value)) return value.join(" ");
	if (typeof value !== "object" || value === null) return String(value ?? "");
	return Object.entries(value)
		.map(([name, each]) => `${name}=${each}`)
		.join(" ");
}

/** Names of users and clients are untrusted: a control character must not reach the terminal. */
function shown(value: unknown): string {
	const text = words(value);
	return text.replaceAll(/\p{C}/gu, "?");
}

/**
 * Prints one line per item with these fields, aligned below their names, or with `--json` the complete items. Reports
 * how many are omitted.
 */
export function printList<T extends object>(
	{ items, total, totalIsMinimum }: Page<T>,
	fields: readonly (keyof T & string)[],
): void {
	const cells = items.map((item) => fields.map((field) => shown(item[field])));
	const [heading = "", ...lines] = alignedLines([fields, ...cells]);
	if (items.length > 0) printConfirmation(heading);
	for (const [index, item] of items.entries()) printResult(item, lines[index] ?? "");
	if (items.length < total)
		printNote(`${items.length} of ${total}${totalIsMinimum ? "+" : ""}: --limit shows more`);
}

/** Rows whose cells begin below each other. All rows have the same number of cells. */
export function alignedLines(rows: readonly (readonly string[])[]): string[] {
	const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
	return rows.map((row) =>
		row
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join("  ")
			.trimEnd(),
	);
}

/** Prints one line per field; with `--json` the object. */
export function printRecord(record: object): void {
	printResult(record, ...recordLines(record));
}

/** One line per field. */
export function recordLines(record: object): string[] {
	return alignedLines(Object.entries(record).map(([name, value]) => [name, shown(value)]));
}
