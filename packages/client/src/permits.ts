// The rule for wildcards in permissions, as the service applies it.

/**
 * Whether one of the permissions covers the needed one: `*` covers every permission, `orders:*` those that begin with
 * `orders:`, any other only itself. Without permissions, the result is false.
 */
export function permits(held: readonly string[] | undefined, needed: string): boolean {
	return !!held?.some(
		(permission) =>
			permission === "*" ||
			permission === needed ||
			(permission.endsWith(":*") && needed.startsWith(permission.slice(0, -1))),
	);
}
