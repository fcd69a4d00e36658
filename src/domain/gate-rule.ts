// The rules of a gate: which requests to an application are public, and what the others need. Pure functions.

import { AppError } from "../kernel/error.ts";
import { type Problem, problem } from "../kernel/field-reason.ts";
import { isBoolean, isText, listOf, objectOf, optional } from "../kernel/shape.ts";
import { permitsAny } from "./access.ts";
import { PERMISSION } from "./application-role.ts";
import { methodsInQuery } from "./method-override.ts";

export interface GateRule {
	/** Upper case; a rule for `GET` covers `HEAD`. Absent: all methods. */
	readonly methods?: readonly string[] | undefined;
	/** Segments of `[A-Za-z0-9._~-]`; `{name}` is one segment, `*` at the end the folder and everything below it. */
	readonly path: string;
	/** `public`, `signed-in`, or a permission. */
	readonly needs: string;
	/** Whether a person must have signed in with a second factor. */
	readonly mfa?: boolean | undefined;
	/** Whether test clients pass. */
	readonly test?: boolean | undefined;
}

/** As stored. */
export const areGateRules = listOf<GateRule>(
	objectOf<GateRule>({
		methods: optional(listOf(isText)),
		path: isText,
		needs: isText,
		mfa: optional(isBoolean),
		test: optional(isBoolean),
	}),
);

export const GATE_RULES_MAX = 200;
export const RULE_METHODS_MAX = 40;
/** Characters. */
export const RULE_PATH_MAX = 500;
export const PUBLIC = "public";
/** Any recognized caller who may use the application. */
export const SIGNED_IN = "signed-in";

/** A method in upper case (RFC 9110, section 9.1): applications that ignore case would run `post` as `POST`. */
export const METHOD = /^[A-Z]+(?:-[A-Z]+)*$/;
export const METHOD_MAX = 32;

const LITERAL = /^[A-Za-z0-9._~-]+$/;
const PLACEHOLDER = /^\{[A-Za-z0-9_]+\}$/;

/** What is wrong with the path of a rule; undefined for a valid one. */
export function pathProblem(path: string): Problem | undefined {
	const isValid =
		path === "/" ||
		(path.startsWith("/") &&
			path.split("/").every((segment, index, { length }) => {
				if (index === 0) return true;
				if (segment === "*") return index === length - 1;
				return isPlain(segment) || PLACEHOLDER.test(segment);
			}));
	return isValid ? undefined : problem("rule_path");
}

/**
 * What is wrong with what a rule needs; undefined for a valid value. A pattern such as `orders:*` is not a permission.
 *
 * @param held the permissions and patterns of the application's roles
 */
export function needsProblem(needs: string, held: ReadonlySet<string>): Problem | undefined {
	if (!PERMISSION.test(needs) || needs.includes("*")) return problem("rule_needs");
	return isHeld(needs, held) ? undefined : problem("not_held");
}

/** Whether a caller could hold what a rule needs. */
export function isHeld(needs: string, held: ReadonlySet<string>): boolean {
	return needs === PUBLIC || needs === SIGNED_IN || permitsAny(held, needs);
}

function isPlain(segment: string): boolean {
	return LITERAL.test(segment) && segment !== "." && segment !== "..";
}

/** A rule prepared for comparison; `position` counts from 0. */
export interface PlacedRule {
	readonly position: number;
	readonly rule: GateRule;
	readonly exact: Pattern;
	/** The pattern in lower case. */
	readonly loose: Pattern;
}

interface Pattern {
	/** Undefined: any segment. */
	readonly segments: readonly (string | undefined)[];
	readonly below: boolean;
}

export function placeRules(rules: readonly GateRule[]): PlacedRule[] {
	return rules.map((rule, position) => ({
		position,
		rule,
		exact: patternOf(rule.path),
		loose: patternOf(rule.path.toLowerCase()),
	}));
}

