// Reads files and standard input.

import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { fileError, usageError } from "../kernel/start-error.ts";
import { host } from "./host.ts";

/** The content of a file, byte for byte; `-` is standard input. @throws StartError when it cannot be read. */
export async function readInput(file: string): Promise<Buffer> {
	if (file === "-") return buffer(host().stdin);
	try {
		return readFileSync(file);
	} catch (cause) {
		throw fileError(`${file} cannot be read`, cause);
	}
}

/**
 * Reads a password: one line without its line feed. Spaces are significant.
 *
 * @throws StartError for empty input or more than one line.
 */
export async function readPassword(): Promise<string> {
	const text = (await buffer(host().stdin)).toString("utf8").replace(/\r?\n$/, "");
	if (text === "") throw usageError("no password on standard input");
	if (/[\r\n]/.test(text)) throw usageError("the password on standard input must be a single line");
	return text;
}
