// Validates bodies against their schemas, with messages that name the field and the limit.

import { createRequire } from "node:module";
import type { Ajv2020, ErrorObject } from "ajv/dist/2020.js";
import { parseEmailAddress } from "../../kernel/email-address.ts";
import type { FieldError } from "../../kernel/error.ts";
import { type Problem, problem } from "../../kernel/field-reason.ts";
import { parseId } from "../../kernel/id.ts";
import { type ShownText, shownTextProblem } from "../../kernel/shown-text.ts";
import { typedCode } from "../../kernel/typed-code.ts";
import { type Json, jsonSchema } from "./json-schema.ts";
import type { Schema, TextForm } from "./schema.ts";
import { shownName, UNKNOWN_MAX, unknownField } from "./unknown-names.ts";

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

interface Place {
	readonly parentData: Record<string | number, unknown>;
	readonly parentDataProperty: string | number;
}

/** A keyword that replaces the value by its canonical form. */
function canonical(keyword: string, parse: (value: string) => string | undefined) {
	const validate = (_schema: unknown, value: string, _parent?: unknown, place?: Place): boolean => {
		const parsed = parse(value);
		if (parsed === undefined) {
			validate.errors = [{ keyword, params: {} }];
			return false;
		}
		if (parsed !== value && place !== undefined) place.parentData[place.parentDataProperty] = parsed;
		return true;
	};
	validate.errors = [] as Partial<ErrorObject>[];
	return {
		keyword,
		type: "string" as const,
		schemaType: "boolean" as const,
		modifying: true,
		before: "maxLength",
		errors: true,
		validate,
	};
}

function exact(value: string): string | undefined {
	return value.isWellFormed() && !value.includes("\0") ? value : undefined;
}

function trimmed(value: string): string | undefined {
	return exact(value)?.trim();
}

/** The canonical wire form of an ISO 8601 time with a zone; undefined for anything else, 31 February included. */
export function parseTime(value: string): string | undefined {
	if (!ISO_TIME.test(value)) return undefined;
	const at = Date.parse(value);
	// Date.parse turns 31 February into 3 March; converting the day back detects it.
	const day = Date.parse(`${value.slice(0, 10)}T00:00:00Z`);
	if (
		Number.isNaN(at) ||
		Number.isNaN(day) ||
		new Date(day).toISOString().slice(0, 10) !== value.slice(0, 10)
	)
		return undefined;
	return new Date(at).toISOString();
}

function parseWebUrl(value: string): string | undefined {
	const text = value.trim();
	if (text === "") return text;
	const url = URL.parse(text);
	if (
		url === null ||
		(url.protocol !== "https:" && url.protocol !== "http:") ||
		url.username !== "" ||
		url.password !== "" ||
		shownTextProblem(text, "line") !== undefined
	)
		return undefined;
	return text;
}

function shown(kind: ShownText) {
	const form = (value: string) => (kind === "lines" ? value.replaceAll("\r\n", "\n") : value).trim();
	return {
		parse: (value: string) => (shownTextProblem(form(value), kind) === undefined ? form(value) : undefined),
		refusal: (value: string) => shownTextProblem(form(value), kind) ?? problem("invalid"),
	};
}

interface TextRule {
	parse(text: string): string | undefined;
	readonly refusal:
		| "invalid_characters"
		| "invalid"
		| "email"
		| "uuid"
		| "time"
		| ((text: string) => Problem);
}

/** Parses a text into its canonical form, or returns undefined for the reason `refusal`. */
export const TEXT_FORMS = {
	exactText: { parse: exact, refusal: "invalid_characters" },
	trimmedText: { parse: trimmed, refusal: "invalid_characters" },
	shownLine: shown("line"),
	shownLines: shown("lines"),
	shownName: shown("name"),
	codeText: { parse: typedCode, refusal: "invalid" },
	emailAddress: { parse: parseEmailAddress, refusal: "email" },
	uuidText: { parse: parseId, refusal: "uuid" },
	isoTime: { parse: parseTime, refusal: "time" },
	webUrl: {
		parse: parseWebUrl,
		refusal: (value) => shownTextProblem(value.trim(), "line") ?? problem("web_url"),
	},
} as const satisfies Readonly<Record<TextForm, TextRule>>;

const require = createRequire(import.meta.url);
let created: Ajv2020 | undefined;

