// Errors for unknown names, with the known name that the caller probably meant.

import { type Problem, problem } from "../../kernel/field-reason.ts";
import { findNearestName } from "../../kernel/nearest-name.ts";

/** Maximum length of an unknown name in a message, in code points. */
const SHOWN_MAX = 64;

/** Maximum number of unknown names in one response. */
export const UNKNOWN_MAX = 5;

/** A name as sent, shortened to fit a message. */
export function shownName(name: string): string {
	if (name === "") return '""';
	return name.length > SHOWN_MAX
		? `${[...name.slice(0, SHOWN_MAX * 2)].slice(0, SHOWN_MAX).join("")}…`
		: name;
}

/**
 * For a field that is not in `known`: suggests the nearest one, preferably one that the body does not have yet, or lists all. Of two
 * fields such as `current_password` and `new_password`, the missing one is meant.
 */
export function unknownField(name: string, known: readonly string[], body: object): Problem {
	const absent = known.filter((field) => !Object.hasOwn(body, field));
	const nearest = name.length > SHOWN_MAX ? undefined : nearestField(name, absent, known);
	if (nearest !== undefined) return problem("similar_name", { name: nearest });
	return known.length === 0 ? problem("no_fields") : problem("unknown_field", { fields: known });
}

function nearestField(name: string, absent: readonly string[], known: readonly string[]): string | undefined {
	return findNearestName(name, absent, 0) ?? findSameNoun(name, absent) ?? findNearestName(name, known, 0);
}

/** The only field that ends with the same word: `current_password` for `old_password`. */
function findSameNoun(name: string, fields: readonly string[]): string | undefined {
	const noun = name.slice(name.lastIndexOf("_"));
	const [only, ...others] = fields.filter((field) => noun.startsWith("_") && field.endsWith(noun));
	return others.length === 0 ? only : undefined;
}

/** For a query parameter that is not in `known`. */
export function unknownParameter(known: readonly string[]): Problem {
	return known.length === 0 ? problem("no_parameters") : problem("unknown_parameter", { parameters: known });
}
