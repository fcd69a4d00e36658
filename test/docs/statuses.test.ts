// Every documented status of an endpoint has a suite in the endpoint's own test file, unless one table proves it for all routes.
// No suite proves an undocumented status.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import type { Route } from "../../src/http/describe/guard.ts";
import { plainJsonSchema } from "../../src/http/describe/json-schema.ts";
import { errorCodesOf } from "../../src/http/openapi/openapi-errors.ts";
import { STATUS_OF_KIND } from "../../src/http/run/reply.ts";
import { ERROR_KINDS, type ErrorCode } from "../../src/kernel/error.ts";
import { mapOfRoutes } from "../harness/service/routes.ts";
import { TABLE } from "../matrix/table.ts";
import { statusesOf } from "./route-rows.ts";

/** Statuses of all endpoints, with a pattern of their proof. An endpoint may prove them too. */
const SHARED: Readonly<Record<number, RegExp>> = {
	413: /\b413\b/,
	415: /\b415\b/,
	426: /\b426\b/,
	429: /\b429\b/,
	500: /\b500\b/,
	503: /\b503\b/,
};

/** Titles of the tests of all routes that endpoints rely on. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
	"test/matrix/every-route.test.ts": ["is in the table, and nothing else is"],
	"test/wire/toolkit.test.ts": [
		"that is malformed returns 404 like an absent one, for every parameter of every route",
		"with an unknown name returns 400 on every Bearer route",
		"with a value that is invalid or one character too long returns 400 and names it, for every parameter",
		"with another page or page_size returns 400 and names it",
		"returns 400 on every Bearer route that may have a JSON body",
		"that is required and missing returns 400 and named, on every route",
		"of another type returns 400 and is named",
	],
	"test/wire/browser-session.test.ts": ["is refused alike by every endpoint that uses sessions"],
};

interface EndpointTest {
	readonly file: string;
	readonly operation: string;
	/** Statuses with the number of cases under each. */
	readonly statuses: ReadonlyMap<number, number>;
}

/** `describe("POST /path"` and, inside, `describe("409"` with its cases, as biome lays them out. */
function endpointTests(): EndpointTest[] {
	return globSync("test/endpoints/**/*.test.ts").flatMap((file) => {
		const source = readFileSync(file, "utf8");
		return source
			.split(/^(?=describe\()/m)
			.slice(1)
			.flatMap((suite) => {
				const operation = /^describe\(\s*"([A-Z]+ \/[^"]*)"/.exec(suite)?.[1];
				if (operation === undefined) return [];
				const cases = suite.split(/^\t(?=describe\()/m).slice(1);
				const statuses = cases.flatMap((text): [number, number][] => {
					const status = /^describe\("(\d{3})"/.exec(text)?.[1];
					return status === undefined ? [] : [[Number(status), text.match(/\b(?:it|test)\(/g)?.length ?? 0]];
				});
				return [{ file, operation, statuses: new Map(statuses) }];
			});
	});
}

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Keywords of a field's schema that limit nothing beyond its type. */
const WITHOUT_LIMIT = ["type", "description", "examples", "writeOnly"];

/** `test/wire/toolkit.test.ts` proves everything about queries; of bodies JSON, names and types, but not the limits of fields. */
function isProvenByToolkit({ endpoint }: Route, codes: readonly ErrorCode[]): boolean {
	const fields = Object.values(endpoint.body?.properties ?? {}).map(plainJsonSchema);
	return (
		codes.every((code) => GENERIC_400.includes(code)) &&
		fields.every((field) => Object.keys(field).every((keyword) => WITHOUT_LIMIT.includes(keyword)))
	);
}

const GENERIC_400: readonly ErrorCode[] = ["request.invalid", "request.content_type", "request.malformed"];

/** `test/matrix/every-route.test.ts` calls every route as every kind of caller: it proves the codes of the guard. */
function isProvenByCallers(route: Route, codes: readonly ErrorCode[]): boolean {
	const isForPeople = TABLE[nameOf(route)]?.who === "signed in, not for an application";
	return codes.every(
		(code) =>
			route.guard.errors.includes(code) ||
			// test/wire/browser-session.test.ts
			code === "origin.not_allowed" ||
			(code === "application.token" && isForPeople),
	);
}

/** The matrix replaces each id of the path by one of another tenant and by an absent one. */
function isProvenByWall(route: Route, codes: readonly ErrorCode[]): boolean {
	const { records, ok, absent = 404, tenantScoped } = TABLE[nameOf(route)] ?? {};
	const { ids, names, pathParameters } = route.endpoint;
	const ofIds = [...Object.values(ids), ...Object.values(names).map(({ code }) => code)];
	const isCalled = records === undefined ? ok === 404 : absent === 404;
	const isWalled = pathParameters.every((parameter) => tenantScoped?.includes(parameter) ?? true);
	return isCalled && isWalled && codes.every((code) => ofIds.includes(code));
}

/** Whether a table over all routes proves each cause of this status. */
function isProvenForAll(status: number, route: Route): boolean {
	const codes = errorCodesOf(route).filter((code) => STATUS_OF_KIND[ERROR_KINDS[code]] === status);
	if (codes.length === 0) return false;
	if (status === 400) return isProvenByToolkit(route, codes);
	if (status === 401 || status === 403) return isProvenByCallers(route, codes);
	return status === 404 && isProvenByWall(route, codes);
}

/** Signed routes always require HTTPS, which their own tests cover; other routes require it only of other machines. */
function isShared(status: number, { guard }: Route): boolean {
	return status in SHARED && !(status === 426 && guard.security === "signed");
}

describe("test/endpoints", () => {
	const tests = endpointTests();
	let routes: readonly Route[];
	before(async () => {
		routes = await mapOfRoutes();
	});

	it("has one suite for each route, and none for an unknown route", () => {
		assert.deepEqual(tests.map(({ operation }) => operation).sort(), routes.map(nameOf).sort());
	});

	it("proves every documented status that no table proves for all routes", () => {
		const missing = routes.flatMap((route) => {
			const proven = tests.find(({ operation }) => operation === nameOf(route))?.statuses;
			return statusesOf(route)
				.filter((status) => !isShared(status, route))
				.filter((status) => !isProvenForAll(status, route))
				.filter((status) => (proven?.get(status) ?? 0) === 0)
				.map((status) => `${nameOf(route)} lacks describe("${status}")`);
		});
		assert.deepEqual(missing, []);
	});

	it("proves no undocumented status", () => {
		const undescribed = routes.flatMap((route) => {
			const proven = tests.find(({ operation }) => operation === nameOf(route))?.statuses ?? new Map();
			const described = statusesOf(route);
			return [...proven.keys()]
				.filter((status) => !described.includes(status))
				.map((status) => `${nameOf(route)} is tested for ${status}, which openapi.json does not list`);
		});
		assert.deepEqual(undescribed, []);
	});

	it("relies only on tests that exist", () => {
		const elsewhere = globSync([
			"test/wire/**/*.test.ts",
			"test/faults/**/*.test.ts",
			"src/http/**/*.test.ts",
		]);
		const source = elsewhere.map((file) => readFileSync(file, "utf8")).join("\n");
		for (const [status, pattern] of Object.entries(SHARED)) assert.match(source, pattern, status);
		for (const [file, titles] of Object.entries(TABLES)) {
			const table = readFileSync(file, "utf8");
			for (const title of titles) assert.ok(table.includes(title), `${file}: ${title}`);
		}
	});
});
