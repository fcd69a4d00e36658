// Splits a stream of bytes into lines.

export const RECORD_MAX_BYTES = 65_536;

export interface Line {
	/** 1-based. */
	readonly number: number;
	/** Without the line feed; undefined when it is longer than 64 KiB or not UTF-8. */
	readonly text: string | undefined;
	/** Why there is no text, unless the reason is its length or encoding. */
	readonly problem?: string;
}

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = /^\ufeff/;

/** The last line needs no line feed. Keeps at most one line in memory. */
export async function* splitLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<Line> {
	let parts: Buffer[] = [];
	let length = 0;
	let number = 0;
	const take = (part: Buffer): void => {
		length += part.length;
		// Keep only the length of a line that is too long.
		if (length > RECORD_MAX_BYTES) parts = [];
		else parts.push(part);
	};
	const end = (): Line => {
		number++;
		const text = length > RECORD_MAX_BYTES ? undefined : decodeLine(Buffer.concat(parts));
		parts = [];
		length = 0;
		return { number, text: number === 1 ? text?.replace(BYTE_ORDER_MARK, "") : text };
	};
	for await (const chunk of bytes) {
		let start = 0;
		for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, start)) {
			take(chunk.subarray(start, at));
			yield end();
			start = at + 1;
		}
		take(chunk.subarray(start));
	}
	if (length > 0) yield end();
}

/** Undefined for bytes that are not UTF-8. */
export function decodeLine(line: Buffer): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
	} catch {
		return undefined;
	}
}
