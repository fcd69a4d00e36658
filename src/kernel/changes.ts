// Computes what a patch changes.

import { isoTime } from "./clock.ts";

/** A patch of `C`: absent and undefined fields are unchanged. */
export type Patch<C> = { readonly [K in keyof C]?: C[K] | undefined };

/** The fields of `patch` that are set and differ from `before`; lists are compared by entry, in order. */
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

type Detail = string | number | boolean | null | readonly string[];

/**
 * Details for the audit trail: the names of the changed fields, and the new values of those in `shown`.
 *
 * @param values the new values where they differ from `changes`.
 */
export function changeDetails<C extends { readonly [K in keyof C]?: Detail | undefined }>(
	changes: C,
	shown: readonly (keyof C & string)[],
	values: { readonly [K in keyof C]?: Detail | undefined } = changes,
): Readonly<Record<string, Detail>> {
	const details: Record<string, Detail> = { fields: wireNames(changes) };
	for (const field of shown.filter((name) => changes[name] !== undefined)) {
		const value = values[field] ?? null;
		details[wireName(field)] = wireValue(field, value);
	}
	return details;
}

/**
 * Old and new values of the changed fields in `shown`, for the audit trail. Omits all other fields.
 *
 * @param after the new values where they differ from `changes`.
 */
export function fieldChanges<Field extends string>(
	before: { readonly [F in Field]: Detail },
	changes: { readonly [F in Field]?: Detail | undefined },
	shown: readonly Field[],
	after: { readonly [F in Field]?: Detail | undefined } = changes,
): Readonly<Record<string, { readonly from: Detail; readonly to: Detail }>> {
	const changed = shown.filter((field) => changes[field] !== undefined);
	return Object.fromEntries(
		changed.map((field) => [
			wireName(field),
			{ from: wireValue(field, before[field]), to: wireValue(field, after[field] ?? null) },
		]),
	);
}

/** Field names as on the wire and in audit details: `accessPolicy` → `access_policy`, `expiresAtMs` → `expires_at`. */
export function wireNames(changes: object): string[] {
	return Object.keys(changes).map(wireName);
}

function wireName(field: string): string {
	return field.replace(/Ms$/, "").replaceAll(/[A-Z]/g, (upper) => `_${upper.toLowerCase()}`);
}

function wireValue(field: string, value: Detail): Detail {
	return field.endsWith("Ms") && typeof value === "number" ? isoTime(value) : value;
}
