// Identifiers: UUID version 7 (RFC 9562), which sort by creation time.

import { getRandomValues } from "node:crypto";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

let lastMs = 0;
let sequence = 0;

/**
 * A new UUIDv7, lower case. Ids of one process never decrease: within one millisecond, or after the clock is set back,
 * a 12-bit counter in `rand_a` rises; past 4096 the time part advances (RFC 9562, section 6.2, method 1).
 */
export function newId(nowMs: number): string {
	if (nowMs > lastMs) {
		lastMs = nowMs;
		sequence = 0;
	} else if (++sequence > 0xfff) {
		lastMs += 1;
		sequence = 0;
	}
	const random = getRandomValues(new Uint8Array(8));
	random[0] = ((random[0] ?? 0) & 0x3f) | 0x80;
	const time = lastMs.toString(16).padStart(12, "0");
	const counter = (0x7000 | sequence).toString(16);
	let tail = "";
	for (const byte of random) tail += HEX[byte];
	return `${time.slice(0, 8)}-${time.slice(8)}-${counter}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

/** The id in lower case, or undefined when the text is not a UUID (of any version). */
export function parseId(text: string): string | undefined {
	return UUID.test(text) ? text.toLowerCase() : undefined;
}
