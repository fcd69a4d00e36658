// No server reaches a rule on which the gate did not decide.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findRule, type GateRule, placeRules } from "./gate-rule.ts";

const ROUNDS = 100_000;
/** Paths per list of rules. */
const TARGETS = 50;

/** How a server reads a path: the segments that it compares with its routes; undefined: it refuses. */
interface Server {
	readonly name: string;
	segments(path: string): readonly string[] | undefined;
	readonly ignoresCase?: true;
}

const decode = (path: string): string | undefined => {
	try {
		// A `%` that begins no escape stays.
		return decodeURIComponent(path.replace(/%(?![0-9A-Fa-f]{2})/g, "%25"));
	} catch {
		return undefined;
	}
};
const slashes = (path: string) => path.replaceAll("\\", "/");
const merged = (path: string) => path.replace(/\/+/g, "/");
const withoutParameters = (path: string) => path.replace(/;[^/]*/g, "");
const withoutEnd = (path: string) => (path.length > 1 ? path.replace(/\/$/, "") : path);
const trimmed = (path: string) => path.replace(/[. ]+(?=\/|$)/g, "");
const beforeQuery = (path: string) => path.replace(/[?#].*$/s, "");
/** RFC 3986, section 5.2.4. */
function withoutDots(path: string): string {
	const kept: string[] = [];
	for (const segment of path.slice(1).split("/"))
		if (segment === "..") kept.pop();
		else if (segment !== ".") kept.push(segment);
	return `/${kept.join("/")}`;
}

type Step = (path: string) => string | undefined;
function server(name: string, steps: readonly Step[], ignoresCase?: true): Server {
	return {
		name,
		segments(path) {
			const read = steps.reduce<string | undefined>((text, step) => text && step(text), path);
			return read?.slice(1).split("/");
		},
		...(ignoresCase && { ignoresCase }),
	};
}

const SERVERS: readonly Server[] = [
	server("compares the target as sent", []),
	server("nginx: decodes, merges, resolves", [decode, merged, withoutDots]),
	server("Apache: decodes, resolves, keeps slashes", [decode, withoutDots]),
	server("Tomcat, Spring: cuts parameters, decodes, resolves", [
		withoutParameters,
		decode,
		withoutDots,
		withoutEnd,
	]),
	server("Jetty: decodes before it cuts parameters", [decode, withoutParameters, merged, withoutDots]),
	server(
		"IIS: backslashes, trailing dots, case",
		[decode, slashes, merged, withoutDots, trimmed, withoutEnd],
		true,
	),
	{
		name: "Express: decodes single segments, ignores case",
		segments: (path) => {
			const segments = withoutEnd(path).slice(1).split("/").map(decode);
			return segments.some((one) => one === undefined) ? undefined : (segments as string[]);
		},
		ignoresCase: true,
	},
	server("WSGI: decodes only", [decode]),
	server("behind a proxy that decodes: twice", [decode, withoutDots, decode, withoutDots, withoutEnd]),
	server("behind two proxies that decode: three times", [
		decode,
		decode,
		slashes,
		decode,
		merged,
		withoutDots,
	]),
	server("PHP: decodes, and cuts a query", [decode, beforeQuery, merged, withoutDots, withoutEnd]),
	server(
		"files of Windows",
		[slashes, decode, slashes, withoutDots, trimmed, merged, trimmed, withoutEnd],
		true,
	),
];

/** The first rule that the server serves. */
function reached({ segments: read, ignoresCase }: Server, rules: readonly GateRule[], path: string) {
	const folded = (text: string) => (ignoresCase ? text.toUpperCase().toLowerCase() : text);
	const segments = read(path)?.map(folded);
	if (segments === undefined) return undefined;
	return rules.findIndex((rule) => {
		const pattern = folded(rule.path).slice(1).split("/");
		const isBelow = pattern.at(-1) === "*";
		const own = isBelow ? pattern.slice(0, -1) : pattern;
		if (isBelow ? segments.length < own.length : segments.length !== own.length) return false;
		return own.every((one, index) => (one === "{x}" ? segments[index] !== "" : one === segments[index]));
	});
}

test(`no server reads one of ${ROUNDS} random targets as the path of another rule`, () => {
	assert.equal(SERVERS.length, 12);
	const random = randomNumbers(38);
	const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
	const plain = ["a", "b", "admin", "A", "Admin", "k", "a.b"];
	const uneven = [
		"%2f",
		"%2F",
		"%5c",
		"\\",
		";v",
		"/",
		"//",
		"%2e",
		".",
		"..",
		"%20",
		"%252f",
		"%25252f",
		"%61",
		"%41",
	];
	const rare = [
		"%3f",
		"%23",
		"%25",
		"%2561",
		"%c3%bc",
		"%e2%84%aa",
		"%c0%ae",
		"%00",
		"%250a",
		";",
		"%3b",
		"%255c",
	];
	const pieces = [...plain, ...plain, ...plain, ...uneven, ...rare];
	const pathOfRule = () => {
		const segments = Array.from({ length: random(3) }, () => pick(["a", "b", "admin", "A", "{x}", "k"]));
		if (segments.length === 0 || random(2) === 0) segments.push("*");
		return `/${segments.join("/")}`;
	};
	let passed = 0;
	const found: string[] = [];
	for (let round = 0; round < ROUNDS; round += TARGETS) {
		const rules = Array.from({ length: 1 + random(4) }, () => ({ path: pathOfRule(), needs: "public" }));
		const placed = placeRules(rules);
		for (let count = 0; count < TARGETS; count++) {
			const text = Array.from({ length: 1 + random(4) }, () => `${pick(pieces)}${pick(["", "", "/"])}`).join(
				"",
			);
			const target = `/${text}`;
			let decided: number;
			try {
				decided = findRule(placed, "GET", target)?.position ?? -1;
			} catch {
				continue;
			}
			passed++;
			for (const one of SERVERS) {
				const rule = reached(one, rules, target);
				if (rule !== undefined && rule !== decided)
					found.push(
						`${one.name}: ${target} of ${rules.map(({ path }) => path)} reaches ${rule}, not ${decided}`,
					);
			}
		}
	}
	assert.deepEqual(found.slice(0, 5), []);
	// The others are ambiguous: otherwise this test would prove nothing.
	assert.ok(passed > ROUNDS / 4 && passed < ROUNDS * 0.9, String(passed));
});

/** Park–Miller: the same numbers in every run. */
function randomNumbers(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state * 48_271) % 2_147_483_647;
		return state % below;
	};
}
