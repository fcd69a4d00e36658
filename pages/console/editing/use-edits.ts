// A record while it is edited: what the user changed, and what is stored.

import { useLayoutEffect, useState } from "preact/hooks";
import { connectFields } from "../../ui/use-fields.ts";

export interface Edits<Values extends object> {
	readonly values: Values;
	set(change: Partial<Values>): void;
	/** The changed values, texts trimmed. */
	readonly changes: Partial<Values>;
	readonly isChanged: boolean;
	discard(): void;
	/** `sent` is stored now. What the user typed since stays a change. */
	saved(sent: Values): void;
	/** Props of the control of a value. */
	readonly field: ReturnType<typeof connectFields<Values>>;
}

/** When the stored record changes, fields that the user has not changed follow it. */
export function useEdits<Values extends object>(stored: Values): Edits<Values> {
	const [base, setBase] = useState(stored);
	const [values, setValues] = useState(stored);
	const differing = (one: Values, other: Values) =>
		Object.entries(one).filter(([name, value]) => !isSame(value, other[name as keyof Values]));
	useLayoutEffect(() => {
		setValues((now) => ({ ...stored, ...Object.fromEntries(differing(now, base)) }));
		setBase(stored);
	}, [JSON.stringify(stored)]);
	const changes = differing(values, base).map(([name, value]) => [name, trimmed(value)]);
	const set = (change: Partial<Values>) => setValues((before) => ({ ...before, ...change }));
	return {
		values,
		set,
		field: connectFields(values, set),
		changes: Object.fromEntries(changes) as Partial<Values>,
		isChanged: changes.length > 0,
		discard: () => setValues(base),
		saved: setBase,
	};
}

function trimmed(value: unknown): unknown {
	return typeof value === "string" ? value.trim() : value;
}

function isSame(one: unknown, other: unknown): boolean {
	return JSON.stringify(trimmed(one)) === JSON.stringify(trimmed(other));
}
