// Finds the first line of a string to sign that the service would not accept from these credentials.

import { type SigningCredentials, schemeOf } from "./sign-request.ts";

/** The side without that line is null. */
export interface LineDifference {
	/** From 1. */
	readonly line: number;
	/** The exact line; null where the rule of the line is broken, and for a surplus line. */
	readonly expected: string | null;
	readonly given: string | null;
}

const LINES = 9;
/** Rules for the lines whose values differ in each call, by line number. */
const FORMS: Readonly<Record<number, RegExp>> = {
	2: /^[A-Z]+$/,
	3: /^\/[\x21\x22\x24-\x7e]*$/,
	7: /^[0-9]{10}$/,
	8: /^[A-Za-z0-9._~-]{16,128}$/,
};

/** @param bodyDigest lower-case hex SHA-256 of the body of the call. */
export function findLineDifference(
	text: string,
	credentials: SigningCredentials,
	bodyDigest: string,
): LineDifference | undefined {
	const { tenant_id, app_id, api_key } = credentials;
	const exact: Readonly<Record<number, string>> = {
		1: schemeOf(credentials),
		4: tenant_id,
		5: app_id,
		6: api_key,
		9: bodyDigest,
	};
	const lines = text.split("\n");
	for (let line = 1; line <= Math.max(LINES, lines.length); line++) {
		const given = lines[line - 1] ?? null;
		const expected = exact[line] ?? null;
		const isRight =
			line <= LINES && given !== null && (expected === null ? FORMS[line]?.test(given) : given === expected);
		if (isRight !== true) return { line, expected, given };
	}
	return undefined;
}
