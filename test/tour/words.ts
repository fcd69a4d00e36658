// Formats printed commands and responses: variables by name, long words shortened.

/** A value that is printed once, and later as the shell variable with this name. */
export interface Variable {
	readonly name: string;
	readonly value: string;
}

/** Longer ones are tokens and secrets. */
const WORD_MAX = 40;

/** Single-quoted, with hidden values as `'"$NAME"'`, which a shell expands. */
export function quoted(text: string, hide: readonly Variable[]): string {
	let shown = text;
	for (const { name, value } of hide) shown = shown.replaceAll(value, `'"$${name}"'`);
	return `'${shown}'`;
}

/** Unchanged if a shell reads it as one word, otherwise quoted. */
export function word(text: string, hide: readonly Variable[]): string {
	const used = hide.filter(({ value }) => text.includes(value));
	if (used.length === 0) return /^[\w@.,:/=+-]+$/.test(text) ? text : `'${text}'`;
	let shown = text;
	for (const { name, value } of used) shown = shown.replaceAll(value, `$${name}`);
	return `"${shown}"`;
}

/** A replacer for `JSON.stringify`: keeps the named fields, and shortens long words. */
export function shownOnly(show: readonly string[] | undefined) {
	return (key: string, value: unknown): unknown => {
		const isPlace = key === "" || key === "data" || /^[0-9]+$/.test(key);
		if (!isPlace && show !== undefined && !show.includes(key)) return undefined;
		return typeof value === "string" ? shorten(value) : value;
	};
}

export function shorten(text: string): string {
	return text.length > WORD_MAX && !text.includes(" ") ? `${text.slice(0, WORD_MAX / 2)}…` : text;
}
