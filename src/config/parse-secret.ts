// Parses secrets. Errors of these parsers never show the value.

import type { Parsed } from "./parsed.ts";

/** One or more master keys, each 32 bytes in base64, separated by commas; spaces around a comma are removed. */
export function parseMasterKeys(text: string): Parsed<string> {
	const keys = text.split(",").map((key) => key.trim());
	if (keys.every(isKey)) return { value: keys.join(",") };
	return { mustBe: "32 bytes in base64 (44 characters), or a comma-separated list of such keys" };
}

function isKey(text: string): boolean {
	const bytes = Buffer.from(text, "base64");
	// Node decodes base64 leniently; only canonical text is equal after re-encoding.
	return bytes.length === 32 && bytes.toString("base64") === text;
}

/**
 * The first administrator's password: the length limits of every password (8 characters, 72 bytes of UTF-8, counted
 * after NFC). The other password rules are checked when the account is created.
 */
export function parsePassword(text: string): Parsed<string> {
	const normal = text.normalize("NFC");
	if ([...normal].length >= 8 && Buffer.byteLength(normal) <= 72) return { value: text };
	return { mustBe: "at least 8 characters and at most 72 bytes of UTF-8" };
}
