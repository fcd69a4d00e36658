// The depth of a test run: `npm test`, `npm run test:all`, or `npm run test:long`. The runner sets it.

export type Depth = "quick" | "all" | "long";

/** A single file runs as in `npm run test:all`. */
export const TEST_DEPTH: Depth = parseDepth(process.env.TEST_DEPTH);

/** The value for the depth of this run, such as the number of rounds. */
export function atDepth<T>(values: Readonly<Record<Depth, T>>): T {
	return values[TEST_DEPTH];
}

function parseDepth(text = "all"): Depth {
	if (text === "quick" || text === "all" || text === "long") return text;
	throw new Error(`TEST_DEPTH is "${text}"; use quick, all or long`);
}
