// Parses numbers and words of a closed list, in their plain form only.

import type { Parsed } from "./parsed.ts";

const WHOLE = /^(?:0|[1-9][0-9]{0,9})$/;

/**
 * A parser of whole numbers from `least` to `most`, inclusive. Tests the text itself: `Number()` would accept `1e3`,
 * `0x10`, `+80` and ` 80`, and `parseInt` trailing text.
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
