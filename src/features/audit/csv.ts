// Comma-separated values (RFC 4180) that a spreadsheet shows and never runs.

const FORMULA = /^[=+\-@\t\r]/;
const QUOTED = /[",\r\n]/;

/**
 * One line with its end. A field that a spreadsheet would take for a formula gets a `'` before it: what callers type
 * ends up here, and is opened by people who may more than they.
 */
export function csvLine(fields: readonly string[]): string {
	return `${fields.map(csvField).join(",")}\r\n`;
}

function csvField(text: string): string {
	const safe = FORMULA.test(text) ? `'${text}` : text;
	return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
