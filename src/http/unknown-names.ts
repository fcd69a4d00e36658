// Errors for unknown names, with the known name that the caller probably meant.

import { type Problem, problem } from "../kernel/field-reason.ts";
import { findNearestName } from "../kernel/nearest-name.ts";

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

/** For a field that is not in `known`: suggests the nearest one, or lists all. */
export function unknownField(name: string, known: readonly string[]): Problem {
	const nearest = name.length > SHOWN_MAX ? undefined : findNearestName(name, known, 0);
	if (nearest !== undefined) return problem("similar_name", { name: nearest });
	return known.length === 0 ? problem("no_fields") : problem("unknown_field", { fields: known });
}

/** For a query parameter that is not in `known`. */
export function unknownParameter(known: readonly string[]): Problem {
	return known.length === 0 ? problem("no_parameters") : problem("unknown_parameter", { parameters: known });
}
