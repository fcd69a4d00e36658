// Filters of SCIM (RFC 7644, section 3.4.2.2): parsed into a tree that a store turns into SQL and a PATCH evaluates.

import { AppError } from "../kernel/error.ts";

export type ScimValue = string | number | boolean | null;
export const SCIM_COMPARISONS = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
export type ScimComparison = (typeof SCIM_COMPARISONS)[number];

/** `path`: names of attributes in lower case; the URN of an extension is one name. */
export type ScimFilter =
	| { readonly op: "and"; readonly left: ScimFilter; readonly right: ScimFilter }
	| { readonly op: "or"; readonly left: ScimFilter; readonly right: ScimFilter }
	| { readonly op: "not"; readonly term: ScimFilter }
	| { readonly op: "any"; readonly path: readonly string[]; readonly term: ScimFilter }
	| { readonly op: "pr"; readonly path: readonly string[] }
	| { readonly op: ScimComparison; readonly path: readonly string[]; readonly value: ScimValue };

export const FILTER_MAX = 1_000;
const TERMS_MAX = 20;
const DEPTH_MAX = 5;

/** `(`, `)`, `[`, `]`, a JSON string, or a word. */
const TOKEN = /\s*([()[\]]|"(?:[^"\\]|\\.)*"|[^\s()[\]"]+)/y;
const ATTRIBUTE = /^[A-Za-z$][\w$:.-]*$/;
/** The URN of a whole schema: `urn:ietf:params:scim:schemas:extension:enterprise:2.0:User`. */
const SCHEMA = /^urn:[\w:-]+:\d+\.\d+:\w+$/i;
/** Names that would reach a prototype. */
const FORBIDDEN: readonly string[] = ["__proto__", "constructor", "prototype"];

/**
 * At most 1,000 characters, 20 terms, and a depth of 5.
 *
 * @throws AppError `scim.invalid_filter`.
 */
export function parseFilter(text: string): ScimFilter {
	if (text.length > FILTER_MAX) throw invalidFilter(`filter must be at most ${FILTER_MAX} characters`);
	return new FilterParser(tokensOf(text)).whole();
}

export function invalidFilter(message: string): AppError {
	return new AppError("scim.invalid_filter", message);
}

/**
 * `urn:…:User:name.familyName` names its schema before the last colon; that of the core schemas is left out.
 *
 * @throws AppError `scim.invalid_path`.
 */
export function attributePath(text: string): string[] {
	if (SCHEMA.test(text)) return [text];
	const end = text.toLowerCase().startsWith("urn:") ? text.lastIndexOf(":") : -1;
	const urn = end < 0 ? "" : text.slice(0, end);
	const isExtension = urn !== "" && !/:core:2\.0:(?:User|Group)$/i.test(urn);
	const names = [...(isExtension ? [urn] : []), ...text.slice(end + 1).split(".")];
	if (names.some((name) => name === "" || FORBIDDEN.includes(name.toLowerCase())))
		throw new AppError("scim.invalid_path", `${text.slice(0, 100)} is not the path of an attribute`);
	return names;
}

function tokensOf(text: string): string[] {
	const tokens: string[] = [];
	const { length } = text.trimEnd();
	TOKEN.lastIndex = 0;
	while (TOKEN.lastIndex < length) {
		const [, token] = TOKEN.exec(text) ?? [];
		if (token === undefined) throw invalidFilter("filter has an unterminated text");
		tokens.push(token);
	}
	return tokens;
}

class FilterParser {
	readonly #tokens: readonly string[];
	#at = 0;
	#terms = 0;
	#depth = 0;

	constructor(tokens: readonly string[]) {
		this.#tokens = tokens;
	}

	whole(): ScimFilter {
		const filter = this.#or();
		const rest = this.#tokens[this.#at];
		if (rest !== undefined) throw invalidFilter(`filter has an unexpected ${rest.slice(0, 50)}`);
		return filter;
	}

