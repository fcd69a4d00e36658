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
	const record = new RecordBuffer();
	let number = 0;
	const end = (): Line => {
		number++;
		const text = record.end();
		return { number, text: number === 1 ? text?.replace(BYTE_ORDER_MARK, "") : text };
	};
	for await (const chunk of bytes) {
		let start = 0;
		for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, start)) {
			record.take(chunk.subarray(start, at));
			yield end();
			start = at + 1;
		}
		record.take(chunk.subarray(start));
	}
	if (record.length > 0) yield end();
}

/** Collects the bytes of one record after the other; of one that is too long, only their number. */
export class RecordBuffer {
	#parts: Buffer[] = [];
	#length = 0;

	get length(): number {
		return this.#length;
	}

	take(part: Buffer): void {
		this.#length += part.length;
		if (this.#length > RECORD_MAX_BYTES) this.#parts = [];
		else this.#parts.push(part);
	}

	/** Undefined for a record that is too long, or not UTF-8. */
	end(): string | undefined {
		const isTooLong = this.#length > RECORD_MAX_BYTES;
		const bytes = Buffer.concat(this.#parts.splice(0));
		this.#length = 0;
		try {
			return isTooLong ? undefined : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
		} catch {
			return undefined;
		}
	}
}
