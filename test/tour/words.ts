// How commands and answers are printed: variables by name, long words cut.

/** A value the audience has seen, shown by the name of a shell variable from then on. */
export interface Variable {
	readonly name: string;
	readonly value: string;
}

/** Longer ones are tokens and secrets. */
const WORD_MAX = 40;

/** In single quotes; a hidden value as `'"$NAME"'`, which a shell fills in. */
export function quoted(text: string, hide: readonly Variable[]): string {
	let shown = text;
	for (const { name, value } of hide) shown = shown.replaceAll(value, `'"$${name}"'`);
	return `'${shown}'`;
}

/** As it is where a shell reads it as one word, otherwise in quotes. */
export function word(text: string, hide: readonly Variable[]): string {
	const used = hide.filter(({ value }) => text.includes(value));
	if (used.length === 0) return /^[\w@.,:/=+-]+$/.test(text) ? text : `'${text}'`;
	let shown = text;
	for (const { name, value } of used) shown = shown.replaceAll(value, `$${name}`);
	return `"${shown}"`;
}

/** For `JSON.stringify`: keeps the named fields, and of long words the beginning. */
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
