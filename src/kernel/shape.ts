// Shapes of untyped values: predicates that TypeScript understands, and JSON that must match one.

/** Returns whether a value has the type. An object may have more members than its shape lists. */
export type Shape<T> = (value: unknown) => value is T;

/** An object whose members are unknown. */
export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
	typeof value === "object" && value !== null && !Array.isArray(value);
export const isText: Shape<string> = (value) => typeof value === "string";
export const isNumber: Shape<number> = (value) => typeof value === "number";

export const isBoolean: Shape<boolean> = (value) => typeof value === "boolean";

export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
	return (value): value is T | undefined => value === undefined || shape(value);
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
	return (value): value is T | null => value === null || shape(value);
}

export function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
	return (value): value is A | B => first(value) || second(value);
}

export function listOf<T>(item: Shape<T>): Shape<readonly T[]> {
	return (value): value is readonly T[] => Array.isArray(value) && value.every(item);
}

export function oneOf<const T extends string>(choices: readonly T[]): Shape<T> {
	return (value): value is T => choices.some((choice) => choice === value);
}

export function objectOf<T extends object>(
	members: {
		readonly [Name in keyof T]-?: Shape<T[Name]>;
	},
): Shape<T & Members> {
	const shapes = Object.entries<Shape<unknown>>(members);
	return (value): value is T & Members =>
		isMembers(value) && shapes.every(([name, shape]) => shape(value[name]));
}

export function hasOwn<T extends object>(object: T, name: PropertyKey): name is keyof T {
	return Object.hasOwn(object, name);
}

/** @throws SyntaxError for text that is not JSON; TypeError for a value of another shape. Neither shows the text. */
export function parseJson<T>(shape: Shape<T>, text: string): T {
	const value: unknown = JSON.parse(text);
	if (!shape(value)) throw new TypeError("the JSON value does not have the expected shape");
	return value;
}
