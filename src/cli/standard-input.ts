// Reads standard input.

import { StartError } from "../kernel/start-error.ts";

/** All of standard input, byte for byte. */
export async function readStandardInput(): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks);
}

/**
 * Reads a password: one line without its line feed. Spaces count.
 *
 * @throws StartError for an empty input or more than one line.
 */
export async function readPassword(): Promise<string> {
	const text = (await readStandardInput()).toString("utf8").replace(/\r?\n$/, "");
	if (text === "") throw new StartError("no password on standard input");
	if (/[\r\n]/.test(text)) throw new StartError("the password on standard input must be a single line");
	return text;
}
