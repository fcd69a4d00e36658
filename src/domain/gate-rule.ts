// The rules of a gate: which requests to an application are public, and what the others need. Pure functions.

import { AppError } from "../kernel/error.ts";
import { type Problem, problem } from "../kernel/field-reason.ts";
import { isBoolean, isText, listOf, objectOf, optional } from "../kernel/shape.ts";
import { permitsAny } from "./access.ts";
import { PERMISSION } from "./application-role.ts";
import { methodsInQuery } from "./method-override.ts";
import { foldCase, isPlain, pathOf, readingsOf, refusedPath } from "./request-readings.ts";

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

const MARKS = ["mfa", "test"] as const;

/** `GET,POST /orders/* orders:read mfa`, as audit events show a rule. `*`: all methods. */
export function ruleText(rule: GateRule): string {
	const { methods, path, needs } = rule;
	const marks = MARKS.flatMap((mark) =>
		rule[mark] === undefined ? [] : [rule[mark] ? mark : `${mark}=false`],
	);
	return [methods?.join() ?? "*", path, needs, ...marks].join(" ");
}

export function parseRuleText(text: string): GateRule {
	const [methods = "*", path = "", needs = "", ...marks] = text.split(" ");
	const flags = marks.map((mark) => [mark.replace("=false", ""), !mark.endsWith("=false")]);
	return {
		...(methods !== "*" && { methods: methods.split(",") }),
		path,
		needs,
		...Object.fromEntries(flags),
	};
}

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
				return isLiteral(segment) || PLACEHOLDER.test(segment);
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

function isLiteral(segment: string): boolean {
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

/** The rules of a gate in their order, prepared for comparison. */
export interface PlacedRules {
	readonly all: readonly PlacedRule[];
	/** Whether both patterns of every rule are the same. */
	readonly areLowerCase: boolean;
}

export function placeRules(rules: readonly GateRule[]): PlacedRules {
	const all = rules.map((rule, position) => ({
		position,
		rule,
		exact: patternOf(rule.path),
		loose: patternOf(rule.path.toLowerCase()),
	}));
	return { all, areLowerCase: rules.every(({ path }) => path === path.toLowerCase()) };
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
 * @throws AppError `gate.path` for a target that an application might read as the path of another rule; `gate.request` for
 * a method in the query that has another rule.
 */
export function findRule(rules: PlacedRules, method: string, target: string): PlacedRule | undefined {
	const path = pathOf(target);
	const found = ruleOfPath(rules, method, path);
	if (method === "POST")
		for (const other of methodsInQuery(target))
			if (ruleOfPath(rules, other, path) !== found) throw otherMethod(other);
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

function ruleOfPath(rules: PlacedRules, method: string, path: string): PlacedRule | undefined {
	if (rules.areLowerCase && isPlain(path)) return firstMatch(rules, method, path, "exact");
	const [met, other] = meetings(rules, method, path);
	if (other !== undefined) throw refusedPath("can be read as the path of another rule");
	return met?.rule;
}

/** A rule that a reading of a path meets; undefined: none. */
export interface Meeting {
	readonly reading: string;
	readonly rule: PlacedRule | undefined;
}

/**
 * The rules that the readings of a path meet, each once: first that of the path itself. Applications that ignore case compare
 * their routes in the same way, so a folded reading meets folded rules.
 *
 * @throws AppError `gate.path`
 */
export function meetings(rules: PlacedRules, method: string, path: string): readonly Meeting[] {
	const found: Meeting[] = [];
	const meet = (reading: string, kind: "exact" | "loose"): void => {
		const rule = firstMatch(rules, method, reading, kind);
		if (found.every((meeting) => meeting.rule !== rule)) found.push({ reading, rule });
	};
	for (const reading of readingsOf(path)) {
		meet(reading, "exact");
		meet(foldCase(reading), "loose");
	}
	return found;
}

function firstMatch(
	{ all }: PlacedRules,
	method: string,
	path: string,
	kind: "exact" | "loose",
): PlacedRule | undefined {
	const segments = path.slice(1).split("/");
	return all.find((placed) => covers(placed.rule, method) && matches(placed[kind], segments));
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
