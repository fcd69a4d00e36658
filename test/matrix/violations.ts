// What a schema accepts: in words, as an example, and as the values just beyond each of its limits.

import type { Schema } from "../../src/http/describe/schema.ts";
import type { FieldReason } from "../../src/kernel/field-reason.ts";
import { ABSENT_ID } from "../harness/access/applications.ts";

type Text = Extract<Schema<unknown>, { readonly type: "text" }>;

/** A value that the schema refuses. */
export interface Violation {
	readonly value: unknown;
	/** The place of the error, after the name of the field: `.0.path`. */
	readonly at: string;
	/** Undefined where several rules refuse the value. */
	readonly code?: FieldReason;
}

const FORMS: Readonly<Record<NonNullable<Text["form"]>, string>> = {
	exactText: "exact",
	codeText: "digits",
	trimmedText: "trimmed",
	shownLine: "line",
	shownLines: "lines",
	shownName: "name",
	emailAddress: "email",
	uuidText: "uuid",
	isoTime: "time",
	webUrl: "url",
};
/** Longer lists of values have documents of their own. */
const LISTED_VALUES = 12;

/** For example `name 1..100`, or `list of uuid, up to 50, unique`. */
export function inWords(schema: Schema<unknown>): string {
	const orNull = "isNullable" in schema && schema.isNullable === true ? " or null" : "";
	return plainWords(schema) + orNull;
}

function plainWords(schema: Schema<unknown>): string {
	switch (schema.type) {
		case "text": {
			const { form, format, minLength = 0, maxLength, pattern, writeOnly } = schema;
			const kind = form === undefined ? (writeOnly === true ? "secret" : (format ?? "text")) : FORMS[form];
			const limits = maxLength === undefined ? "" : ` ${minLength}..${maxLength}`;
			return kind + limits + (pattern === undefined ? "" : ` ${pattern}`);
		}
		case "choice":
			return schema.values.length > LISTED_VALUES ? "one of many" : schema.values.join(" | ");
		case "integer":
			return `integer ${schema.minimum ?? ""}..${schema.maximum ?? ""}`;
		case "list": {
			const { items, minItems = 0, maxItems = "", uniqueItems } = schema;
			return `list of ${minItems}..${maxItems} ${uniqueItems === true ? "unique " : ""}(${inWords(items)})`;
		}
		case "object": {
			const fields = Object.entries(schema.properties).map(
				([name, field]) => `${name}${schema.required.includes(name) ? "" : "?"}: ${inWords(field)}`,
			);
			return `{ ${fields.join(", ")} }`;
		}
		default:
			return schema.type;
	}
}

const TEXTS = ["a", "aaa", "123456", "#abcdef", "A".repeat(43), "GET", "P30D"];

/** A valid value, as far as the schema decides. */
export function exampleOf(schema: Schema<unknown>): unknown {
	switch (schema.type) {
		case "text":
			return textOf(schema);
		case "choice":
			return schema.values[0];
		case "integer":
			return schema.minimum ?? 1;
		case "boolean":
			return true;
		case "list":
			return Array.from({ length: schema.minItems ?? 0 }, () => exampleOf(schema.items));
		case "object":
			return Object.fromEntries(
				schema.required.map((name) => [name, exampleOf(schema.properties[name] as Schema<unknown>)]),
			);
		default:
			return {};
	}
}

function textOf({ form, pattern = "", minLength = 0 }: Text): string {
	if (form === "uuidText") return ABSENT_ID;
	if (form === "isoTime") return "2099-01-01T00:00:00Z";
	if (form === "emailAddress") return "a@b.example";
	if (form === "webUrl") return "https://a.example/";
	return (
		TEXTS.find((text) => text.length >= minLength && new RegExp(pattern).test(text)) ?? "a".repeat(minLength)
	);
}

/** A text of that many characters that breaks no other rule; undefined if the form or a pattern limits it too. */
export function textOfLength({ form, pattern }: Text, length: number): string | undefined {
	if (pattern !== undefined || form === "uuidText" || form === "isoTime" || form === "emailAddress")
		return undefined;
	if (form === "webUrl") return "https://a.example/".padEnd(length, "x");
	// Lengths count code points; a body has at most 64 KiB.
	return (length > 10_000 ? "x" : "𝐀").repeat(length);
}

