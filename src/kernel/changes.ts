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
 * Details for the audit trail: the names of the changed fields, and the new values of those in `shown` (default: all).
 *
 * @param values the new values where they differ from `changes`.
 */
export function changeDetails<C extends { readonly [K in keyof C]?: Detail | undefined }>(
	changes: C,
	shown: readonly (keyof C & string)[] = keysOf(changes),
	values: { readonly [K in keyof C]?: Detail | undefined } = changes,
): Readonly<Record<string, Detail>> {
	const details: Record<string, Detail> = { fields: wireNames(changes) };
	for (const field of shown.filter((name) => changes[name] !== undefined)) {
		const value = values[field] ?? null;
		details[wireName(field)] = wireValue(field, value);
	}
	return details;
}

/** Never in the audit trail, by name: these fields do not compile unless they are hidden. */
type Secret = `${string}${"Plain" | "Hash" | "Digest" | "Sealed"}`;
/** The fields that the trail shows. */
type Shown<C, Hidden> = Exclude<keyof C, Hidden>;

/**
 * Old and new values of all changed fields but those in `hidden`, for the audit trail.
 *
 *     fieldChanges(before, changes, ["email", "avatarUrl"])
 *
 * @param after the new values where they differ from `changes`.
 */
export function fieldChanges<C extends object, const Hidden extends keyof C & string = never>(
	before: { readonly [F in Shown<C, Hidden>]-?: Detail },
	changes: C & { readonly [F in Shown<C, Hidden>]?: F extends Secret ? never : Detail | undefined },
	hidden: readonly Hidden[] = [],
	after: { readonly [F in Shown<C, Hidden>]?: Detail | undefined } = changes,
): Readonly<Record<string, { readonly from: Detail; readonly to: Detail }>> {
	const isShown = (field: keyof C & string): field is Shown<C, Hidden> & string =>
		changes[field] !== undefined && !hidden.some((name) => name === field);
	return Object.fromEntries(
		keysOf<C>(changes)
			.filter(isShown)
			.map((field) => [
				wireName(field),
				{ from: wireValue(field, before[field]), to: wireValue(field, after[field] ?? null) },
			]),
	);
}

function keysOf<C extends object>(changes: C): (keyof C & string)[] {
	return Object.keys(changes) as (keyof C & string)[];
}

/** Field names as on the wire and in audit details: `accessPolicy` → `access_policy`, `expiresAtMs` → `expires_at`. */
export function wireNames(changes: object): string[] {
	return Object.keys(changes).map(wireName);
}

/** The fields under these names. */
export function wireFields<C extends object>(fields: C): Readonly<Record<string, C[keyof C]>> {
	return Object.fromEntries(Object.entries(fields).map(([field, value]) => [wireName(field), value]));
}

/** The fields except those that are named. */
export function without<C extends object, const Name extends keyof C & string>(
	fields: C,
	names: readonly Name[],
): Omit<C, Name> {
	const left: readonly string[] = names;
	return Object.fromEntries(Object.entries(fields).filter(([name]) => !left.includes(name))) as Omit<C, Name>;
}

/** The fields that are not undefined. */
export function withoutAbsent<C extends object>(fields: C): C {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as C;
}

function wireName(field: string): string {
	return field.replace(/Ms$/, "").replaceAll(/[A-Z]/g, (upper) => `_${upper.toLowerCase()}`);
}

function wireValue(field: string, value: Detail): Detail {
	return field.endsWith("Ms") && typeof value === "number" ? isoTime(value) : value;
}