	#peek(): string | undefined {
		return this.#tokens[this.#at]?.toLowerCase();
	}

	#next(): string {
		const token = this.#tokens[this.#at++];
		if (token === undefined) throw invalidFilter("filter ends too early");
		return token;
	}

	#or(): ScimFilter {
		let left = this.#and();
		while (this.#peek() === "or") {
			this.#at++;
			left = { op: "or", left, right: this.#and() };
		}
		return left;
	}

	#and(): ScimFilter {
		let left = this.#term();
		while (this.#peek() === "and") {
			this.#at++;
			left = { op: "and", left, right: this.#term() };
		}
		return left;
	}

	#term(): ScimFilter {
		if (++this.#terms > TERMS_MAX) throw invalidFilter(`filter must have at most ${TERMS_MAX} terms`);
		if (this.#peek() === "not") {
			this.#at++;
			if (this.#peek() !== "(") throw invalidFilter("not must be followed by a term in parentheses");
			return { op: "not", term: this.#enclosed(")") };
		}
		return this.#peek() === "(" ? this.#enclosed(")") : this.#comparison();
	}

	#enclosed(end: ")" | "]"): ScimFilter {
		if (++this.#depth > DEPTH_MAX) throw invalidFilter(`filter must not be nested deeper than ${DEPTH_MAX}`);
		this.#at++;
		const filter = this.#or();
		if (this.#next() !== end) throw invalidFilter(`filter has no closing ${end}`);
		this.#depth--;
		return filter;
	}

	#comparison(): ScimFilter {
		const name = this.#next();
		if (!ATTRIBUTE.test(name)) throw invalidFilter(`${name.slice(0, 50)} is not an attribute`);
		const path = attributePath(name).map((part) => part.toLowerCase());
		if (this.#peek() === "[") return { op: "any", path, term: this.#enclosed("]") };
		const op = this.#next().toLowerCase();
		if (op === "pr") return { op, path };
		const comparison = SCIM_COMPARISONS.find((each) => each === op);
		if (comparison === undefined) throw invalidFilter(`${op.slice(0, 50)} is not an operator`);
		return { op: comparison, path, value: parsedValue(this.#next()) };
	}
}

function parsedValue(token: string): ScimValue {
	try {
		const value: unknown = JSON.parse(token);
		// Brackets are tokens of their own, so this is never a list or an object.
		return value as ScimValue;
	} catch {
		throw invalidFilter(`${token.slice(0, 50)} is not a value: texts need double quotes`);
	}
}

/** Whether a value of a multi-valued attribute meets the filter of a path, such as `type eq "work"`. */
export function meetsFilter(filter: ScimFilter, subject: unknown): boolean {
	switch (filter.op) {
		case "and":
			return meetsFilter(filter.left, subject) && meetsFilter(filter.right, subject);
		case "or":
			return meetsFilter(filter.left, subject) || meetsFilter(filter.right, subject);
		case "not":
			return !meetsFilter(filter.term, subject);
		case "any":
			return valuesAt(subject, filter.path).some((value) => meetsFilter(filter.term, value));
		case "pr":
			return valuesAt(subject, filter.path).some((value) => value !== null && value !== "");
		case "ne":
			return !meetsFilter({ ...filter, op: "eq" }, subject);
		default: {
			const { op, value } = filter;
			return valuesAt(subject, filter.path).some((stored) =>
				compare(op, folded(simple(stored)), folded(value)),
			);
		}
	}
}

/** The own member with this name, ignoring case: attributes of SCIM have no case. */
export function memberNamed(object: object, name: string): string | undefined {
	const lower = name.toLowerCase();
	return Object.keys(object).find((key) => key.toLowerCase() === lower);
}

/** The values at a path; lists on the way are entered. */
export function valuesAt(subject: unknown, path: readonly string[]): readonly unknown[] {
	let values: readonly unknown[] = [subject];
	for (const name of path)
		values = values.flatMap((value) => {
			if (typeof value !== "object" || value === null) return [];
			const key = memberNamed(value, name);
			return key === undefined ? [] : [(value as Record<string, unknown>)[key]].flat();
		});
	return values;
}

/** The `value` of a complex value. */
function simple(value: unknown): unknown {
	return typeof value === "object" && value !== null && "value" in value ? value.value : value;
}

function folded(value: unknown): unknown {
	return typeof value === "string" ? value.toLowerCase() : value;
}

function compare(op: Exclude<ScimComparison, "ne">, stored: unknown, value: unknown): boolean {
	if (op === "eq") return stored === value;
	if (typeof stored === "number" && typeof value === "number") return ordered(op, stored - value);
	if (typeof stored !== "string" || typeof value !== "string") return false;
	if (op === "co") return stored.includes(value);
	if (op === "sw") return stored.startsWith(value);
	if (op === "ew") return stored.endsWith(value);
	return ordered(op, stored < value ? -1 : Number(stored > value));
}

function ordered(op: ScimComparison, difference: number): boolean {
	if (op === "gt") return difference > 0;
	if (op === "ge") return difference >= 0;
	if (op === "lt") return difference < 0;
	return op === "le" && difference <= 0;
}

type AttributeTypes = Readonly<Record<string, "exact" | "text" | "boolean" | "time">>;

/**
 * Allows only attributes that lists can be searched by, with values of their types.
 *
 * @param within the attribute whose values are searched
 * @throws AppError `scim.invalid_filter`.
 */
export function checkSearchable(filter: ScimFilter, types: AttributeTypes, within = ""): void {
	switch (filter.op) {
		case "and":
		case "or":
			checkSearchable(filter.left, types, within);
			checkSearchable(filter.right, types, within);
			break;
		case "not":
			checkSearchable(filter.term, types, within);
			break;
		case "any": {
			const name = filter.path.join(".");
			if (within !== "" || !Object.keys(types).some((each) => each.startsWith(`${name}.`)))
				throw invalidFilter(`${name} has no values with attributes`);
			checkSearchable(filter.term, types, `${name}.`);
			break;
		}
		default:
			checkComparison(filter, `${within}${filter.path.join(".")}`, types);
	}
}

function checkComparison(
	filter: Extract<ScimFilter, { readonly op: "pr" | ScimComparison }>,
	name: string,
	types: AttributeTypes,
): void {
	const type = Object.hasOwn(types, name) ? types[name] : undefined;
	if (type === undefined)
		throw invalidFilter(`${name} cannot be searched: use one of ${Object.keys(types).join(", ")}`);
	if (filter.op === "pr") return;
	const { op, value } = filter;
	if (type === "boolean") {
		if (typeof value !== "boolean" || (op !== "eq" && op !== "ne"))
			throw invalidFilter(`${name} is compared by eq or ne with true or false`);
	} else if (type === "time") {
		if (typeof value !== "string" || Number.isNaN(Date.parse(value)) || ["co", "sw", "ew"].includes(op))
			throw invalidFilter(`${name} is compared with a time, such as "2026-11-20T08:00:00Z"`);
	} else if (typeof value !== "string" || value.includes("\0") || !value.isWellFormed()) {
		throw invalidFilter(`${name} is compared with a text`);
	}
}
