// Reads documents for tests: text, tables, and links.

import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../", import.meta.url);

/** Every document of the repository, by path relative to the root. */
export function allDocuments(): string[] {
	const patterns = ["*.md", "docs/**/*.md", "deploy/**/*.md"];
	return globSync(patterns, { cwd: fileURLToPath(ROOT) })
		.map((path) => path.replaceAll("\\", "/"))
		.sort();
}

export function readDocument(path: string): string {
	return readFileSync(new URL(path, ROOT), "utf8");
}

/** The cells of every table row, one array per row, without headers. */
export function tableRows(text: string): string[][] {
	const rows: string[][] = [];
	const lines = text.split("\n");
	for (const [index, line] of lines.entries()) {
		const isHeader = /^\| *:?-+/.test(lines[index + 1] ?? "");
		if (!line.startsWith("|") || isHeader || /^\| *:?-+/.test(line)) continue;
		rows.push(
			line
				.split(/(?<!\\)\|/)
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);
	}
	return rows;
}

/** The text between backticks in a cell, or the whole cell. */
export function bare(cell: string): string {
	return /^`(.*)`$/.exec(cell)?.[1] ?? cell;
}

/** The parts of a document under its `## ` headings, by heading. */
export function sections(text: string): Map<string, string> {
	const parts = text.split(/^## /m).slice(1);
	return new Map(
		parts.map((part) => {
			const end = part.indexOf("\n");
			return [part.slice(0, end).trim(), part.slice(end + 1)];
		}),
	);
}
