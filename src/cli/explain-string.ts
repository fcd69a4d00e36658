// `latchkey sign --explain`: prints the string to sign, and where another one first differs.

import { findSignedDifference, SIGNED_LINE_NAMES } from "../crypto/string-to-sign-difference.ts";

/** The numbered lines: `3  /api/v1/external/whoami`. */
export function numberedLines(text: string): string {
	const lines = text.split("\n").map((line, index) => `${index + 1}  ${line}`);
	return `string to sign, ${SIGNED_LINE_NAMES.length} lines joined by LF, none after the last:\n${lines.join("\n")}`;
}

/**
 * Compares the string to sign with the content of a file, byte for byte.
 *
 * @param file `-` is standard input.
 * @param proof what signs, for the report
 */
export function compareWith(
	file: string,
	content: string,
	text: string,
	proof: string,
): { readonly same: boolean; readonly report: string } {
	const name = file === "-" ? "standard input" : file;
	const difference = findSignedDifference(text, content);
	if (difference === undefined)
		return {
			same: true,
			report: `${name} is identical: if the signature is refused, check the ${proof} and the client`,
		};
	const { line, expected, given, hint } = difference;
	const place = difference.name === "" ? `line ${line}` : `line ${line} (${difference.name})`;
	return {
		same: false,
		report: [
			`${name} differs in ${place}${hint === "" ? "" : `: ${hint}`}`,
			`  signed here  ${shown(expected)}`,
			`  ${name === file ? "in the file" : "given      "}  ${shown(given)}`,
		].join("\n"),
	};
}

/** Quoted, so that spaces and carriage returns are visible. */
function shown(line: string | null): string {
	return line === null ? "no such line" : JSON.stringify(line);
}