const BAD_OF_FORM: Readonly<Record<NonNullable<Text["form"]>, readonly string[]>> = {
	exactText: ["a\0b", "\ud800"],
	codeText: ["abcdef", "12345", "1234567"],
	trimmedText: ["a\0b", "\ud800", " \t\u3000"],
	shownLine: ["a\0b", "a\nb", "a\u202eb", "a\u2028b"],
	shownLines: ["a\0b", "a\u202eb", "\ud800"],
	shownName: ["a\0b", "a\nb", "a\u202eb", "---", "\u3164"],
	emailAddress: [
		"nobody",
		"a@b@c.example",
		"jürgen@example.org",
		"a@b.example, c@d.example",
		"a@b.example\nBcc: c@d.example",
	],
	uuidText: ["me", "", `${ABSENT_ID}0`],
	isoTime: ["yesterday", "2031-02-30T00:00:00Z", "2031-01-01T00:00:00", "2031-01-01"],
	webUrl: [
		"javascript:alert(1)",
		"ftp://a.example/",
		"logo.png",
		"https://user:pass@a.example/",
		"https://a.example/\u202e",
	],
};

/** Values of another type, with `null` unless the schema accepts it. */
function ofOtherTypes(schema: Schema<unknown>): unknown[] {
	const values: Readonly<Record<string, readonly unknown[]>> = {
		text: [7, ["a"], {}],
		choice: [1, ["a"]],
		integer: ["60", 1.5],
		boolean: ["yes", 1],
		list: ["a", {}],
		object: ["a", []],
		map: ["a", []],
	};
	const isNullable = "isNullable" in schema && schema.isNullable === true;
	return [...(values[schema.type] ?? []), ...(isNullable || schema.type === "custom" ? [] : [null])];
}

/** Values just beyond each limit. @param isClosed objects refuse unknown fields */
export function violationsOf(schema: Schema<unknown>, isClosed: boolean): Violation[] {
	const here = (values: readonly unknown[], code?: FieldReason): Violation[] =>
		values.map((value) => ({ value, at: "", ...(code && { code }) }));
	const others = here(ofOtherTypes(schema));
	switch (schema.type) {
		case "text":
			return [...others, ...textViolations(schema)];
		case "choice":
			return [...others, ...here(["surprise", ""], "one_of")];
		case "integer": {
			const { minimum, maximum } = schema;
			return [
				...others,
				...here(minimum === undefined ? [] : [minimum - 1], "minimum"),
				...here(maximum === undefined ? [] : [maximum + 1], "maximum"),
			];
		}
		case "list": {
			const { items, minItems = 0, maxItems, uniqueItems } = schema;
			const item = exampleOf(items);
			const tooMany = maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, () => item)];
			const tooFew = minItems === 0 ? [] : [Array.from({ length: minItems - 1 }, () => item)];
			const within = violationsOf(items, isClosed).map(({ value, at, ...rest }) => ({
				...rest,
				value: [value, ...Array.from({ length: Math.max(minItems - 1, 0) }, () => item)],
				at: `.0${at}`,
			}));
			return [
				...others,
				...here(tooMany),
				...here(tooFew),
				...here(uniqueItems === true ? [[item, item]] : [], "duplicate_items"),
				...within,
			];
		}
		case "object":
			return [...others, ...objectViolations(schema, isClosed)];
		default:
			return others;
	}
}

function textViolations(schema: Text): Violation[] {
	const { form, minLength = 0, maxLength, pattern } = schema;
	const bad = form === undefined ? [] : [...BAD_OF_FORM[form]];
	if (pattern !== undefined) bad.push("no match: \u0001");
	// Only an exact text or a secret may consist of blanks.
	if (minLength > 0) bad.push("", ...(form === undefined || form === "exactText" ? [] : [" \t\u3000"]));
	if (minLength > 1) bad.push("x".repeat(minLength - 1));
	const violations: Violation[] = bad.map((value) => ({ value, at: "" }));
	if (maxLength === undefined) return violations;
	const long = textOfLength(schema, maxLength + 1);
	if (long === undefined) violations.push({ value: "9".repeat(maxLength + 1), at: "" });
	else violations.push({ value: long, at: "", code: "characters_max" });
	return violations;
}

function objectViolations(
	schema: Extract<Schema<unknown>, { readonly type: "object" }>,
	isClosed: boolean,
): Violation[] {
	const whole = exampleOf(schema) as Readonly<Record<string, unknown>>;
	const missing = schema.required.map((name): Violation => {
		const { [name]: _, ...value } = whole;
		return { value, at: `.${name}`, code: "required" };
	});
	const unknown: Violation = { value: { ...whole, surprise: 1 }, at: ".surprise" };
	const within = Object.entries(schema.properties).flatMap(([name, field]) =>
		violationsOf(field, isClosed).map(({ value, at, ...rest }) => ({
			...rest,
			value: { ...whole, [name]: value },
			at: `.${name}${at}`,
		})),
	);
	return [...missing, ...(isClosed ? [unknown] : []), ...within];
}
