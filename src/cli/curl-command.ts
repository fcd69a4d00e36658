// Prints a signed request as a curl command that sends exactly the same bytes.

import { usageError } from "../kernel/start-error.ts";
import type { SignedRequest } from "./send-request.ts";

/**
 * For a POSIX shell.
 *
 * @param data the `--data` option. curl reads an `@file` itself; `@-` is written out because it was already read.
 * @throws StartError when the body cannot be part of a command.
 */
export function curlCommand(request: SignedRequest, data: string | undefined): string {
	const { method, origin, target, headers, body, insecure } = request;
	const first = `curl${insecure ? " --insecure" : ""} --globoff --path-as-is --request ${quote(method)}`;
	const lines = [`${first} ${quote(`${origin}${target}`)}`];
	for (const [name, value] of Object.entries(headers)) lines.push(`--header ${quote(`${name}: ${value}`)}`);
	const text = data === "@-" ? inline(body) : data;
	if (text !== undefined) lines.push(`--data-binary ${quote(text)}`);
	return lines.join(" \\\n  ");
}

/** Quotes everything except plain words. */
function quote(text: string): string {
	return /^[A-Za-z0-9_./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function inline(body: Buffer | undefined): string | undefined {
	const text = body?.toString("utf8");
	if (text === undefined || body === undefined) return undefined;
	// curl reads a value that begins with @ from a file; a shell argument cannot hold NUL.
	if (Buffer.from(text).equals(body) && !text.includes("\0") && !text.startsWith("@")) return text;
	throw usageError("this body cannot be printed; write it to a file and pass @file");
}
