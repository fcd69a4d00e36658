// Numbers for tests with random data: the same in every run for the same seed.

/** Integers from 0 to below the argument. */
export type Random = (below: number) => number;

/** The generator mulberry32. */
export function seededRandom(seed: number): Random {
	let state = seed;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

/** Numbers from 0 to below 1. */
export function seededShares(seed: number): () => number {
	const random = seededRandom(seed);
	return () => random(2 ** 32) / 2 ** 32;
}
