// Splits a JSON document into the users of its list, without parsing the rest.

import { type Line, RecordBuffer } from "./split-lines.ts";

const [QUOTE, BACKSLASH, COMMA, NEWLINE] = [0x22, 0x5c, 0x2c, 0x0a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const KEY = Buffer.from('"users"');
const BLANK = new Set([0x20, 0x09, NEWLINE, 0x0d]);

/**
 * Yields the elements of the document if it is a list, otherwise those of its member `users`. Each `Line` is one
 * element, numbered by the line where it begins. The last one has a `problem` if the document has no such list, or is
 * truncated. Holds at most one element in memory.
 */
export async function* splitDocument(bytes: AsyncIterable<Buffer>): AsyncGenerator<Line> {
	const scanner = new DocumentScanner();
	for await (const chunk of bytes) yield* scanner.scan(chunk);
	yield* scanner.end();
}

class DocumentScanner {
	#line = 1;
	#depth = 0;
	#inString = false;
	#escaped = false;
	/** The last string outside the list: the key of what follows. */
	#key: number[] = [];
	/** The nesting depth inside the list; 0 before and after it. */
	#listDepth = 0;
	#foundList = false;
	readonly #element = new RecordBuffer();
	/** The first line of the element; 0 before it begins. */
	#startLine = 0;

	*scan(chunk: Buffer): Generator<Line> {
		let start = 0;
		for (let at = 0; at < chunk.length; at++) {
			const byte = chunk[at] ?? 0;
			if (this.#isSeparator(byte)) {
				this.#take(chunk.subarray(start, at));
				if (this.#startLine > 0) {
					yield { number: this.#startLine, text: this.#element.end() };
					this.#startLine = 0;
				}
			} else if (this.#listDepth > 0 && this.#startLine === 0 && !BLANK.has(byte)) {
				this.#startLine = this.#line;
				start = at;
			}
			this.#step(byte);
			if (byte === NEWLINE) this.#line++;
		}
		this.#take(chunk.subarray(start));
	}

	*end(): Generator<Line> {
		const number = this.#startLine || this.#line;
		if (!this.#foundList) yield { number, text: undefined, problem: "has no list of users" };
		else if (this.#depth > 0) yield { number, text: undefined, problem: "ends before the document does" };
	}

	/** Whether the byte ends an element of the list, or the list. */
	#isSeparator(byte: number): boolean {
		if (this.#listDepth === 0 || this.#inString || this.#depth !== this.#listDepth) return false;
		return byte === COMMA || byte === CLOSE_LIST;
	}

	#step(byte: number): void {
		if (this.#inString) this.#stepInString(byte);
		else if (byte === QUOTE) {
			this.#inString = true;
			this.#key = [byte];
		} else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
			this.#depth++;
			if (byte === OPEN_LIST && this.#opensUsers()) {
				this.#listDepth = this.#depth;
				this.#foundList = true;
			}
		} else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
			if (this.#depth === this.#listDepth) this.#listDepth = 0;
			this.#depth--;
		}
	}

	#stepInString(byte: number): void {
		if (this.#key.length <= KEY.length) this.#key.push(byte);
		if (this.#escaped) this.#escaped = false;
		else if (byte === BACKSLASH) this.#escaped = true;
		else if (byte === QUOTE) this.#inString = false;
	}

	#opensUsers(): boolean {
		if (this.#foundList) return false;
		return this.#depth === 1 || (this.#depth === 2 && KEY.equals(Buffer.from(this.#key)));
	}

	#take(part: Buffer): void {
		if (this.#startLine > 0) this.#element.take(part);
	}
}
