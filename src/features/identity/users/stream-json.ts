// Writes `{ "data": … }` while its lists are read.

/** Reads each member of `T`: the entries of a list part by part, anything else at once. */
export type Readers<T> = {
	readonly [Name in keyof T]: T[Name] extends readonly (infer Entry)[]
		? () => AsyncIterable<readonly Entry[]>
		: () => Promise<T[Name]> | T[Name];
};

/** The members in the order of `readers`. An error while reading ends the text early, so that it is no JSON. */
export async function* jsonParts<T>(readers: Readers<T>): AsyncGenerator<string> {
	let before = '{"data":{';
	for (const [name, read] of Object.entries<() => unknown>(readers)) {
		const value = await read();
		yield `${before}${JSON.stringify(name)}:`;
		before = ",";
		if (isParts(value)) yield* listParts(value);
		else yield JSON.stringify(value);
	}
	yield "}}";
}

async function* listParts(parts: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
	let before = "[";
	for await (const entries of parts) {
		if (entries.length === 0) continue;
		yield before + entries.map((entry) => JSON.stringify(entry)).join(",");
		before = ",";
	}
	yield before === "[" ? "[]" : "]";
}

function isParts(value: unknown): value is AsyncIterable<readonly unknown[]> {
	return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
