// Validates bodies against their schemas, with messages that name the field and the limit.

import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { parseEmailAddress } from "../kernel/email-address.ts";
import { AppError, type FieldError } from "../kernel/error.ts";
import { parseId } from "../kernel/id.ts";
import { type Json, jsonSchema } from "./json-schema.ts";
import type { Schema, TextForm } from "./schema.ts";
import { shownName, UNKNOWN_MAX, unknownField } from "./unknown-names.ts";

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

interface Place {
	readonly parentData: Record<string | number, unknown>;
	readonly parentDataProperty: string | number;
}

/** A keyword that replaces the value by its canonical form, or reports `message`. */
function canonical(keyword: string, parse: (value: string) => string | undefined, message: string) {
	const validate = (_schema: unknown, value: string, _parent?: unknown, place?: Place): boolean => {
		const parsed = parse(value);
		if (parsed === undefined) {
			validate.errors = [{ keyword, message, params: {} }];
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

function clean(value: string): string | undefined {
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
	const trimmed = clean(value);
	if (trimmed === undefined || trimmed === "") return trimmed;
	const url = URL.parse(trimmed);
	if (
		url === null ||
		(url.protocol !== "https:" && url.protocol !== "http:") ||
		url.username !== "" ||
		url.password !== ""
	)
		return undefined;
	return trimmed;
}

/** By keyword: converts a text to its canonical form, or returns undefined if it is refused with `message`. */
export const TEXT_FORMS: Readonly<
	Record<TextForm, { parse(text: string): string | undefined; readonly message: string }>
> = {
	exactText: { parse: exact, message: "must not hold NUL or lone surrogate characters" },
	cleanText: { parse: clean, message: "must not hold NUL or lone surrogate characters" },
	emailAddress: {
		parse: parseEmailAddress,
		message: "must be one ASCII e-mail address of at most 254 characters",
	},
	uuidText: { parse: parseId, message: "must be a UUID" },
	isoTime: {
		parse: parseTime,
		message: "must be an ISO 8601 time with a zone, e.g. 2026-11-20T08:00:00Z",
	},
	webUrl: { parse: parseWebUrl, message: "must be an absolute http or https URL without credentials" },
};

const ajv = new Ajv2020({
	allErrors: true,
	strict: true,
	strictRequired: false,
	allowUnionTypes: true,
	validateFormats: false,
	addUsedSchema: false,
	// Needed to list the known fields in the message for an unknown one.
	verbose: true,
});
for (const [keyword, { parse, message }] of Object.entries(TEXT_FORMS))
	ajv.addKeyword(canonical(keyword, parse, message));

/** Returns true or the errors. Converts the value to its canonical form in place (trimmed, lower case). */
export type Validator = (value: unknown) => true | FieldError[];

/**
 * Compiles on first use, so that a start does not compile a hundred schemas. `allErrors` is safe: bodies are limited to
 * 64 KiB before they are parsed.
 */
export function validator(schema: Schema<unknown>): Validator {
	let compiled: ReturnType<typeof ajv.compile> | undefined;
	return (value) => {
		compiled ??= ajv.compile(withChecks(schema));
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

/** A 400 that names every field and its limit. */
export function invalidBody(fields: readonly FieldError[]): AppError {
	const message = fields
		.map(({ field, message }) => (field === "" ? `body ${message}` : `${field} ${message}`))
		.join("; ");
	return new AppError("request.invalid", message, { fields });
}

const MAX_COMPLAINTS = 20;

function complaints(errors: readonly ErrorObject[]): FieldError[] {
	const seen = new Set<string>();
	const fields: FieldError[] = [];
	let unknown = 0;
	for (const error of errors) {
		if (error.keyword === "additionalProperties" && ++unknown > UNKNOWN_MAX) continue;
		const complaint = { field: fieldOf(error), message: messageOf(error) };
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

function messageOf(error: ErrorObject): string {
	const { keyword, params } = error;
	switch (keyword) {
		case "additionalProperties":
			return unknownField(params.additionalProperty, Object.keys(error.parentSchema?.properties ?? {}));
		case "required":
			return "is required";
		case "type":
			return `must be ${[params.type].flat().map(typeName).join(" or ")}`;
		case "minLength":
			return params.limit === 1 ? "must not be blank" : `must be at least ${params.limit} characters`;
		case "maxLength":
			return `must be at most ${params.limit} characters`;
		case "minimum":
			return `must be at least ${params.limit}`;
		case "maximum":
			return `must be at most ${params.limit}`;
		case "minItems":
			return params.limit === 1 ? "must not be empty" : `must hold at least ${params.limit} items`;
		case "maxItems":
			return `must hold at most ${params.limit} items`;
		case "uniqueItems":
			return "must not hold the same item twice";
		case "enum":
			return `must be one of ${(params.allowedValues as unknown[]).map((value) => String(value)).join(", ")}`;
		case "pattern":
			return `must match ${params.pattern}`;
		default:
			return error.message ?? "is not valid";
	}
}

function typeName(type: string): string {
	if (type === "null") return "null";
	return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
