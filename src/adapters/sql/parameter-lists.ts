// Lists of values as parameters of a statement.

/** Few, so that few statements are prepared. */
const SIZES = [2, 10, 100];
const LARGEST = 100;

/** `$3, $4, $5`, from `$first` on. */
export function places(values: readonly unknown[], first: number): string {
	return values.map((_, index) => `$${first + index}`).join(", ");
}

/** At most 100 values, and the first one again until there are as many as a prepared statement has. */
export function padded(values: readonly string[]): string[] {
	const length = SIZES.find((size) => size >= values.length);
	if (length === undefined) throw new RangeError(`at most ${LARGEST} values at once`);
	return Array.from({ length }, (_, index) => values[index] ?? values[0] ?? "");
}

/** Any number of values, in lists for one statement each. */
export function paddedLists(values: readonly string[]): string[][] {
	const lists: string[][] = [];
	for (let from = 0; from < values.length; from += LARGEST)
		lists.push(padded(values.slice(from, from + LARGEST)));
	return lists;
}
