// Schemas that carry their TypeScript type: one description serves the validator, the serializer, the OpenAPI document
// (all three through `json-schema.ts`) and the compiler.

declare const valueType: unique symbol;

export interface Notes {
	readonly description?: string;
	readonly examples?: readonly unknown[];
}

/** Most schemas of single values need no notes except the description: it may stand alone. */
type Noted<N extends Notes = Notes> = N | string;

interface Typed<T> extends Notes {
	readonly [valueType]?: T;
	readonly isNullable?: true;
}

/** A check of the validator that also converts the text to its canonical form (`TEXT_FORMS`). */
export type TextForm =
	| "exactText"
	| "codeText"
	| "trimmedText"
	| "shownLine"
	| "shownLines"
	| "shownName"
	| "emailAddress"
	| "uuidText"
	| "isoTime"
	| "webUrl";

interface TextKeywords {
	/** Of JSON Schema: described, not checked. */
	readonly format?: string;
	readonly pattern?: string;
	readonly minLength?: number;
	readonly maxLength?: number;
}

interface TextSchema<T> extends Typed<T>, TextKeywords {
	readonly type: "text";
	readonly form?: TextForm;
	readonly writeOnly?: true;
}

interface ChoiceSchema<T> extends Typed<T> {
	readonly type: "choice";
	/** Read when the schema is compiled: a start may add values before that, such as languages. */
	readonly values: readonly string[];
}

interface IntegerSchema<T> extends Typed<T> {
	readonly type: "integer";
	readonly minimum?: number;
	readonly maximum?: number;
	readonly default?: number;
}

interface BooleanSchema<T> extends Typed<T> {
	readonly type: "boolean";
}

interface ListSchema<T> extends Typed<T> {
	readonly type: "list";
	readonly items: Schema<unknown>;
	readonly minItems?: number;
	readonly maxItems?: number;
	readonly uniqueItems?: true;
}

export interface ObjectSchema<T> extends Typed<T> {
	readonly type: "object";
	/** The name in the OpenAPI document. */
	readonly title?: string;
	readonly properties: Readonly<Record<string, Schema<unknown>>>;
	readonly required: readonly string[];
	/** If set, unknown fields are refused except these, which are ignored; otherwise all unknown fields are ignored. */
	readonly ignored?: readonly string[];
}

/** An object with arbitrary names. */
interface MapSchema<T> extends Typed<T> {
	readonly type: "map";
	readonly values: Schema<unknown> | "any";
}

interface UnionSchema<T> extends Typed<T> {
	readonly type: "union";
	readonly members: readonly Schema<unknown>[];
}

interface CustomSchema<T> extends Typed<T> {
	readonly type: "custom";
	/** JSON Schema (2020-12). */
	readonly keywords: Readonly<Record<string, unknown>>;
}

type NullableSchema<T> =
	| TextSchema<T>
	| ChoiceSchema<T>
	| IntegerSchema<T>
	| BooleanSchema<T>
	| ListSchema<T>
	| ObjectSchema<T>
	| MapSchema<T>;

/** A schema whose valid values are `T`. */
export type Schema<T> = NullableSchema<T> | UnionSchema<T> | CustomSchema<T>;

export type Infer<S> = S extends Typed<infer T> ? T : never;

declare const timeMark: unique symbol;
export type TimeMark = typeof timeMark;

/** ISO 8601 text. Any string is assignable; the mark tells `wire-form.ts` which fields are times. */
export type Time = string & { readonly [timeMark]?: never };

export interface OptionalSchema<T> {
	readonly optional: Schema<T>;
}

type Properties = Readonly<Record<string, Schema<unknown> | OptionalSchema<unknown>>>;
type Flat<T> = { [K in keyof T]: T[K] };
type InferObject<P extends Properties> = Flat<
	{
		[K in keyof P as P[K] extends OptionalSchema<unknown> ? never : K]: Infer<P[K]>;
	} & {
		[K in keyof P as P[K] extends OptionalSchema<unknown> ? K : never]?: P[K] extends OptionalSchema<infer T>
			? T
			: never;
	}
>;

type TextLimits = { min?: number; max: number; pattern?: string } & Notes;

/**
 * A line from a caller that others may read: trimmed, then measured in Unicode code points; hidden characters are refused
 * (`shownTextProblem`). With `min` 1 (the default) it must contain a non-blank character.
 */
export function text(limits: TextLimits): TextSchema<string> {
	return ofForm("shownLine", limits);
}

/** Like `text`, but may contain line feeds and tabs. */
export function multilineText(limits: TextLimits): TextSchema<string> {
	return ofForm("shownLines", limits);
}

/** Like `text`; must contain a visible letter or digit, unless it is empty. */
export function nameText(limits: TextLimits): TextSchema<string> {
	return ofForm("shownName", limits);
}

/** What a caller looks up, such as a username: trimmed and compared; NUL and lone surrogates are refused. */
export function trimmedText(limits: TextLimits): TextSchema<string> {
	return ofForm("trimmedText", limits);
}

function ofForm(form: TextForm, { min = 1, max, ...rest }: TextLimits): TextSchema<string> {
	return { type: "text", form, minLength: min, maxLength: max, ...rest };
}

/** A secret from a caller, such as a password, token, or code: used exactly as sent, never trimmed. */
export function secretText(limits: { max: number; pattern?: string } & Notes): TextSchema<string> {
	const { max, ...rest } = limits;
	return { type: "text", minLength: 1, maxLength: max, writeOnly: true, ...rest };
}

/** An identifier of another system: compared exactly, therefore never trimmed; NUL and lone surrogates are refused. */
export function exactText(limits: { max: number } & Notes): TextSchema<string> {
	const { max, ...notes } = limits;
	return { type: "text", form: "exactText", minLength: 1, maxLength: max, ...notes };
}

