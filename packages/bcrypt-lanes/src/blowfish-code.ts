// Blowfish in WebAssembly, interleaving the rounds of several lanes: while one round waits for its table loads, the
// loads of the other lanes fill the wait. Schneier, "Description of a New Variable-Length Key, 64-Bit Block Cipher"
// (1993).

import { BOX_BYTES, LANE_BYTES, STATE_BYTES, SUBKEY_BYTES, SUBKEYS } from "./lane-layout.ts";
import {
	add,
	and,
	type Code,
	code,
	constant,
	get,
	isLess,
	loadAt,
	repeat,
	set,
	shiftLeft,
	shiftRight,
	storeAt,
	xor,
} from "./wasm-module.ts";

/** A word index times four: the only bits that may be set. */
const INDEX_MASK = 0xff << 2;
const PAIR_BYTES = 8;

export interface Lane {
	readonly base: number;
	/** The locals of its pair. */
	readonly left: number;
	readonly right: number;
}

/** Lane numbers from `first`; their pairs are the locals from `local` on. */
export function lanesFrom(first: number, count: number, local: number): Lane[] {
	return Array.from({ length: count }, (_, index) => ({
		base: (first + index) * LANE_BYTES,
		left: local + 2 * index,
		right: local + 2 * index + 1,
	}));
}

/** XORs the subkeys of each lane with the `bytes` at `offset`, repeated. */
export function mixIntoSubkeys(lanes: readonly Lane[], offset: number, bytes: number): Code {
	return code(
		...lanes.flatMap(({ base }) =>
			Array.from({ length: SUBKEYS }, (_, index) => {
				const subkey = base + 4 * index;
				const mixed = base + offset + ((4 * index) % bytes);
				return code(constant(0), word(subkey), word(mixed), xor, storeAt(subkey));
			}),
		),
	);
}

/** The local of the address counts through the state, which repeated encryption of zeros replaces. */
export function replaceState(lanes: readonly Lane[], address: number, mixBefore: Code = []): Code {
	return code(
		...lanes.map(({ left, right }) => code(constant(0), set(left), constant(0), set(right))),
		constant(0),
		set(address),
		repeat(
			mixBefore,
			encipher(lanes),
			...lanes.map(({ base, ...pair }) => storePair(pair, address, base)),
			code(get(address), constant(PAIR_BYTES), add, set(address)),
			code(get(address), constant(STATE_BYTES), isLess),
		),
	);
}

/** XOR of the pair with one of the two pairs at `offset`, which take turns from address 0 on. */
export function mixIntoPair({ base, left, right }: Lane, offset: number, address: number): Code {
	const turn = code(get(address), constant(PAIR_BYTES), and);
	return code(
		...[get(left), turn, loadAt(base + offset), xor, set(left)],
		...[get(right), turn, loadAt(base + offset + 4), xor, set(right)],
	);
}

/** To the address in a local, plus `base`. */
export function storePair({ left, right }: Omit<Lane, "base">, address: number, base: number): Code {
	return code(get(address), get(left), storeAt(base), get(address), get(right), storeAt(base + 4));
}

/** Sixteen rounds. The halves are swapped in the generated code instead of at run time. */
export function encipher(lanes: readonly Lane[]): Code {
	const begin = lanes.map(({ base, left }) => code(get(left), word(base), xor, set(left)));
	const rounds = Array.from({ length: SUBKEYS - 2 }, (_, index) =>
		lanes.map(({ base, left, right }) => {
			const [from, to] = index % 2 === 0 ? [left, right] : [right, left];
			return code(get(to), word(base + 4 * (index + 1)), xor, substitute(base, from), xor, set(to));
		}),
	);
	const end = lanes.map(({ base, left, right }) =>
		code(get(right), word(base + SUBKEY_BYTES - 4), xor, get(left), set(right), set(left)),
	);
	return code(...begin, ...rounds.flat(), ...end);
}

/** F: ((S0[a] + S1[b]) XOR S2[c]) + S3[d], of the bytes of the word in `local` from the highest. */
function substitute(base: number, local: number): Code {
	const box = (number: number, bits: number, shift: Code): Code =>
		code(
			...[get(local), constant(bits), shift, constant(INDEX_MASK), and],
			loadAt(base + SUBKEY_BYTES + number * BOX_BYTES),
		);
	return code(
		...[box(0, 22, shiftRight), box(1, 14, shiftRight), add],
		...[box(2, 6, shiftRight), xor, box(3, 2, shiftLeft), add],
	);
}

/** The word at a fixed address. */
function word(address: number): Code {
	return code(constant(0), loadAt(address));
}
