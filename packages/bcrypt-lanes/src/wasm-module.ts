// Writes the binary form of a WebAssembly module, as far as the bcrypt lanes need it: functions over 32-bit integers
// and one memory. WebAssembly Core Specification 1.0, chapter 5.

/** The bytes of some instructions. */
export type Code = readonly number[];

const I32 = 0x7f;
const FUNCTION_TYPE = 0x60;
const EMPTY_BLOCK = 0x40;
const LOOP = 0x03;
const BRANCH_IF = 0x0d;
const END = 0x0b;
/** Loads and stores of words are aligned to 2^2 bytes. */
const WORD_ALIGNMENT = 2;
const MODULE_HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/** Concatenates code. */
export function code(...parts: readonly Code[]): Code {
	return parts.flat();
}

export const add: Code = [0x6a];
export const subtract: Code = [0x6b];
export const and: Code = [0x71];
export const xor: Code = [0x73];
export const shiftLeft: Code = [0x74];
export const shiftRight: Code = [0x76];
export const isLess: Code = [0x49];

export function constant(value: number): Code {
	return [0x41, ...signed(value)];
}

export function get(local: number): Code {
	return [0x20, ...unsigned(local)];
}

export function set(local: number): Code {
	return [0x21, ...unsigned(local)];
}

/** The word at the address on the stack plus `offset`. */
export function loadAt(offset: number): Code {
	return [0x28, WORD_ALIGNMENT, ...unsigned(offset)];
}

/** Takes the word and, below it, the address to which `offset` is added. */
export function storeAt(offset: number): Code {
	return [0x36, WORD_ALIGNMENT, ...unsigned(offset)];
}

/** Runs `body`, and repeats it while the value that it leaves on the stack is not 0. */
export function repeat(...body: readonly Code[]): Code {
	return [LOOP, EMPTY_BLOCK, ...body.flat(), BRANCH_IF, 0, END];
}

export interface WasmFunction {
	readonly name: string;
	/** Numbered from 0, together with the locals that follow; all 32-bit integers. Returns nothing. */
	readonly parameters: number;
	readonly locals: number;
	readonly body: Code;
}

/** A module with these functions and its memory of `pages` times 64 KiB, all exported: the memory as `memory`. */
export function wasmModule(functions: readonly WasmFunction[], pages: number): Uint8Array<ArrayBuffer> {
	const types = functions.map(({ parameters }) => [
		FUNCTION_TYPE,
		...list(Array.from({ length: parameters }, () => [I32])),
		...list([]),
	]);
	const exported = functions.map(({ name }, index) => [...text(name), 0x00, ...unsigned(index)]);
	const bodies = functions.map(({ locals, body }) => {
		const declared = list([[...unsigned(locals), I32]]);
		return [...unsigned(declared.length + body.length + 1), ...declared, ...body, END];
	});
	return Uint8Array.from([
		...MODULE_HEADER,
		...section(1, list(types)),
		...section(3, list(functions.map((_, index) => unsigned(index)))),
		...section(5, list([[0x00, ...unsigned(pages)]])),
		...section(7, list([[...text("memory"), 0x02, 0x00], ...exported])),
		...section(10, list(bodies)),
	]);
}

function section(id: number, content: Code): Code {
	return [id, ...unsigned(content.length), ...content];
}

function list(items: readonly Code[]): Code {
	return [...unsigned(items.length), ...items.flat()];
}

function text(name: string): Code {
	return list(Array.from(Buffer.from(name), (byte) => [byte]));
}

/** LEB128 of an unsigned number. */
function unsigned(value: number): Code {
	const rest = value >>> 7;
	return rest === 0 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...unsigned(rest)];
}

/** LEB128 of a signed 32-bit number. */
function signed(value: number): Code {
	const low = value & 0x7f;
	const rest = value >> 7;
	const isLast = (rest === 0 && low < 0x40) || (rest === -1 && low >= 0x40);
	return isLast ? [low] : [low | 0x80, ...signed(rest)];
}
