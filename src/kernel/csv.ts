// Comma-separated values for spreadsheets (RFC 4180).

/** Begins a file: without this mark, Excel reads UTF-8 as the character set of the computer. */
export const CSV_START = "\uFEFF";

/**
 * Where a spreadsheet would begin a formula: in a field, and after a character that ends a cell, because a spreadsheet set to
 * another separator splits the field there, even inside quotes. Quotes at the start of such a cell vanish.
 */
const FORMULA = /(^|[;\t\r\n])(?=[ "]*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g;
/** Spreadsheets that accept several separators split unquoted fields at all of them. */
const QUOTED = /[",;\t\r\n]/;

/**
 * One line with its end. Writes `'` before what a spreadsheet would read as a formula, because administrators open text from
 * callers. A list of texts is joined, other objects are JSON, and null is empty.
 */
export function csvLine(fields: readonly unknown[]): string {
	return `${fields.map((field) => csvField(textOf(field))).join(",")}\r\n`;
}

function csvField(text: string): string {
	const safe = text.replaceAll(FORMULA, "$1'");
	return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function textOf(value: unknown): string {
	if (value === undefined || value === null) return "";
	if (typeof value !== "object") return String(value);
	const isTexts = Array.isArray(value) && value.every((item) => typeof item === "string");
	return isTexts ? value.join(", ") : JSON.stringify(value);
}
