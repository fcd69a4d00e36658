// Computes what follows from a cached object once instead of at every request.

/**
 * Calls `compute` once for each frozen input, which many callers share, and every time for any other. The result lives as
 * long as its input, and is shared and frozen as well.
 */
export function perShared<In extends object, Out>(compute: (input: In) => Out): (input: In) => Out {
	const known = new WeakMap<In, Out>();
	return (input) => {
		if (!Object.isFrozen(input)) return compute(input);
		let result = known.get(input);
		if (result === undefined) {
			result = freezeAll(compute(input));
			known.set(input, result);
		}
		return result;
	};
}

/** Also freezes nested plain objects and arrays. */
export function freezeAll<T>(value: T): T {
	if (typeof value === "object" && value !== null) for (const part of Object.values(value)) freezeAll(part);
	return Object.freeze(value);
}
