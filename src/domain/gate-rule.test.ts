import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findRule, type GateRule, needsProblem, pathProblem, placeRules } from "./gate-rule.ts";

const OPEN_SITE: readonly GateRule[] = [
	{ path: "/admin", needs: "admin:use" },
	{ path: "/*", needs: "public" },
];

/** As above, with a rule for what some application reads in each hostile target. */
const GUARDED_SITE: readonly GateRule[] = [
	...["/admin", "/x/admin", "/admin.html", "/~root", "/a-b", "/a_b", "/0"].map((path) => ({
		path,
		needs: "admin:use",
	})),
	{ path: "/*", needs: "public" },
];

/** What proxies and applications read in different ways. */
const HOSTILE = [
	"",
	"*",
	"admin",
	"https://localhost/status",
	"http:/admin",
	"//admin",
	"/x//admin",
	"/admin//",
	"/./admin",
	"/../admin",
	"/x/../admin",
	"/x/..",
	"/admin/.",
	"/admin/..",
	"/x/./../admin",
	"/..;/admin",
	"/admin;x=1",
	"/x;/../admin",
	"/admin;",
	"/%2fadmin",
	"/x%2fadmin",
	"/x%2F..%2Fadmin",
	"/x/..%2fadmin",
	"/..%5cadmin",
	"/x\\admin",
	"\\admin",
	"/x\\..\\admin",
	"/%5Cadmin",
	"/admin%00",
	"/admin%00.html",
	"/admin%0a",
	"/admin%0D%0A",
	"/%09admin",
	"/admin%1F",
	"/admin%7f",
	"/%61dmin",
	"/%41dmin",
	"/admi%6e",
	"/adm%69n/",
	"/x/%2e%2e/admin",
	"/%2e/admin",
	"/%2E%2E/admin",
	"/x/.%2e/admin",
	"/x/%2e./admin",
	"/admin%2ehtml",
	"/%7eroot",
	"/a%2db",
	"/a%5fb",
	"/%30",
	"/%",
	"/%2",
	"/%zz",
	"/admin%",
	"/%u002e%u002e/admin",
	"/x%252fadmin",
	"/%252e%252e/admin",
	"/%2561dmin",
	"/admin#x",
	"/x#/admin",
	"/admin?#x",
	"/admin x",
	"/admin\t",
	"/admin\r\nX-Admin: 1",
	"/\u0000admin",
	"/\u007f",
	"/ádmin",
	"/\uff0fadmin",
	"/ADMIN",
	"/Admin",
	"/admin/",
	"/aDMIN/",
];

const FINE = [
	"/",
	"/status",
	"/a/b/c.html",
	"/a%20b",
	"/%C3%BC",
	"/100%25",
	"/a:b@c,d+e!$&'()*=",
	"/...",
	"/.well-known/x",
	"/x?next=%2Fadmin/../x;y//z\\",
];

/** Paths that packages and repositories need, and others that no application takes for another rule of OPEN_SITE. */
const HARMLESS = [
	"/@scope%2fpkg",
	"/@scope%2Fpkg/-/pkg-1.0.0.tgz",
	"/api/v4/projects/group%2Fproject",
	"/api/v1/repos/a/b/contents/docs%2Fx.md",
	"/x//admin",
	"/x%2fadmin",
	"/x\\admin",
	"/x/a;v=1/b",
	"/%7eroot",
	"/a%2db",
	"/Files/Report%20(1).PDF",
	"/x.",
	"/x/",
	"/caf%c3%a9",
	"/100%25",
];