/** Loads its hundred modules with the first body, to keep the startup fast. */
function library(): Ajv2020 {
	created ??= createLibrary(require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js"));
	return created;
}

function createLibrary({ Ajv2020 }: typeof import("ajv/dist/2020.js")): Ajv2020 {
	const ajv = new Ajv2020({
		allErrors: true,
		strict: true,
		strictRequired: false,
		allowUnionTypes: true,
		validateFormats: false,
		addUsedSchema: false,
		// Required to list the known fields in the message about an unknown one.
		verbose: true,
	});
	for (const [keyword, { parse }] of Object.entries(TEXT_FORMS)) ajv.addKeyword(canonical(keyword, parse));
	return ajv;
}

/**
 * Returns a function that returns true or the errors, and converts the value to its canonical form in place. Compiles the
 * schema on first use, to keep the startup fast. `allErrors` is safe, because bodies have at most 64 KiB.
 */
export function validator(schema: Schema<unknown>): (value: unknown) => true | FieldError[] {
	let compiled: ReturnType<Ajv2020["compile"]> | undefined;
	return (value) => {
		compiled ??= library().compile(withChecks(schema));
		return compiled(value) ? true : complaints(compiled.errors ?? []);
	};
}

/** Adds the keywords that only the validator knows. */
function withChecks(schema: Schema<unknown>): Json {
	const json = jsonSchema(schema, withChecks);
	if (schema.type === "text" && schema.form !== undefined) return { ...json, [schema.form]: true };
	if (schema.type !== "object" || schema.ignored === undefined) return json;
	const ignored = `^(?:${schema.ignored.join("|")})$`;
	return {
		...json,
		additionalProperties: false,
		...(schema.ignored.length > 0 && { patternProperties: { [ignored]: true } }),
	};
}

const MAX_COMPLAINTS = 20;

function complaints(errors: readonly ErrorObject[]): FieldError[] {
	const seen = new Set<string>();
	const fields: FieldError[] = [];
	let unknown = 0;
	for (const error of errors) {
		if (error.keyword === "additionalProperties" && ++unknown > UNKNOWN_MAX) continue;
		const complaint = { field: fieldOf(error), ...problemOf(error) };
		// One error per field: a blank text is blank, not also too short.
		if (seen.has(complaint.field)) continue;
		seen.add(complaint.field);
		fields.push(complaint);
		if (fields.length === MAX_COMPLAINTS) break;
	}
	return fields;
}

function fieldOf(error: ErrorObject): string {
	const path = error.instancePath
		.split("/")
		.slice(1)
		.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
	if (error.keyword === "required") path.push(String(error.params.missingProperty));
	if (error.keyword === "additionalProperties") path.push(shownName(error.params.additionalProperty));
	return path.join(".");
}

function problemOf({ keyword, params, parentSchema, data }: ErrorObject): Problem {
	switch (keyword) {
		case "additionalProperties":
			return unknownField(
				params.additionalProperty,
				Object.keys(parentSchema?.properties ?? {}),
				Object(data),
			);
		case "required":
			return problem("required");
		case "type": {
			const [type, ...others] = [params.type].flat() as [string, ...string[]];
			return problem(others.includes("null") ? "type_or_null" : "type", { type });
		}
		case "minLength":
			return params.limit === 1 ? problem("blank") : problem("characters_min", { min: params.limit });
		case "maxLength":
			return problem("characters_max", { max: params.limit });
		case "minimum":
			return problem("minimum", { min: params.limit });
		case "maximum":
			return problem("maximum", { max: params.limit });
		case "minItems":
			return params.limit === 1 ? problem("empty") : problem("items_min", { min: params.limit });
		case "maxItems":
			return problem("items_max", { max: params.limit });
		case "uniqueItems":
			return problem("duplicate_items");
		case "enum":
			return problem("one_of", { values: (params.allowedValues as unknown[]).map(String) });
		case "pattern":
			return problem("pattern_mismatch", { pattern: params.pattern });
		default:
			return isTextForm(keyword) ? textProblem(TEXT_FORMS[keyword], String(data)) : problem("invalid");
	}
}

function textProblem({ refusal }: TextRule, text: string): Problem {
	return typeof refusal === "string" ? problem(refusal) : refusal(text);
}

function isTextForm(keyword: string): keyword is TextForm {
	return Object.hasOwn(TEXT_FORMS, keyword);
}
