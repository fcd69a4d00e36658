// Comma-separated values (RFC 4180) without formulas.

const FORMULA = /^[=+\-@\t\r]/;
const QUOTED = /[",\r\n]/;

/**
 * Returns one line with its line end. A field that a spreadsheet would read as a formula is prefixed with `'`: fields
 * hold what callers typed, and administrators open the file.
 */
export function csvLine(fields: readonly string[]): string {
	return `${fields.map(csvField).join(",")}\r\n`;
}

function csvField(text: string): string {
	const safe = FORMULA.test(text) ? `'${text}` : text;
	return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
