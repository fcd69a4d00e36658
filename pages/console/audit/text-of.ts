// A recorded value as text.

export function textOf(value: unknown): string {
	if (Array.isArray(value)) return value.map(textOf).join(", ");
	return typeof value === "string" ? value : JSON.stringify(value);
}
