// A count of `usage` in words.

import { format } from "../words/format.ts";

/** The API counts no further. */
const COUNT_MAX = 1_000;

export function counted(count: number | undefined): string {
	if (count === undefined) return "";
	return count < COUNT_MAX ? format.number(count) : `${format.number(COUNT_MAX)}+`;
}