describe("findRule", () => {
	for (const target of HOSTILE)
		test(`refuses ${JSON.stringify(target)} although the last rule opens everything`, () => {
			assert.throws(() => findRule(placeRules(GUARDED_SITE), "GET", target), { code: "gate.path" });
		});

	test("lets a path pass if every reading of it meets one rule", () => {
		const rules = placeRules(OPEN_SITE);
		for (const target of HARMLESS) assert.equal(findRule(rules, "GET", target)?.position, 1, target);
		const everything = placeRules([{ path: "/*", needs: "signed-in" }]);
		for (const target of [...HARMLESS, "/admin%2fx", "//admin", "/ADMIN/"])
			assert.equal(findRule(everything, "GET", target)?.position, 0, target);
		for (const target of [
			"/public/..%2fadmin",
			"/x/..;/y",
			"/.%252e/x",
			"/%2e%20/x",
			"/a%00",
			"/a%250a",
			"/%c0%ae",
			"/a%2525252f",
		])
			assert.throws(() => findRule(everything, "GET", target), { code: "gate.path" }, target);
	});

	test("matches a placeholder only with a segment that no server splits", () => {
		const rules = placeRules([
			{ path: "/projects/{id}", needs: "projects:read" },
			{ path: "/*", needs: "public" },
		]);
		assert.equal(findRule(rules, "GET", "/projects/a%20b")?.position, 0);
		for (const target of [
			"/projects/group%2Fproject",
			"/projects/a%5cb",
			"/projects/a%252fb",
			"/projects/%20",
		])
			assert.throws(() => findRule(rules, "GET", target), { code: "gate.path" }, target);
	});

	test("refuses a path with more than 64 readings, and a long one with several, in bounded time", () => {
		const everything = placeRules([{ path: "/*", needs: "public" }]);
		const uneven = "/A%253b;x%5c.";
		for (const target of [
			"/".repeat(30_000),
			"/%2525252525",
			uneven.repeat(2_000),
			`/a%2fb${"/c".repeat(60_000)}`,
		])
			assert.throws(() => findRule(everything, "GET", target), { code: "gate.path" });
	});

	for (const target of FINE)
		test(`accepts ${JSON.stringify(target)}`, () => {
			assert.equal(findRule(placeRules(OPEN_SITE), "GET", target)?.position, 1);
		});

	const cases: readonly (readonly [
		rule: GateRule["path"],
		matching: readonly string[],
		other: readonly string[],
	])[] = [
		["/", ["/", "/?q"], ["/a"]],
		["/*", ["/", "/a", "/a/b/"], []],
		["/orders", ["/orders", "/orders?x=/orders/1"], ["/orders/1", "/order", "/ordersx"]],
		["/orders/*", ["/orders", "/orders/", "/orders/1", "/orders/1/lines/"], ["/ordersx", "/"]],
		["/orders/{id}", ["/orders/1", "/orders/a%20b"], ["/orders", "/orders/", "/orders/1/2"]],
		["/{a}/b/*", ["/x/b", "/x/b/c"], ["/b", "/x/c"]],
		["/a.b~c_d-e", ["/a.b~c_d-e"], ["/axb~c_d-e"]],
	];
	for (const [path, matching, other] of cases)
		test(`compares ${path} by whole segments`, () => {
			const rules = placeRules([{ path, needs: "public" }]);
			for (const target of matching) assert.equal(findRule(rules, "GET", target)?.position, 0, target);
			for (const target of other) assert.equal(findRule(rules, "GET", target), undefined, target);
		});

	test("refuses the other case and the other form of a slash also where no rule would match", () => {
		const rules = placeRules([{ path: "/status", needs: "public" }]);
		for (const target of ["/STATUS", "/status/"])
			assert.throws(() => findRule(rules, "GET", target), { code: "gate.path" });
		assert.equal(findRule(rules, "GET", "/other/"), undefined);
	});

	test("compares methods exactly, and covers HEAD by GET", () => {
		const rules = placeRules([
			{ methods: ["GET"], path: "/a", needs: "public" },
			{ methods: ["POST", "PUT"], path: "/a", needs: "a:write" },
		]);
		const position = (method: string) => findRule(rules, method, "/a")?.position;
		assert.deepEqual(["GET", "HEAD", "POST", "PUT", "DELETE"].map(position), [0, 0, 1, 1, undefined]);
	});

	test("finds the first match of a list in 10,000 random cases", () => {
		const random = randomNumbers(7);
		const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
		const segment = () => pick(["a", "b", "A", "{x}", "c"]);
		const path = () => {
			const segments = Array.from({ length: random(3) }, segment);
			return `/${[...segments, ...(random(3) === 0 || segments.length === 0 ? ["*"] : [])].join("/")}`;
		};
		for (let round = 0; round < 10_000; round++) {
			const rules: GateRule[] = Array.from({ length: random(6) }, (_, index) => ({
				...(random(2) === 0 && { methods: [pick(["GET", "POST"])] }),
				path: path(),
				needs: `p${index}`,
			}));
			const method = pick(["GET", "POST", "HEAD"]);
			const target = `/${Array.from({ length: random(4) }, () => pick(["a", "b", "A", "c", "zz"])).join("/")}`;
			const expected = { exact: simpleFirst(rules, method, target), loose: loosely(rules, method, target) };
			const found = () => findRule(placeRules(rules), method, target)?.rule.needs;
			if (expected.exact === expected.loose) assert.equal(found(), expected.exact);
			else assert.throws(found, { code: "gate.path" });
		}
	});
});

/** The same rule list as regular expressions. */
function simpleFirst(
	rules: readonly GateRule[],
	method: string,
	path: string,
	flags = "",
): string | undefined {
	const expressionOf = (rule: string) =>
		new RegExp(
			rule === "/*" ? "^/" : `^${rule.replaceAll(/\{x\}/gi, "[^/]+").replace(/\/\*$/, "(?:/.*)?")}$`,
			flags,
		);
	return rules.find(
		({ methods, path: rule }) =>
			(methods ?? [method]).includes(method === "HEAD" && methods !== undefined ? "GET" : method) &&
			expressionOf(rule).test(path),
	)?.needs;
}

function loosely(rules: readonly GateRule[], method: string, path: string): string | undefined {
	return simpleFirst(rules, method, path.length > 1 ? path.replace(/\/$/, "") : path, "i");
}

/** Park–Miller: the same numbers in every run. */
function randomNumbers(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state * 48_271) % 2_147_483_647;
		return state % below;
	};
}

test("pathProblem accepts segments, placeholders, and * as the last segment only", () => {
	for (const path of ["/", "/*", "/a", "/a/*", "/{id}", "/a/{id}/b/*", "/a.b/~x/_-"])
		assert.equal(pathProblem(path), undefined, path);
	for (const path of [
		"",
		"a",
		"/a/",
		"//",
		"/a//b",
		"/*/a",
		"/a*",
		"/{}",
		"/{a",
		"/..",
		"/a/./b",
		"/%20",
		"/a?b",
		"/a b",
		"/ä",
	])
		assert.equal(pathProblem(path)?.code, "rule_path", path);
});

test("needsProblem accepts public, signed-in, and permissions without * that a role holds", () => {
	const held = new Set(["orders:*", "stock:read"]);
	for (const needs of ["public", "signed-in", "orders:read", "orders:lines:read", "stock:read"])
		assert.equal(needsProblem(needs, held), undefined, needs);
	assert.equal(needsProblem("anything", new Set(["*"])), undefined);
	for (const needs of ["stock:write", "orders"]) assert.equal(needsProblem(needs, held)?.code, "not_held");
	for (const needs of ["*", "orders:*", "", "a b", "a:"])
		assert.equal(needsProblem(needs, held)?.code, "rule_needs", needs);
});
