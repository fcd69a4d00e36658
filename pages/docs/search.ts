// The search of the reference: endpoints by name, fields and error codes, and the guides; the best hits first.

import type { Api, Operation } from "./api.ts";
import type { GuideEntry } from "./load-guides.ts";
import { fieldNames } from "./schema.ts";

export const HITS_MAX = 30;

export interface Entry {
	readonly href: string;
	readonly title: string;
	/** Of an endpoint. */
	readonly operation: Operation | undefined;
	/** What an error code means. */
	readonly meaning: string | undefined;
	/** In lower case. */
	readonly name: string;
	/** In lower case: fields, error codes, words of a guide. */
	readonly terms: ReadonlySet<string>;
	/** The terms, with blanks around each. */
	readonly text: string;
}

export interface Hit extends Entry {
	/** Fields and error codes that matched. */
	readonly found: readonly string[];
}

export function entriesOf(api: Api, guides: readonly GuideEntry[]): Entry[] {
	return [
		...[...api.operations.values()].map((operation) => operationEntry(api, operation)),
		...guides.map(({ href, title, words, meaning }) => {
			const terms = words.split(" ");
			return entry({ href, title, meaning, operation: undefined, name: title }, terms);
		}),
	];
}

function operationEntry({ spec }: Api, operation: Operation): Entry {
	const { id, method, path, summary, group, parameters, body, form, successes, errors } = operation;
	const schemas = [body, form, ...successes.map(({ json }) => json)].map((content) => content?.schema);
	const fields = schemas.flatMap((schema) => [...fieldNames(spec, schema)]);
	const terms = [...parameters.map(({ name }) => name), ...fields, ...errors.flatMap(({ codes }) => codes)];
	const name = [method, path, summary, id, group].join(" ");
	return entry({ href: `#${id}`, title: summary, meaning: undefined, operation, name }, terms);
}

function entry(about: Omit<Entry, "terms" | "text">, terms: readonly string[]): Entry {
	const lower = new Set(terms.map((term) => term.toLowerCase()));
	return { ...about, name: about.name.toLowerCase(), terms: lower, text: ` ${[...lower].join(" ")} ` };
}

/** Entries that contain every word, best match first; endpoints precede guides of equal rank. */
export function find(entries: readonly Entry[], query: string): Hit[] {
	const words = query.toLowerCase().split(/\s+/).filter(Boolean);
	if (words.length === 0) return [];
	return entries
		.flatMap((one) => {
			const scores = words.map((word) => closeness(one, word));
			if (scores.includes(0)) return [];
			const score = scores.reduce((sum, part) => sum + part, phraseScore(one, words.join(" ")));
			return [{ hit: withReason(one, words), score }];
		})
		.sort((one, other) => other.score - one.score)
		.map(({ hit }) => hit);
}

/** A match of the whole query in a name ranks above matches of its words. */
function phraseScore({ title, name }: Entry, phrase: string): number {
	if (title.toLowerCase() === phrase) return 4;
	return name.includes(phrase) ? 2 : 0;
}

/** 4: a word of the name, 3: a word of the text, 2 and 1: a part of one, 0: not there. */
function closeness({ name, text }: Entry, word: string): number {
	if (` ${name} `.includes(` ${word} `)) return 4;
	if (text.includes(` ${word} `)) return 3;
	if (name.includes(word)) return 2;
	return text.includes(word) ? 1 : 0;
}

function withReason(one: Entry, words: readonly string[]): Hit {
	if (one.operation === undefined) return { ...one, found: [] };
	const found = words
		.filter((word) => !one.name.includes(word))
		.flatMap((word) => (one.terms.has(word) ? [word] : [...one.terms].filter((term) => term.includes(word))));
	return { ...one, found: [...new Set(found)].slice(0, 3) };
}
