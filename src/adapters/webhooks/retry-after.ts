// Parses the `Retry-After` header of a receiver.

import { SECOND_MS } from "../../kernel/clock.ts";

const SECONDS = /^[0-9]+$/;
/** `Sun, 06 Nov 1994 08:49:37 GMT`, and the form of RFC 850. */
const DATE =
	/^[A-Z][a-z]{2,8}, [0-9]{2}[ -][A-Z][a-z]{2}[ -](?:[0-9]{2}){1,2} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/;
/** `Sun Nov  6 08:49:37 1994`, which is UTC, too. */
const C_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]{4}$/;

/**
 * The seconds to wait, from both forms of the header (RFC 9110, 10.2.3, and 5.6.7 for dates): 0 for a date in the past,
 * undefined for anything else.
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
	if (header === undefined) return undefined;
	if (SECONDS.test(header)) return Number(header);
	const isC = C_DATE.test(header);
	if (!isC && !DATE.test(header)) return undefined;
	const atMs = Date.parse(isC ? `${header} GMT` : header);
	return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / SECOND_MS));
}
