// Draws a JSON Schema as a list a person can read, and makes an example of it.

import { make } from "./page.js";

const DEPTH_MAX = 6;

/** A sentence with its `names` set as code. */
export function prose(text) {
	return text.split("`").map((part, index) => (index % 2 === 1 ? make("code", {}, part) : part));
}

/** `schema` with its `$ref`s into `spec` followed, and the parts of an `allOf` put together. */
export function resolve(spec, schema, hops = 0) {
	if (schema === undefined || hops > DEPTH_MAX) return {};
	if (typeof schema.$ref === "string") {
		const path = schema.$ref.replace(/^#\//, "").split("/");
		const target = path.reduce((at, key) => at?.[key.replaceAll("~1", "/").replaceAll("~0", "~")], spec);
		return resolve(spec, { ...target, ...schema, $ref: target?.$ref }, hops + 1);
	}
	if (!Array.isArray(schema.allOf)) return schema;
	const { allOf: parts, ...whole } = schema;
	for (const part of parts) {
		const own = resolve(spec, part, hops + 1);
		const properties = { ...whole.properties, ...own.properties };
		const required = [...(whole.required ?? []), ...(own.required ?? [])];
		Object.assign(whole, own, { properties, required });
	}
	return whole;
}

/** The fields of an object schema (or of a list's items), nested ones inside; undefined when there are none. */
export function fieldList(spec, schema, words, depth = 0) {
	const whole = itemsOf(spec, resolve(spec, schema));
	const properties = Object.entries(whole.properties ?? {});
	if (properties.length === 0 || depth >= DEPTH_MAX) return undefined;
	return make(
		"ul",
		{ class: "fields" },
		properties.map(([name, field]) =>
			fieldRow(spec, name, field, (whole.required ?? []).includes(name), words, depth),
		),
	);
}

/** The names of all fields an operation takes and answers, nested ones too. */
export function fieldNames(spec, operation) {
	const names = new Set();
	const collect = (schema, depth) => {
		const whole = itemsOf(spec, resolve(spec, schema));
		if (depth >= DEPTH_MAX) return;
		for (const choice of whole.oneOf ?? whole.anyOf ?? []) collect(choice, depth + 1);
		for (const [name, field] of Object.entries(whole.properties ?? {})) {
			names.add(name);
			collect(field, depth + 1);
		}
	};
	const bodies = [resolve(spec, operation.requestBody), ...Object.values(operation.responses ?? {})];
	for (const body of bodies) collect(resolve(spec, body)?.content?.["application/json"]?.schema, 0);
	return names;
}

/** The closed set of codes of an error answer; empty for others. */
export function errorCodes(spec, answer) {
	const content = resolve(spec, answer).content?.["application/problem+json"];
	return resolve(spec, content?.schema).properties?.code?.enum ?? [];
}

/** One named field or parameter with its type, limits and meaning. */
export function fieldRow(spec, name, schema, isRequired, words, depth = 0) {
	const whole = resolve(spec, schema);
	return make(
		"li",
		{},
		make("code", { class: "name" }, name),
		" ",
		make("span", { class: "type" }, typeOf(spec, whole, words)),
		isRequired && words.required ? make("span", { class: "required" }, words.required) : undefined,
		limitsOf(itemsOf(spec, whole), whole, words.type),
		whole.description ? make("p", { class: "meaning" }, prose(whole.description)) : undefined,
		fieldList(spec, whole, words, depth + 1),
	);
}

function itemsOf(spec, schema) {
	return schema.items === undefined ? schema : itemsOf(spec, resolve(spec, schema.items));
}

function typeOf(spec, schema, words, depth = 0) {
	const { type } = words;
	const choices = schema.oneOf ?? schema.anyOf;
	if (choices !== undefined && depth < DEPTH_MAX) {
		const names = choices.map((choice) => typeOf(spec, resolve(spec, choice), words, depth + 1));
		return [...new Set(names)].join(type.or);
	}
	if (schema.const !== undefined) return JSON.stringify(schema.const);
	const names = [schema.type ?? (schema.properties ? "object" : schema.enum ? "string" : undefined)].flat();
	return names.map((name) => typeName(spec, name, schema, words, depth)).join(type.or);
}

function typeName(spec, name, schema, words, depth) {
	if (name === undefined) return words.type.any;
	if (name === "object") return words.type.object;
	if (name === "array" && depth < DEPTH_MAX) {
		return words.type.listOf(typeOf(spec, resolve(spec, schema.items), words, depth + 1));
	}
	return name === "string" && schema.format ? `string (${schema.format})` : name;
}

/** What limits the value: enumerations and patterns as code, the rest in words. */
function limitsOf(schema, whole, words) {
	const parts = [];
	const hasLength = schema.minLength !== undefined || schema.maxLength !== undefined;
	if (hasLength) parts.push(words.characters(schema.minLength, schema.maxLength));
	if (whole.minItems !== undefined || whole.maxItems !== undefined) {
		parts.push(words.items(whole.minItems, whole.maxItems));
	}
	if (schema.minimum !== undefined) parts.push(`≥ ${schema.minimum}`);
	if (schema.maximum !== undefined) parts.push(`≤ ${schema.maximum}`);
	const nodes = parts.map((part) => make("span", { class: "limit" }, part));
	if (schema.enum) {
		const values = schema.enum.map((value) => [make("code", {}, String(value)), " "]);
		nodes.push(make("span", { class: "limit" }, `${words.oneOf} `, values));
	}
	if (schema.pattern)
		nodes.push(make("span", { class: "limit" }, `${words.pattern} `, make("code", {}, schema.pattern)));
	if (whole.default !== undefined) {
		nodes.push(
			make("span", { class: "limit" }, `${words.fallback} `, make("code", {}, JSON.stringify(whole.default))),
		);
	}
	return nodes;
}

/** A value that fits the schema in shape: for the reader to start from, not to be sent as it is. */
export function exampleOf(spec, schema, depth = 0) {
	const whole = resolve(spec, schema);
	const given = whole.examples?.[0] ?? whole.example ?? whole.default ?? whole.const ?? whole.enum?.[0];
	if (given !== undefined) return given;
	const choices = whole.oneOf ?? whole.anyOf;
	if (choices !== undefined) return depth > DEPTH_MAX ? null : exampleOf(spec, choices[0], depth + 1);
	const type = Array.isArray(whole.type) ? whole.type.find((name) => name !== "null") : whole.type;
	if (type === "array") return depth > DEPTH_MAX ? [] : [exampleOf(spec, whole.items, depth + 1)];
	if (type === "object" || whole.properties) {
		if (depth > DEPTH_MAX) return {};
		const fields = Object.entries(whole.properties ?? {});
		return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(spec, field, depth + 1)]));
	}
	if (type === "integer" || type === "number") return whole.minimum ?? 0;
	if (type === "boolean") return false;
	return TEXT_EXAMPLES[whole.format] ?? "…";
}

const TEXT_EXAMPLES = {
	uuid: "01980000-0000-7000-8000-000000000000",
	email: "ada@example.com",
	uri: "https://example.com",
	"date-time": "2026-11-20T08:00:00.000Z",
};
