// The formats of user files, and how they are detected from their content.

import { auth0 } from "./auth0.ts";
import { firebase } from "./firebase.ts";
import { keycloak } from "./keycloak.ts";
import type { SourceFormat } from "./source-record.ts";
import { splitDocument } from "./split-document.ts";
import { type Line, splitLines } from "./split-lines.ts";

export const FORMAT_NAMES = ["latchkey", "keycloak", "auth0", "firebase"] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** Options of `openSource`. */
export interface SourceOptions {
	/** Default: detected from the content. */
	readonly format?: FormatName | undefined;
	/** The text with the hash parameters of a Firebase project. */
	readonly hashConfig?: string | undefined;
}

export interface Source {
	readonly name: FormatName;
	/** Undefined for Latchkey's own lines. */
	readonly format: SourceFormat | undefined;
	readonly records: AsyncIterable<Line>;
}

/** Enough for the first record of any file. */
const HEAD_BYTES = 65_536;

/** @throws StartError for missing or invalid hash parameters. */
export async function openSource(
	bytes: AsyncIterable<Buffer>,
	{ format, hashConfig }: SourceOptions,
): Promise<Source> {
	const { head, all } = await readHead(bytes);
	const text = head
		.toString("utf8")
		.replace(/^\ufeff/, "")
		.trimStart();
	const name = format ?? recognize(text);
	switch (name) {
		case "latchkey":
			return { name, format: undefined, records: splitLines(all) };
		case "keycloak":
			return { name, format: keycloak, records: splitDocument(all) };
		case "auth0":
			return { name, format: auth0, records: text.startsWith("[") ? splitDocument(all) : splitLines(all) };
		case "firebase":
			return { name, format: firebase(hashConfig), records: splitDocument(all) };
	}
}

/** An object that spans several lines, or begins like an export. */
const DOCUMENT = /^\{(\s*("id"\s*:\s*"[^"]*"\s*,\s*)?"(users|realm)"\s*:|[ \t]*\r?\n)/;

/** @param text the beginning of the file. */
function recognize(text: string): FormatName {
	if (/^\[\s*\{/.test(text)) return "auth0";
	// The first line of the other formats is a complete object.
	if (DOCUMENT.test(text)) return /"localId"\s*:/.test(text) ? "firebase" : "keycloak";
	const [line = ""] = text.split("\n", 1);
	return /"(_id|user_id|custom_password_hash)"\s*:/.test(line) ? "auth0" : "latchkey";
}

async function readHead(bytes: AsyncIterable<Buffer>) {
	const iterator = bytes[Symbol.asyncIterator]();
	const parts: Buffer[] = [];
	let length = 0;
	while (length < HEAD_BYTES) {
		const next = await iterator.next();
		if (next.done === true) break;
		parts.push(next.value);
		length += next.value.length;
	}
	async function* all(): AsyncGenerator<Buffer> {
		yield* parts;
		yield* { [Symbol.asyncIterator]: () => iterator };
	}
	return { head: Buffer.concat(parts).subarray(0, HEAD_BYTES), all: all() };
}
