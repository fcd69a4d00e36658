// Converts `-f key=value` to the types of the OpenAPI document.

import type { ApiField } from "../app/api-operations.ts";
import { usageError } from "../kernel/start-error.ts";

export interface GivenField {
	readonly name: string;
	/** As typed, for the query. */
	readonly text: string;
	/** For a JSON body. */
	readonly value: unknown;
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * A field that is a list may be repeated, once for each item, or be given as JSON; objects are JSON. A field that the
 * document does not name stays text: the service refuses it and names the nearest one.
 *
 * @throws StartError (`usage`).
 */
export function parseFields(
	typed: readonly string[],
	find: (name: string) => ApiField | undefined,
): readonly GivenField[] {
	const texts = new Map<string, string[]>();
	for (const argument of typed) {
		const end = argument.indexOf("=");
		// The text may be a secret: it is not repeated.
		if (end < 1) throw usageError("-f must be key=value");
		const name = argument.slice(0, end);
		texts.set(name, [...(texts.get(name) ?? []), argument.slice(end + 1)]);
	}
	return [...texts].map(([name, values]) => parseField(name, values, find(name)));
}

function parseField(name: string, texts: readonly string[], field: ApiField | undefined): GivenField {
	if (field?.isSecret === true)
		throw usageError(
			`${name} is a secret, and other users of the machine can see the arguments of a command: send it with --input -`,
		);
	const [text = "", ...others] = texts;
	const schema = field?.schema ?? { type: "string" };
	if (typesOf(schema).includes("array") && !text.startsWith("["))
		return { name, text, value: texts.map((each) => parseValue(name, each, itemsOf(schema))) };
	if (others.length > 0) throw usageError(`${name} is not a list: it may occur once`);
	return { name, text, value: parseValue(name, text, schema) };
}

function itemsOf({ items }: Schema): Schema {
	return typeof items === "object" && items !== null ? (items as Schema) : {};
}

/** The types that a value may have; empty if the document does not say. */
function typesOf({ type, anyOf }: Schema): readonly unknown[] {
	if (Array.isArray(anyOf)) return anyOf.flatMap((each: Schema) => typesOf(each));
	return type === undefined ? [] : [type].flat();
}

function parseValue(name: string, text: string, schema: Schema): unknown {
	const types = typesOf(schema);
	if (text === "null" && types.includes("null")) return null;
	if (types.includes("string")) return text;
	if (types.includes("boolean")) {
		if (text === "true" || text === "false") return text === "true";
		throw usageError(`${name} must be true or false`);
	}
	if (types.includes("integer") || types.includes("number")) {
		if (/^-?\d{1,15}$/.test(text)) return Number(text);
		throw usageError(`${name} must be a whole number`);
	}
	try {
		return JSON.parse(text);
	} catch {
		throw usageError(`${name} must be JSON`);
	}
}
