// The WebAssembly that computes bcrypt in lanes. Provos and Mazières, "A Future-Adaptable Password Scheme" (1999),
// section 4.

import {
	encipher,
	lanesFrom,
	mixIntoPair,
	mixIntoSubkeys,
	replaceState,
	storePair,
} from "./blowfish-code.ts";
import { KEY_BYTES, KEY_OFFSET, LANES, SALT_BYTES, SALT_OFFSET, STAGING_LANE } from "./lane-layout.ts";
import {
	type Code,
	code,
	constant,
	get,
	loadAt,
	repeat,
	set,
	subtract,
	type WasmFunction,
	wasmModule,
} from "./wasm-module.ts";

/** The part of the WebAssembly interface used here, which Node's types leave to browser types. */
declare const WebAssembly: {
	readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
	readonly Instance: new (module: object) => { readonly exports: unknown };
};

const ENCRYPTIONS = 64;

export interface BlowfishKernel {
	/** 64 KiB. */
	readonly memory: { readonly buffer: ArrayBuffer };
	/** The first, salted key schedule, in the staging lane. */
	prepare(): void;
	/** Encrypts the pair of words at this address 64 times, with the state of the staging lane. */
	encrypt(address: number): void;
	/** By number of lanes minus one: runs this many iterations, at least one, in the lanes from 0 on. */
	readonly advance: readonly ((iterations: number) => void)[];
}

export function createBlowfishKernel(): BlowfishKernel {
	const counts = Array.from({ length: LANES }, (_, index) => index + 1);
	const module = wasmModule([prepare(), encrypt(), ...counts.map(advance)], 1);
	const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module));
	const functions = exports as BlowfishKernel & Record<string, (iterations: number) => void>;
	return { ...functions, advance: counts.map((count) => functions[advanceName(count)] as () => void) };
}

function advanceName(lanes: number): string {
	return `advance${lanes}`;
}

function prepare(): WasmFunction {
	const address = 0;
	const lanes = lanesFrom(STAGING_LANE, 1, 1);
	const mixSalt = code(...lanes.map((lane) => mixIntoPair(lane, SALT_OFFSET, address)));
	const body = code(mixIntoSubkeys(lanes, KEY_OFFSET, KEY_BYTES), replaceState(lanes, address, mixSalt));
	return { name: "prepare", parameters: 0, locals: 3, body };
}

function encrypt(): WasmFunction {
	const [address, left, count] = [0, 1, 3];
	const lanes = lanesFrom(STAGING_LANE, 1, left);
	const body = code(
		...[constant(ENCRYPTIONS), set(count)],
		...lanes.flatMap((lane) => [
			...[get(address), loadAt(0), set(lane.left)],
			...[get(address), loadAt(4), set(lane.right)],
		]),
		repeat(encipher(lanes), countDown(count)),
		...lanes.map((lane) => storePair(lane, address, 0)),
	);
	return { name: "encrypt", parameters: 1, locals: 3, body };
}

/** One iteration is a key schedule with the key, and one with the salt. */
function advance(count: number): WasmFunction {
	const [iterations, address] = [0, 1];
	const lanes = lanesFrom(0, count, 2);
	const body = repeat(
		...[mixIntoSubkeys(lanes, KEY_OFFSET, KEY_BYTES), replaceState(lanes, address)],
		...[mixIntoSubkeys(lanes, SALT_OFFSET, SALT_BYTES), replaceState(lanes, address)],
		countDown(iterations),
	);
	return { name: advanceName(count), parameters: 1, locals: 1 + 2 * count, body };
}

/** Leaves the remainder on the stack. */
function countDown(local: number): Code {
	return code(get(local), constant(1), subtract, set(local), get(local));
}
