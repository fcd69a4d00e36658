// What a patch would really change.

/** `C` as a caller gives it: a field that is absent or undefined stays. */
export type Patch<C> = { readonly [K in keyof C]?: C[K] | undefined };

/** The fields of `patch` that are given and differ from `before`; lists are compared entry by entry, in order. */
export function differences<C extends object>(
	before: { readonly [K in keyof C]-?: unknown },
	patch: Patch<C>,
): C {
	const given = Object.entries(patch).filter(
		([field, value]) =>
			value !== undefined && JSON.stringify(value) !== JSON.stringify(before[field as keyof C]),
	);
	return Object.fromEntries(given) as C;
}

/** Field names as the wire and audit details have them: `accessPolicy` → `access_policy`, `expiresAtMs` → `expires_at`. */
export function wireNames(changes: object): string[] {
	return Object.keys(changes).map((field) =>
		field.replace(/Ms$/, "").replaceAll(/[A-Z]/g, (upper) => `_${upper.toLowerCase()}`),
	);
}
