// Validates an access request by the API's rules before it is sent.

import type { WordsOf } from "../words/words.ts";
import { LIMITS, type RequestField, type RequestValues } from "./request-limits.ts";

/** Finds certain mistakes only; the API decides what an email address is. */
const EMAIL_ADDRESS = /^[\x21-\x7e]+@[\x21-\x7e]+$/;

/** The error text of each invalid field; undefined if all are valid. */
export function mistakesIn(
	values: RequestValues,
	words: WordsOf<"portal">,
): Partial<Record<RequestField, string>> | undefined {
	const found: Partial<Record<RequestField, string>> = {};
	for (const field of Object.keys(LIMITS) as RequestField[]) {
		const value = values[field].trim();
		if (value === "" && field !== "company") found[field] = words.missing[field];
		else if ([...value].length > LIMITS[field]) found[field] = words.tooLong(LIMITS[field]);
	}
	if (found.email === undefined && !isAddress(values.email.trim())) found.email = words.noAddress;
	return Object.keys(found).length === 0 ? undefined : found;
}

function isAddress(text: string): boolean {
	return EMAIL_ADDRESS.test(text) && text.split("@").length === 2;
}
