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
	const widths = fields.map((name, column) =>
		Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)),
	);
	const line = (row: readonly string[]): string =>
		row
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join("  ")
			.trimEnd();
	if (items.length > 0) printConfirmation(line(fields));
	for (const [index, item] of items.entries()) printResult(item, line(cells[index] ?? []));
	if (items.length < total)
		printNote(`${items.length} of ${total}${totalIsMinimum ? "+" : ""}: --limit shows more`);
}

/** Prints one line per field; with `--json` the object. */
export function printRecord(record: object): void {
	const entries = Object.entries(record);
	const width = Math.max(...entries.map(([name]) => name.length));
	printResult(record, ...entries.map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`.trimEnd()));
}
