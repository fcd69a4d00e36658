// Constructors for JSON Schema that carry their TypeScript type: one description serves validator, serialiser, OpenAPI
// and compiler.

declare const type: unique symbol;

/** A JSON Schema (2020-12) whose valid values are `T`. */
export interface Schema<T> {
	readonly [type]?: T;
	readonly [keyword: string]: unknown;
}

declare const timeMark: unique symbol;
export type TimeMark = typeof timeMark;

/** ISO 8601 text. Any string is assignable; the mark tells `wire-form.ts` which fields are times. */
export type Time = string & { readonly [timeMark]?: never };

export type Infer<S> = S extends Schema<infer T> ? T : never;

export interface OptionalSchema<T> {
	readonly optional: Schema<T>;
}

type Properties = Readonly<Record<string, Schema<unknown> | OptionalSchema<unknown>>>;
type Flat<T> = { [K in keyof T]: T[K] };
type InferObject<P extends Properties> = Flat<
	{
		[K in keyof P as P[K] extends OptionalSchema<unknown> ? never : K]: P[K] extends Schema<infer T>
			? T
			: never;
	} & {
		[K in keyof P as P[K] extends OptionalSchema<unknown> ? K : never]?: P[K] extends OptionalSchema<infer T>
			? T
			: never;
	}
>;

interface Notes {
	readonly description?: string;
	readonly examples?: readonly unknown[];
}

/**
 * Text from a caller: trimmed, then measured in Unicode code points; NUL and lone surrogates are refused. With `min` 1
 * (the default) it must contain a non-blank character.
 */
export function text(limits: { min?: number; max: number; pattern?: string } & Notes): Schema<string> {
	const { min = 1, max, pattern, ...notes } = limits;
	return {
		type: "string",
		cleanText: true,
		minLength: min,
		maxLength: max,
		...defined({ pattern }),
		...notes,
	};
}

/** A secret from a caller (password, token, code): used exactly as sent, never trimmed. */
export function secretText(limits: { max: number; pattern?: string } & Notes): Schema<string> {
	const { max, ...rest } = limits;
	return { type: "string", minLength: 1, maxLength: max, writeOnly: true, ...rest };
}

/** An identifier of another system: compared exactly, therefore never trimmed; NUL and lone surrogates are refused. */
export function exactText(limits: { max: number } & Notes): Schema<string> {
	const { max, ...notes } = limits;
	return { type: "string", exactText: true, minLength: 1, maxLength: max, ...notes };
}

/** Text that the service writes: no limits to check. */
export function plain(notes: Notes & { format?: string } = {}): Schema<string> {
	return { type: "string", ...notes };
}

export function choice<const V extends string>(values: readonly V[], notes: Notes = {}): Schema<V> {
	return { type: "string", enum: values, ...notes };
}

/** An e-mail address: ASCII, one `@`, at most 254 characters; converted to lower case and trimmed. */
export function email(notes: Notes = {}): Schema<string> {
	return { type: "string", emailAddress: true, minLength: 3, maxLength: 254, format: "email", ...notes };
}

/** A UUID in a body; converted to lower case. */
export function uuid(notes: Notes = {}): Schema<string> {
	return { type: "string", uuidText: true, format: "uuid", ...notes };
}

/** A time with zone, ISO 8601, as the service writes it. */
export function time(notes: Notes = {}): Schema<Time> {
	return { type: "string", format: "date-time", ...notes };
}

/** A time from a caller: ISO 8601 with a zone and an existing date. */
export function timeInput(notes: Notes = {}): Schema<Time> {
	return { type: "string", isoTime: true, maxLength: 40, format: "date-time", ...notes };
}

/** An absolute http or https URL without credentials, or `""` to unset. */
export function webUrl(notes: Notes = {}): Schema<string> {
	return { type: "string", webUrl: true, maxLength: 2048, format: "uri-reference", ...notes };
}

export function integer(limits: { min?: number; max?: number } & Notes = {}): Schema<number> {
	const { min, max, ...notes } = limits;
	return { type: "integer", ...defined({ minimum: min, maximum: max }), ...notes };
}

export function boolean(notes: Notes = {}): Schema<boolean> {
	return { type: "boolean", ...notes };
}

export function list<T>(
	items: Schema<T>,
	limits: { min?: number; max?: number; unique?: true } & Notes = {},
): Schema<T[]> {
	const { min, max, unique, ...notes } = limits;
	return {
		type: "array",
		items,
		...defined({ minItems: min, maxItems: max, uniqueItems: unique }),
		...notes,
	};
}

export function nullable<T>(schema: Schema<T>): Schema<T | null> {
	const { type: base, enum: values, ...rest } = schema as { type: string; enum?: readonly unknown[] };
	const type = [base, "null"];
	if (values === undefined) return { ...rest, type };
	return {
		...rest,
		type,
		// Read when schemas are compiled: a start may add values, such as languages, before that.
		get enum() {
			return [...values, null];
		},
	};
}

export function optional<T>(schema: Schema<T>): OptionalSchema<T> {
	return { optional: schema };
}

export function object<const P extends Properties>(
	properties: P,
	notes: Notes & { title?: string } = {},
): Schema<InferObject<P>> {
	const required: string[] = [];
	const described: Record<string, Schema<unknown>> = {};
	for (const [name, property] of Object.entries(properties)) {
		if (isOptional(property)) described[name] = property.optional;
		else {
			described[name] = property as Schema<unknown>;
			required.push(name);
		}
	}
	return { type: "object", properties: described, ...(required.length === 0 ? {} : { required }), ...notes };
}

/** One of several objects, distinguished by their required fields. For answers only. */
export function anyOf<const S extends readonly Schema<unknown>[]>(
	schemas: S,
	notes: Notes = {},
): Schema<Infer<S[number]>> {
	return { anyOf: schemas, ...notes };
}

/** The same type, for answers that may lack one field: the toolkit moves it to a cookie (`browser-session.ts`). */
export function withMovable<T>(schema: Schema<T>, field: keyof T & string): Schema<T> {
	const required = (schema.required as readonly string[]).filter((name) => name !== field);
	return { ...schema, required };
}

/** Any JSON object, passed on unchanged (audit details, JWKs). */
export function anyObject(notes: Notes = {}): Schema<Record<string, unknown>> {
	return { type: "object", additionalProperties: true, ...notes };
}

function isOptional(
	property: Schema<unknown> | OptionalSchema<unknown>,
): property is OptionalSchema<unknown> {
	return typeof (property as OptionalSchema<unknown>).optional === "object";
}

/** The keywords that have a value: the validator refuses undefined ones. */
function defined(keywords: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
	return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined));
}
