// Parses numbers and enumerated words in their canonical form only, and secrets, which no error shows.

import type { Parsed } from "./setting.ts";

const WHOLE = /^(?:0|[1-9][0-9]{0,9})$/;

/**
 * A parser of whole numbers from `least` to `most`, inclusive. Tests the text itself: `Number()` would accept `1e3`,
 * `0x10`, `+80`, and ` 80`, and `parseInt` trailing text.
 */
export function wholeNumber(least: number, most: number): (text: string) => Parsed<number> {
	const mustBe = `a whole number from ${least} to ${most}`;
	return (text) => {
		if (!WHOLE.test(text)) return { mustBe };
		const value = Number(text);
		return value >= least && value <= most ? { value } : { mustBe };
	};
}

const portNumber = wholeNumber(0, 65_535);

/** A TCP port; 0 means off and becomes null. */
export function parsePort(text: string): Parsed<number | null> {
	const parsed = portNumber(text);
	if ("mustBe" in parsed) return { mustBe: `${parsed.mustBe} (0 = off)` };
	return { value: parsed.value === 0 ? null : parsed.value };
}

/** A parser of exactly one of `words`, case-sensitive. */
export function oneOf<const W extends string>(words: readonly W[]): (text: string) => Parsed<W> {
	return (text) => {
		const value = words.find((word) => word === text);
		return value === undefined ? { mustBe: `one of ${words.join(", ")}` } : { value };
	};
}

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
 * The first administrator's password, within the length limits of every password (8 characters, 72 bytes of UTF-8,
 * counted after NFC). The other password rules are checked when the account is created.
 */
export function parsePassword(text: string): Parsed<string> {
	const normal = text.normalize("NFC");
	if ([...normal].length >= 8 && Buffer.byteLength(normal) <= 72) return { value: text };
	return { mustBe: "at least 8 characters and at most 72 bytes of UTF-8" };
}

/** One line of 1 to 60 characters. */
export function parseBrandName(text: string): Parsed<string> {
	if ([...text].length <= 60 && text === text.trim() && !/\p{Cc}/u.test(text)) return { value: text };
	return { mustBe: "one line of at most 60 characters" };
}

/** `#rrggbb`, in either case. */
export function parseColor(text: string): Parsed<string> {
	if (/^#[0-9A-Fa-f]{6}$/.test(text)) return { value: text.toLowerCase() };
	return { mustBe: "a color of the form #rrggbb" };
}
