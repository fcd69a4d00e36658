// The ways in which proxies and applications read the path of a request. Pure functions.

import { AppError } from "../kernel/error.ts";

const READINGS_MAX = 64;
/** Of all readings of a path: callers choose its length, and each reading costs several looks. */
const CHARACTERS_MAX = 131_072;
/** Decodings after which no escape may be left. */
const DECODINGS_MAX = 3;
/** Everything but visible ASCII, and `#`. */
const TARGET = /^\/[!"$-~]*$/;
/** What servers read in different ways, apart from upper case: escapes, other separators, and what some of them cut. */
const UNEVEN = /[%\\;]|\/\/|.\/$|\.(?:\/|$)/;
const MALFORMED_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const ESCAPE = /%[0-9A-Fa-f]{2}/;
const ESCAPES = /(?:%[0-9A-Fa-f]{2})+/g;
/** Some servers trim spaces first. */
const DOTS = /(?:^|\/) *\.{1,2} *(?:\/|$)/;
/** A `$` in the pattern of a route also matches before a line feed at the end. */
const CONTROL = /\p{Cc}/u;

/** What some server does to a path before it looks for the route. */
const STEPS: readonly ((path: string) => string)[] = [
	decodeOnce,
	(path) => path.replaceAll("\\", "/"),
	(path) => path.replace(/\/{2,}/g, "/"),
	(path) => path.replace(/;[^/]*/g, ""),
	withoutLastSlash,
	// At a run only, because a run is scanned once from each position.
	(path) => path.replace(/(?<![. ])[. ]+(?=\/|$)/g, ""),
	beforeQuery,
];

/**
 * The path of a target, undecoded.
 *
 * @param target path and query, exactly as on the request line
 * @throws AppError `gate.path` for what no reading makes safe.
 */
export function pathOf(target: string): string {
	if (!target.startsWith("/")) throw refusedPath("does not begin with a slash");
	if (!TARGET.test(target)) {
		const what = target.includes("#") ? "a fragment" : "a character other than visible ASCII";
		throw refusedPath(`contains ${what}`);
	}
	const end = target.indexOf("?");
	const path = end === -1 ? target : target.slice(0, end);
	if (MALFORMED_ESCAPE.test(path)) throw refusedPath("contains a malformed percent-encoding");
	return path;
}

/**
 * Every path that results from the steps, in any order and number, beginning with the path itself. Upper case is left: see
 * `foldCase`.
 *
 * @throws AppError `gate.path` if a reading could leave its folder, or if there are too many.
 */
export function readingsOf(path: string): readonly string[] {
	if (!UNEVEN.test(path)) return [path];
	if (isEscapedTooOften(path)) throw refusedPath("is percent-encoded more than three times");
	const readings = new Set([path]);
	let characters = 0;
	// A set yields what is added meanwhile.
	for (const reading of readings) {
		if (DOTS.test(reading)) throw refusedPath("contains a segment . or ..");
		if (CONTROL.test(reading)) throw refusedPath("contains an encoded control character");
		for (const step of STEPS) readings.add(step(reading));
		characters += reading.length;
		if (readings.size > READINGS_MAX || characters > CHARACTERS_MAX)
			throw refusedPath(
				`can be read in more than ${READINGS_MAX} ways, or is too long to be read in several`,
			);
	}
	return [...readings];
}

const UPPER_CASE = /[A-Z]/;

/** Whether every server reads the path as it is sent, even one that ignores case. Costs one look. */
export function isPlain(path: string): boolean {
	return !UNEVEN.test(path) && !UPPER_CASE.test(path);
}

/** As a server compares that ignores case: also letters with an ASCII letter in another case, such as the Kelvin sign. */
export function foldCase(path: string): string {
	return path.toUpperCase().toLowerCase();
}

function decodeOnce(path: string): string {
	return path.replace(ESCAPES, (escapes) => {
		try {
			return decodeURIComponent(escapes);
		} catch {
			throw refusedPath("contains a percent-encoding that is not UTF-8");
		}
	});
}

function isEscapedTooOften(path: string): boolean {
	let decoded = path;
	for (let count = 0; count < DECODINGS_MAX; count++) decoded = decodeOnce(decoded);
	return ESCAPE.test(decoded);
}

function beforeQuery(path: string): string {
	const end = path.search(/[?#]/);
	return end === -1 ? path : path.slice(0, end);
}

function withoutLastSlash(path: string): string {
	return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

export function refusedPath(words: string): AppError {
	return new AppError("gate.path", `the path of the request ${words}`);
}
