// Reads files and standard input.

import { readFileSync } from "node:fs";
import { fileError, StartError } from "../kernel/start-error.ts";
import { host } from "./host.ts";

async function readStandardInput(): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of host().stdin) chunks.push(chunk);
	return Buffer.concat(chunks);
}

/** The content of a file, byte for byte; `-` is standard input. @throws StartError when it cannot be read. */
export async function readInput(file: string): Promise<Buffer> {
	if (file === "-") return readStandardInput();
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
	const text = (await readStandardInput()).toString("utf8").replace(/\r?\n$/, "");
	if (text === "") throw new StartError("no password on standard input", { kind: "usage" });
	if (/[\r\n]/.test(text))
		throw new StartError("the password on standard input must be a single line", { kind: "usage" });
	return text;
}
