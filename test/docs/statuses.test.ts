// Every status and error code that a route declares was observed over the wire in this run, and no other one.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import type { Route } from "../../src/http/describe/guard.ts";
import { errorCodesOf } from "../../src/http/openapi/openapi-errors.ts";
import { STATUS_OF_KIND } from "../../src/http/run/reply.ts";
import type { Resource } from "../../src/http/run/resource.ts";
import { Router } from "../../src/http/run/router.ts";
import { ERROR_KINDS, type ErrorCode } from "../../src/kernel/error.ts";
import { NOTES_FOLDER, readNotes } from "../harness/service/observed.ts";
import { mapOfRoutes } from "../harness/service/routes.ts";
import { nameOf } from "../matrix/admitted.ts";
import { statusesOf } from "./route-rows.ts";

/** Statuses of the toolkit: one route proves each for all. */
const SHARED_STATUSES = [413, 415, 426, 429, 500, 503];
/** The pipeline returns it before it knows the route, for a malformed `Host`. */
const OF_PIPELINE: ErrorCode = "request.malformed";
/** Only some keys and clients have an allowlist. */
const OF_ALLOWLISTS: ErrorCode = "ip.not_allowed";
/** Codes of steps that several routes share; one route proves each. */
const OF_STEPS: readonly ErrorCode[] = [
	"account.disabled",
	"application.access_denied",
	"application.token",
	"mfa.required",
	"password.breached",
	"password.too_common",
	"password.too_long",
];
/** Caused by another service or by a race, in tests of `test/programs/`, `test/providers/`, and of the use case. */
const ELSEWHERE: readonly ErrorCode[] = [
	"application.is_program",
	"interaction.other_tenant",
	"issuer.mismatch",
	"program.document",
	"program_request.document_changed",
	"program_request.unreadable",
	"review.too_large",
];

/** What is specific to the route, beyond its guard and the toolkit. */
function ownCodes({ endpoint }: Route): ErrorCode[] {
	const named = Object.values(endpoint.names).map(({ code }) => code);
	const codes = new Set([...endpoint.errors, ...Object.values(endpoint.ids), ...named]);
	return [...codes].filter((code) => !OF_STEPS.includes(code) && !ELSEWHERE.includes(code));
}

const statusOf = (code: ErrorCode): number => STATUS_OF_KIND[ERROR_KINDS[code]];
const isShared = (status: number): boolean => SHARED_STATUSES.includes(status);

/** The statuses that every route with these codes returned in this run. */
function ownStatuses(route: Route): number[] {
	const ofAllowlists = errorCodesOf(route).filter((code) => statusOf(code) === statusOf(OF_ALLOWLISTS));
	const isOptional = ofAllowlists.length === 1 && ofAllowlists[0] === OF_ALLOWLISTS;
	return statusesOf(route).filter(
		(status) => !isShared(status) && !(isOptional && status === statusOf(OF_ALLOWLISTS)),
	);
}

describe("the endpoint tests", () => {
	it("have one suite for each route, and none for an unknown route", async () => {
		const suites = globSync("test/endpoints/**/*.test.ts").flatMap((file) =>
			[...readFileSync(file, "utf8").matchAll(/^describe\(\s*"([A-Z]+ \/[^"]*)"/gm)].map(([, name]) => name),
		);
		assert.deepEqual(suites.sort(), (await mapOfRoutes()).map(nameOf).sort());
	});
});

describe("the responses of a whole run", {
	skip: NOTES_FOLDER === undefined && "no notes of a whole run",
}, () => {
	let routes: readonly Route[];
	/** Statuses and error codes by route. */
	const seen = new Map<string, Set<string>>();
	const unseen = (route: Route, values: readonly (string | number)[]): string[] =>
		values
			.filter((value) => !seen.get(nameOf(route))?.has(String(value)))
			.map((value) => `${nameOf(route)}: ${value}`);
	before(async () => {
		routes = await mapOfRoutes();
		const router = new Router();
		for (const { method, path } of routes) {
			router.add(method, path, { template: path } as Resource);
			seen.set(`${method} ${path}`, new Set());
		}
		for (const [method = "", path = "", status = "", code] of readNotes(NOTES_FOLDER ?? "")) {
			const template = code === undefined ? router.find(method, path).resource.template : path;
			const values = seen.get(`${method} ${template}`);
			values?.add(status);
			if (code !== undefined) values?.add(code);
		}
	});

	it("include every declared status of every route", () => {
		assert.deepEqual(
			routes.flatMap((route) => unseen(route, ownStatuses(route))),
			[],
		);
	});

	it("include every error code that an endpoint declares, on its route", () => {
		const codes = (route: Route) => ownCodes(route).filter((code) => !isShared(statusOf(code)));
		assert.deepEqual(
			routes.flatMap((route) => unseen(route, codes(route))),
			[],
		);
	});

	it("include every error code of a guard, of a shared step, and of a body, on some route", () => {
		const declared = new Set([...routes.flatMap(({ guard }) => guard.errors), ...OF_STEPS, OF_PIPELINE]);
		const observed = new Set([...seen.values()].flatMap((values) => [...values]));
		// Only tests of the pipeline cause 500.
		const shared = SHARED_STATUSES.filter((status) => status !== 500);
		const expected = [...declared, ...shared.map(String)];
		assert.deepEqual(
			expected.filter((value) => !observed.has(value)),
			[],
		);
	});

	it("are all declared", () => {
		const undeclared = routes.flatMap((route) => {
			const declared = [...errorCodesOf(route), OF_PIPELINE, ...statusesOf(route), statusOf(OF_PIPELINE)];
			return [...(seen.get(nameOf(route)) ?? [])]
				.filter((value) => !declared.map(String).includes(value))
				.map((value) => `${nameOf(route)}: ${value}`);
		});
		assert.deepEqual(undeclared, []);
	});
});
