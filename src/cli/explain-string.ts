// `latchkey sign --explain`: the string that is signed, line by line, and where another one differs from it.

import { readFileSync } from "node:fs";
import { findSignedDifference, SIGNED_LINE_NAMES } from "../crypto/string-to-sign-difference.ts";
import { StartError, systemCode } from "../kernel/start-error.ts";
import { readStandardInput } from "./standard-input.ts";

/** The nine lines, each with its number: `3  /api/v1/external/whoami`. */
export function numberedLines(text: string): string {
	const lines = text.split("\n").map((line, index) => `${index + 1}  ${line}`);
	return `string to sign, ${SIGNED_LINE_NAMES.length} lines joined by LF, none after the last:\n${lines.join("\n")}`;
}

/**
 * What `--compare` says, and whether the strings are the same.
 *
 * @param file `-` is standard input; taken byte for byte.
 * @throws StartError when it cannot be read.
 */
export async function compareWith(
	file: string,
	text: string,
): Promise<{ readonly same: boolean; readonly said: string }> {
	const name = file === "-" ? "standard input" : file;
	const difference = findSignedDifference(text, await readText(file));
	if (difference === undefined) return { same: true, said: `${name} is the same` };
	const { line, expected, given, hint } = difference;
	const place = difference.name === "" ? `line ${line}` : `line ${line} (${difference.name})`;
	return {
		same: false,
		said: [
			`${name} differs in ${place}${hint === "" ? "" : `: ${hint}`}`,
			`  signed here  ${shown(expected)}`,
			`  ${name === file ? "in the file" : "given      "}  ${shown(given)}`,
		].join("\n"),
	};
}

/** In quotes, so that spaces and carriage returns can be seen. */
function shown(line: string | null): string {
	return line === null ? "no such line" : JSON.stringify(line);
}

async function readText(file: string): Promise<string> {
	if (file === "-") return (await readStandardInput()).toString("utf8");
	try {
		return readFileSync(file, "utf8");
	} catch (cause) {
		throw new StartError(`${file} cannot be read (${systemCode(cause)})`, { cause });
	}
}
