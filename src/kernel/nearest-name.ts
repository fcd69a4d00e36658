// Finds the known name that a mistyped one was probably meant to be.

/**
 * The known name with the fewest edits (insert, drop, or replace a letter, swap two neighbors) from `name`, ignoring
 * case. Undefined when even that one needs more than a third of its own letters; two edits are always accepted. The
 * `ignored` leading letters, which every name shares, do not count.
 */
export function findNearestName(name: string, known: readonly string[], ignored: number): string | undefined {
	const ranked = known
		.map((candidate) => ({ candidate, edits: editDistance(name.toUpperCase(), candidate.toUpperCase()) }))
		.sort((one, other) => one.edits - other.edits);
	const best = ranked[0];
	if (best === undefined) return undefined;
	const limit = Math.max(2, Math.floor((best.candidate.length - ignored) / 3));
	return best.edits <= limit ? best.candidate : undefined;
}

/** Optimal string alignment distance, row by row. */
function editDistance(from: string, to: string): number {
	let beforeLast: number[] = [];
	let last = Array.from({ length: to.length + 1 }, (_, column) => column);
	for (let row = 1; row <= from.length; row++) {
		const current = [row];
		for (let column = 1; column <= to.length; column++) {
			const same = from[row - 1] === to[column - 1];
			const swapped =
				row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
			current[column] = Math.min(
				at(current, column - 1) + 1,
				at(last, column) + 1,
				at(last, column - 1) + (same ? 0 : 1),
				swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
			);
		}
		beforeLast = last;
		last = current;
	}
	return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
	return row[column] ?? Number.POSITIVE_INFINITY;
}
