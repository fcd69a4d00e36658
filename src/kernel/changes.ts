// Computes what a patch changes.

/** A patch of `C`: absent and undefined fields stay as they are. */
export type Patch<C> = { readonly [K in keyof C]?: C[K] | undefined };

/** The fields of `patch` that are set and differ from `before`; lists are compared entry by entry, in order. */
export function differences<C extends object>(
	before: { readonly [K in keyof C]-?: unknown },
	patch: Patch<C>,
): C {
	const changed = Object.entries(patch).filter(
		([field, value]) =>
			value !== undefined && JSON.stringify(value) !== JSON.stringify(before[field as keyof C]),
	);
	return Object.fromEntries(changed) as C;
}

/** Field names as on the wire and in audit details: `accessPolicy` → `access_policy`, `expiresAtMs` → `expires_at`. */
export function wireNames(changes: object): string[] {
	return Object.keys(changes).map((field) =>
		field.replace(/Ms$/, "").replaceAll(/[A-Z]/g, (upper) => `_${upper.toLowerCase()}`),
	);
}
