// Public keys that are pasted into a form, as JSON (RFC 7517).

/** A set, or one key; undefined if the text is neither. The API validates the keys. */
export function keysIn(text: string): { keys: Record<string, unknown>[] } | undefined {
	try {
		const read = JSON.parse(text) as { keys?: unknown; kty?: unknown } | null;
		if (Array.isArray(read?.keys)) return { keys: read.keys as Record<string, unknown>[] };
		return typeof read?.kty === "string" ? { keys: [read] } : undefined;
	} catch {
		return undefined;
	}
}

/** As shown in a form. */
export function keysText(keys: { readonly keys: readonly unknown[] } | null): string {
	return keys === null ? "" : JSON.stringify(keys, null, "\t");
}
