// Query parameters: the description of each kind, and parsing from text.

import { parseEmailAddress } from "../../kernel/email-address.ts";
import { type Problem, problem } from "../../kernel/field-reason.ts";
import { parseIp } from "../../kernel/ip.ts";
import { choice, list, plain, type Schema, time } from "./schema.ts";
import { TEXT_FORMS } from "./validation.ts";

type ParsedQuery<T> = { readonly value: T } | { readonly problem: Problem };

/** Parses one query value, or names its problem. */
export interface QueryParameter<T> {
	readonly schema: Schema<unknown>;
	/** An exact match: empty text is refused. Other filters treat it as "any". */
	readonly isExact?: true;
	parse(text: string): ParsedQuery<T>;
}

export type QueryParameters = Readonly<Record<string, QueryParameter<unknown>>>;
export type InferQuery<Q extends QueryParameters> = {
	readonly [K in keyof Q]?: Q[K] extends QueryParameter<infer T> ? T : never;
};

/** A query value from a closed list. */
export function oneOf<const V extends string>(
	values: readonly V[],
	description = "Returns only entries with this value.",
): QueryParameter<V> {
	return {
		schema: choice(values, { description }),
		parse: (text) =>
			parsed(
				values.find((value) => value === text),
				problem("one_of", { values }),
			),
	};
}

/** Any number of values from a closed list, separated by commas. */
export function someOf<const V extends string>(
	values: readonly V[],
	description: string,
): QueryParameter<ReadonlySet<V>> {
	return {
		schema: list(choice(values), { description }),
		parse: (text) => {
			const named = new Set(text.split(","));
			const known = new Set(values.filter((value) => named.has(value)));
			return parsed(known.size === named.size ? known : undefined, problem("some_of", { values }));
		},
	};
}

/** Text that the service issued, compared exactly. Refuses text longer than `max`. */
export function exactQuery(max: number, description: string): QueryParameter<string> {
	return { schema: plain({ maxLength: max, description }), parse: (text) => atMost(max, text) };
}

/** An email address for an exact match: trimmed and in lower case, as it is stored. */
export function exactEmail(description = "Exactly this address, ignoring case."): QueryParameter<string> {
	const { parse, refusal } = TEXT_FORMS.emailAddress;
	return {
		schema: plain({ format: "email", maxLength: 254, description }),
		isExact: true,
		parse: (text) => parsed(parse(text), problem(refusal)),
	};
}

/** A name for an exact match: trimmed, not blank, at most `max` characters. */
export function exactName(
	max: number,
	description = "Exactly this name, ignoring case.",
): QueryParameter<string> {
	const { parse } = searchText();
	return {
		schema: plain({ minLength: 1, maxLength: max, description }),
		isExact: true,
		parse: (text) => {
			const name = parse(text);
			if ("problem" in name) return name;
			return name.value === "" ? { problem: problem("blank") } : atMost(max, name.value);
		},
	};
}

/** An IP address for an exact match, in any notation. */
export function exactIp(): QueryParameter<string> {
	return {
		schema: plain({ maxLength: 45, description: "An IPv4 or IPv6 address." }),
		isExact: true,
		parse: (text) => parsed(parseIp(text.trim())?.text, problem("ip")),
	};
}

/** An id, for an exact match; converted to lower case. */
export function idQuery(description: string): QueryParameter<string> {
	const { parse, refusal } = TEXT_FORMS.uuidText;
	return {
		schema: plain({ format: "uuid", description }),
		parse: (text) => parsed(parse(text), problem(refusal)),
	};
}

/** Search text: trimmed, at most 200 characters. */
export function searchText(description = "Text to find, taken literally."): QueryParameter<string> {
	const { parse, refusal } = TEXT_FORMS.trimmedText;
	return {
		schema: plain({ maxLength: 200, description }),
		parse: (text) => {
			const clean = parse(text);
			// As addresses are stored: with the domain in ASCII.
			const search = parsed(clean && (parseEmailAddress(clean) ?? clean), problem(refusal));
			// Measured as sent, before it was trimmed.
			return "value" in search && [...text].length > 200
				? { problem: problem("characters_max", { max: 200 }) }
				: search;
		},
	};
}

/** Texts for exact matches, separated by commas; at most `max`. */
export function searchTexts(max: number, description: string): QueryParameter<readonly string[]> {
	const { schema, parse } = searchText();
	return {
		schema: list(schema, { max, description }),
		parse: (text) => {
			const texts: string[] = [];
			for (const part of new Set(text.split(","))) {
				const found = parse(part);
				if ("problem" in found) return found;
				if (found.value !== "") texts.push(found.value);
			}
			return parsed(texts.length > max ? undefined : texts, problem("items_max", { max }));
		},
	};
}

/** An ISO 8601 time with a zone, parsed to milliseconds since the epoch. */
export function timeText(description = "ISO 8601 with a zone."): QueryParameter<number> {
	const { parse, refusal } = TEXT_FORMS.isoTime;
	return {
		schema: time({ description }),
		parse: (text) => {
			const canonical = parse(text);
			return parsed(canonical === undefined ? undefined : Date.parse(canonical), problem(refusal));
		},
	};
}

function parsed<T>(value: T | undefined, problem: Problem): ParsedQuery<T> {
	return value === undefined ? { problem } : { value };
}

function atMost(max: number, text: string): ParsedQuery<string> {
	return text.length > max ? { problem: problem("characters_max", { max }) } : { value: text };
}
