// Computes what follows from a cached object once instead of at every request.

/**
 * Calls `compute` once for each frozen input, which many callers share, and every time for any other. The result lives as
 * long as its input, and is shared as well: freeze it.
 */
export function perShared<In extends object, Out>(compute: (input: In) => Out): (input: In) => Out {
	const known = new WeakMap<In, Out>();
	return (input) => {
		if (!Object.isFrozen(input)) return compute(input);
		let result = known.get(input);
		if (result === undefined) {
			result = compute(input);
			known.set(input, result);
		}
		return result;
	};
}
