// Splits a stream of text into lines, one at a time.

import { BackupError } from "../../domain/backup.ts";

/** Far above any row. Without a limit, a file without line feeds would exhaust memory. */
const LINE_MAX = 1 << 24;

export interface LineReader {
	/**
	 * The next line without its line feed; undefined at the end. Text after the last line feed is ignored.
	 *
	 * @throws BackupError for a line of more than `max` characters.
	 */
	next(max?: number): Promise<string | undefined>;
}

export function readLines(text: AsyncIterable<string>): LineReader {
	const pieces = text[Symbol.asyncIterator]();
	let buffer = "";
	let start = 0;
	return {
		async next(max = LINE_MAX) {
			let searched = start;
			for (;;) {
				const end = buffer.indexOf("\n", searched);
				if (end >= 0) {
					const line = buffer.slice(start, end);
					start = end + 1;
					return line;
				}
				if (buffer.length - start > max) throw new BackupError("was not created by latchkey backup");
				buffer = buffer.slice(start);
				start = 0;
				searched = buffer.length;
				const { value, done } = await pieces.next();
				if (done === true) return undefined;
				buffer += value;
			}
		},
	};
}
