// Reads headers as they were sent: Node joins or drops repeated headers.

import type { IncomingMessage } from "node:http";

/**
 * Every value of a header, in the order sent; `name` in lower case. Reads the raw list: Node builds the object
 * `message.headers` only on first access.
 */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
	const values: string[] = [];
	for (let index = 0; index < rawHeaders.length; index += 2) {
		const header = rawHeaders[index] as string;
		if (header.length === name.length && header.toLowerCase() === name)
			values.push(rawHeaders[index + 1] as string);
	}
	return values;
}
