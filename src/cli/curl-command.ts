// A signed request as a curl command that sends exactly the same bytes.

import { StartError } from "../kernel/start-error.ts";
import type { SignedRequest } from "./send-request.ts";

/**
 * For a POSIX shell. `given` is the body as it was typed: a file is left for curl to read, standard input, which is
 * used up, is written out.
 *
 * @throws StartError when the body cannot stand in a command.
 */
export function curlCommand(request: SignedRequest, given: string | undefined): string {
	const { method, origin, target, headers, body, insecure } = request;
	const first = `curl${insecure ? " --insecure" : ""} --globoff --path-as-is --request ${quote(method)}`;
	const lines = [`${first} ${quote(`${origin}${target}`)}`];
	for (const [name, value] of Object.entries(headers)) lines.push(`--header ${quote(`${name}: ${value}`)}`);
	const data = given === "@-" ? inline(body) : given;
	if (data !== undefined) lines.push(`--data-binary ${quote(data)}`);
	return lines.join(" \\\n  ");
}

/** Plain words as they are, all else in single quotes. */
function quote(text: string): string {
	return /^[A-Za-z0-9_./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function inline(body: Buffer | undefined): string | undefined {
	const text = body?.toString("utf8");
	if (text === undefined || body === undefined) return undefined;
	// curl takes what begins with @ for a file; a shell's argument holds no NUL.
	if (Buffer.from(text).equals(body) && !text.includes("\0") && !text.startsWith("@")) return text;
	throw new StartError("this body cannot be printed; put it into a file and give @file");
}
