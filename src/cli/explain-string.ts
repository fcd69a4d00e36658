// `latchkey sign --explain`: prints the string to sign, and where another one first differs.

import { findSignedDifference, SIGNED_LINE_NAMES } from "../crypto/string-to-sign-difference.ts";
import { readInput } from "./standard-input.ts";

/** The numbered lines: `3  /api/v1/external/whoami`. */
export function numberedLines(text: string): string {
	const lines = text.split("\n").map((line, index) => `${index + 1}  ${line}`);
	return `string to sign, ${SIGNED_LINE_NAMES.length} lines joined by LF, none after the last:\n${lines.join("\n")}`;
}

/**
 * Compares the string to sign with the content of a file, byte for byte.
 *
 * @param file `-` is standard input.
 * @throws StartError when it cannot be read.
 */
export async function compareWith(
	file: string,
	text: string,
): Promise<{ readonly same: boolean; readonly report: string }> {
	const name = file === "-" ? "standard input" : file;
	const difference = findSignedDifference(text, (await readInput(file)).toString("utf8"));
	if (difference === undefined)
		return {
			same: true,
			report: `${name} is identical: if the signature is refused, check the Secret and the client`,
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