function patternOf(path: string): Pattern {
	const segments = path.slice(1).split("/");
	const below = segments.at(-1) === "*";
	const own = below ? segments.slice(0, -1) : segments;
	return { below, segments: own.map((segment) => (PLACEHOLDER.test(segment) ? undefined : segment)) };
}

/**
 * The first rule that matches method and path. The query matters only to a POST, because frameworks read another method
 * from it.
 *
 * @param target path and query, exactly as on the request line
 * @throws AppError `gate.path` for a target that an application might read as another path than this function does;
 * `gate.request` for a method in the query that has another rule.
 */
export function findRule(
	rules: readonly PlacedRule[],
	method: string,
	target: string,
): PlacedRule | undefined {
	const found = ruleOfPath(rules, method, target);
	if (method === "POST")
		for (const other of methodsInQuery(target))
			if (ruleOfPath(rules, other, target) !== found) throw otherMethod(other);
	return found;
}

function otherMethod(method: string): AppError {
	return new AppError(
		"gate.request",
		`the query asks for the method ${shortened(method)}, which has another rule`,
	);
}

/** Callers choose the text. */
function shortened(text: string): string {
	return text.length <= METHOD_MAX ? text : `${text.slice(0, METHOD_MAX)}…`;
}

function ruleOfPath(rules: readonly PlacedRule[], method: string, target: string): PlacedRule | undefined {
	const path = pathOf(target);
	const segments = path.slice(1).split("/");
	const exact = rules.find(({ rule, exact }) => covers(rule, method) && matches(exact, segments));
	const looseSegments = loosePath(path).slice(1).split("/");
	const loose = rules.find(({ rule, loose }) => covers(rule, method) && matches(loose, looseSegments));
	if (exact === loose) return exact;
	throw refusedPath("differs from a rule only by upper and lower case or a slash at its end");
}

/** Many applications ignore case and a slash at the end. */
function loosePath(path: string): string {
	const lower = path.toLowerCase();
	return lower.length > 1 && lower.endsWith("/") ? lower.slice(0, -1) : lower;
}

function covers({ methods }: GateRule, method: string): boolean {
	return methods === undefined || methods.includes(method) || (method === "HEAD" && methods.includes("GET"));
}

function matches({ segments, below }: Pattern, path: readonly string[]): boolean {
	if (below ? path.length < segments.length : path.length !== segments.length) return false;
	return segments.every((segment, index) => {
		const asked = path[index] as string;
		return segment === undefined ? asked !== "" : segment === asked;
	});
}

const REFUSED: readonly (readonly [RegExp, string])[] = [
	[/%(?![0-9A-Fa-f]{2})/, "contains a malformed percent-encoding"],
	// A `$` in the pattern of a route also matches before a line feed at the end.
	[/%(?:2f|5c|[01][0-9a-f]|7f)/i, "contains an encoded slash, backslash, or control character"],
	// RFC 3986, section 2.3.
	[
		/%(?:2d|2e|3[0-9]|4[1-9a-f]|5[0-9a]|5f|6[1-9a-f]|7[0-9a]|7e)/i,
		"contains an encoded unreserved character",
	],
	[/%25[0-9A-Fa-f]{2}/, "contains a percent-encoding that is encoded again"],
	[/[\\;]/, "contains a backslash or a semicolon"],
	[/\/\//, "contains an empty segment"],
	[/\/\.{1,2}(?:\/|$)/, "contains a segment . or .."],
];

/** Nothing is normalized: what proxies and applications read differently is refused. */
function pathOf(target: string): string {
	if (!target.startsWith("/")) throw refusedPath("does not begin with a slash");
	if (!/^[!-~]+$/.test(target)) throw refusedPath("contains a character other than visible ASCII");
	if (target.includes("#")) throw refusedPath("contains a fragment");
	const [path = ""] = target.split("?", 1);
	for (const [pattern, words] of REFUSED) if (pattern.test(path)) throw refusedPath(words);
	return path;
}

function refusedPath(words: string): AppError {
	return new AppError("gate.path", `the path of the request ${words}`);
}
