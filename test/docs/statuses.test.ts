// Every status an endpoint is described with is proven in that endpoint's own test file, and none is proven that is not described.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import type { Route } from "../../src/http/guard.ts";
import { isPaged } from "../../src/http/handler.ts";
import { errorCodesOf } from "../../src/http/openapi-errors.ts";
import { STATUS_OF_KIND } from "../../src/http/reply.ts";
import { ERROR_KINDS, type ErrorCode } from "../../src/kernel/error.ts";
import { mapOfRoutes } from "../harness/routes.ts";
import { statusesOf } from "./route-rows.ts";

/** Come from what all endpoints share and are proven there once: where, is checked below. An endpoint may prove them too. */
const SHARED: Readonly<Record<number, RegExp>> = {
	413: /\b413\b/,
	426: /\b426\b/,
	429: /\b429\b/,
	500: /\b500\b/,
	503: /\b503\b/,
};

/**
 * 403 of an admin key (the route is closed to it, or its address is not on the allowlist), and of a browser session from
 * elsewhere.
 */
const SHARED_403: readonly ErrorCode[] = ["admin_key.not_allowed", "ip.not_allowed", "origin.not_allowed"];

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

/**
 * A Bearer route without body and parameters answers 400 to names it does not have and to nothing else:
 * test/wire/unknown-names.test.ts proves that of every one of them.
 */
function refusesOnlyUnknownNames(route: Route): boolean {
	const { body, query } = route.endpoint;
	const invalid = errorCodesOf(route).filter((code) => STATUS_OF_KIND[ERROR_KINDS[code]] === 400);
	return (
		route.guard.security === "bearer" &&
		body === undefined &&
		Object.keys(query).length === 0 &&
		!isPaged(route.endpoint) &&
		invalid.join() === "request.invalid"
	);
}

/**
 * A Bearer route that no role is needed for answers 403 to admin keys and to nobody else: test/matrix/every-route.test.ts
 * proves that of every one of them. test/wire/browser-session.test.ts proves 403 of every endpoint that uses sessions.
 */
function refusesOnlyShared(route: Route): boolean {
	const forbidden = errorCodesOf(route).filter((code) => STATUS_OF_KIND[ERROR_KINDS[code]] === 403);
	return forbidden.length > 0 && forbidden.every((code) => SHARED_403.includes(code));
}

/** A signed route requires HTTPS of everybody, and each proves it; the others only of other machines. */
function isShared(status: number, { guard }: Route): boolean {
	return status in SHARED && !(status === 426 && guard.security === "signed");
}

describe("test/endpoints", () => {
	const tests = endpointTests();
	let routes: readonly Route[];
	before(async () => {
		routes = await mapOfRoutes();
	});
	const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

	it("has one suite a route, and none of a route that is not there", () => {
		assert.deepEqual(tests.map(({ operation }) => operation).sort(), routes.map(nameOf).sort());
	});

	it("proves every status an endpoint is described with", () => {
		const missing = routes.flatMap((route) => {
			const proven = tests.find(({ operation }) => operation === nameOf(route))?.statuses;
			return statusesOf(route)
				.filter((status) => !isShared(status, route))
				.filter((status) => !(status === 400 && refusesOnlyUnknownNames(route)))
				.filter((status) => !(status === 403 && refusesOnlyShared(route)))
				.filter((status) => (proven?.get(status) ?? 0) === 0)
				.map((status) => `${nameOf(route)} lacks describe("${status}")`);
		});
		assert.deepEqual(missing, []);
	});

	it("proves no status an endpoint is not described with", () => {
		const undescribed = routes.flatMap((route) => {
			const proven = tests.find(({ operation }) => operation === nameOf(route))?.statuses ?? new Map();
			const described = statusesOf(route);
			return [...proven.keys()]
				.filter((status) => !described.includes(status))
				.map((status) => `${nameOf(route)} is tested for ${status}, which openapi.json does not list`);
		});
		assert.deepEqual(undescribed, []);
	});

	it("leaves to others only what is proven there", () => {
		const elsewhere = globSync([
			"test/wire/**/*.test.ts",
			"test/faults/**/*.test.ts",
			"src/http/**/*.test.ts",
		]);
		const source = elsewhere.map((file) => readFileSync(file, "utf8")).join("\n");
		for (const [status, pattern] of Object.entries(SHARED)) assert.match(source, pattern, status);
		assert.match(source, /is refused alike by every endpoint that uses sessions/);
		assert.match(source, /are 400 in the query of every Bearer route/);
	});
});
