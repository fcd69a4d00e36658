// The initial state of Blowfish: the binary digits of the fraction of pi, as big-endian words (Schneier, 1993).

import { STATE_BYTES } from "./lane-layout.ts";

const WORD_BITS = 32n;
/** Covers the rounding error of the terms of the series. */
const SPARE_BITS = 64n;

/** About 40 ms of work: compute it once. */
export function initialBlowfishState(): Uint32Array<ArrayBuffer> {
	const words = STATE_BYTES / 4;
	const bits = BigInt(words) * WORD_BITS;
	const one = 1n << (bits + SPARE_BITS);
	// Machin's formula: pi = 16 arctan(1/5) - 4 arctan(1/239).
	const pi = (16n * arctanOfInverse(5n, one) - 4n * arctanOfInverse(239n, one)) >> SPARE_BITS;
	const digits = BigInt.asUintN(Number(bits), pi)
		.toString(16)
		.padStart(words * 8, "0");
	return Uint32Array.from({ length: words }, (_, index) =>
		Number.parseInt(digits.slice(8 * index, 8 * index + 8), 16),
	);
}

function arctanOfInverse(divisor: bigint, one: bigint): bigint {
	const square = divisor * divisor;
	let power = one / divisor;
	let sum = power;
	for (let term = 3n; power !== 0n; term += 4n) {
		power /= square;
		sum -= power / term;
		power /= square;
		sum += power / (term + 2n);
	}
	return sum;
}
