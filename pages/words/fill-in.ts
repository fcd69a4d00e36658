// Fills `{name}` placeholders, for API messages that arrive as a code and parameters.

/** Replaces each `{name}` with the parameter of that name; lists are joined with `separator`. */
export function fillIn(text: string, params: Readonly<Record<string, unknown>>, separator = ", "): string {
	return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
		const value = params[name] ?? "";
		return Array.isArray(value) ? value.join(separator) : String(value);
	});
}