/** A code of digits that a person types: spaces, dashes, and the digits of other scripts are converted. */
export function codeText(digits: number, description: string): TextSchema<string> {
	return { type: "text", form: "codeText", maxLength: digits, pattern: `^[0-9]{${digits}}$`, description };
}

/** Text in responses, or input that is not converted. */
export function plain(keywords: Noted<TextKeywords & Notes> = {}): TextSchema<string> {
	return { type: "text", ...notesOf(keywords) };
}

export function choice<const V extends string>(values: readonly V[], notes: Notes = {}): ChoiceSchema<V> {
	return { type: "choice", values, ...notes };
}

/** An email address: ASCII, one `@`, at most 254 characters; trimmed and converted to lower case. */
export function email(notes: Noted = {}): TextSchema<string> {
	return {
		type: "text",
		form: "emailAddress",
		minLength: 3,
		maxLength: 254,
		format: "email",
		...notesOf(notes),
	};
}

/** A UUID in a body; converted to lower case. */
export function uuid(notes: Noted = {}): TextSchema<string> {
	return { type: "text", form: "uuidText", format: "uuid", ...notesOf(notes) };
}

/** A time with a zone, ISO 8601, as the service writes it. */
export function time(notes: Noted = {}): TextSchema<Time> {
	return { type: "text", format: "date-time", ...notesOf(notes) };
}

/** A time from a caller: ISO 8601 with a zone and an existing date. */
export function timeInput(notes: Noted = {}): TextSchema<Time> {
	return { type: "text", form: "isoTime", maxLength: 40, format: "date-time", ...notesOf(notes) };
}

/** An absolute http or https URL without credentials, or `""` to unset. */
export function webUrl(notes: Noted = {}): TextSchema<string> {
	return { type: "text", form: "webUrl", maxLength: 2048, format: "uri-reference", ...notesOf(notes) };
}

type IntegerLimits = { min?: number; max?: number; default?: number } & Notes;

export function integer(limits: Noted<IntegerLimits> = {}): IntegerSchema<number> {
	const { min, max, ...rest }: IntegerLimits = notesOf(limits);
	return {
		type: "integer",
		...(min !== undefined && { minimum: min }),
		...(max !== undefined && { maximum: max }),
		...rest,
	};
}

export function boolean(notes: Noted = {}): BooleanSchema<boolean> {
	return { type: "boolean", ...notesOf(notes) };
}

export function list<T>(
	items: Schema<T>,
	limits: { min?: number; max?: number; unique?: true } & Notes = {},
): ListSchema<T[]> {
	const { min, max, unique, ...notes } = limits;
	return {
		type: "list",
		items,
		...(min !== undefined && { minItems: min }),
		...(max !== undefined && { maxItems: max }),
		...(unique && { uniqueItems: unique }),
		...notes,
	};
}

export function nullable<T>(schema: NullableSchema<T>): NullableSchema<T | null> {
	return { ...schema, isNullable: true };
}

export function optional<T>(schema: Schema<T>): OptionalSchema<T> {
	return { optional: schema };
}

export function object<const P extends Properties>(
	fields: P,
	notes: Notes & { title?: string } = {},
): ObjectSchema<InferObject<P>> {
	const required: string[] = [];
	const properties: Record<string, Schema<unknown>> = {};
	for (const [name, field] of Object.entries(fields)) {
		if ("optional" in field) properties[name] = field.optional;
		else {
			properties[name] = field;
			required.push(name);
		}
	}
	return { type: "object", properties, required, ...notes };
}

/** One object with the fields of both. */
export function allOf<A, B>(a: ObjectSchema<A>, b: ObjectSchema<B>): ObjectSchema<A & B> {
	return {
		type: "object",
		properties: { ...a.properties, ...b.properties },
		required: [...new Set([...a.required, ...b.required])],
	};
}

/** One of several objects, distinguished by their required fields. For responses only. */
export function anyOf<const S extends readonly Schema<unknown>[]>(
	members: S,
	notes: Notes = {},
): UnionSchema<Infer<S[number]>> {
	return { type: "union", members, ...notes };
}

/** The names of all fields of an object, or of the objects of a union. */
export function fieldsOf(schema: Schema<unknown>): string[] {
	if (schema.type === "union") return [...new Set(schema.members.flatMap(fieldsOf))];
	return Object.keys(propertiesOf(schema));
}

/** The fields of an object; none of another schema. */
export function propertiesOf(schema: Schema<unknown> | undefined): Readonly<Record<string, Schema<unknown>>> {
	return schema?.type === "object" ? schema.properties : {};
}

/** Makes one field of a response optional, because the toolkit may move it to a cookie (`browser-session.ts`). */
export function withMovable<T>(schema: ObjectSchema<T>, field: keyof T & string): ObjectSchema<T> {
	return { ...schema, required: schema.required.filter((name) => name !== field) };
}

/** Any JSON object, passed on unchanged (audit details, JWKs). */
export function anyObject(notes: Noted = {}): MapSchema<Record<string, unknown>> {
	return { type: "map", values: "any", ...notesOf(notes) };
}

/** An object with one value for each name that occurs. */
export function mapOf<T>(values: Schema<T>, notes: Notes = {}): MapSchema<Record<string, T>> {
	return { type: "map", values, ...notes };
}

/** A JSON Schema that no other constructor can describe. */
export function custom<T>(keywords: CustomSchema<T>["keywords"], notes: Notes = {}): CustomSchema<T> {
	return { type: "custom", keywords, ...notes };
}

function notesOf<N extends Notes>(notes: Noted<N>): N | Notes {
	return typeof notes === "string" ? { description: notes } : notes;
}
