import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { Route } from "../../src/http/guard.ts";
import { errorCodesOf } from "../../src/http/openapi.ts";
import { PAGE_FILES } from "../../src/http/pages/pages.ts";
import { STATUS_OF_KIND } from "../../src/http/reply.ts";
import { ERROR_KINDS } from "../../src/kernel/error.ts";
import { mapOfRoutes } from "../harness/routes.ts";
import { startTestService, type TestService } from "../harness/service.ts";
import { allDocuments, readDocument, tableRows } from "./document.ts";

interface Operation {
	readonly operationId: string;
	readonly summary: string;
	readonly tags: readonly string[];
	readonly security: readonly Record<string, unknown>[];
	readonly responses: Readonly<Record<string, unknown>>;
}

let routes: readonly Route[];
let document: { readonly paths: Record<string, Record<string, Operation>>; readonly openapi: string };
let service: TestService;

before(async () => {
	routes = await mapOfRoutes();
	service = await startTestService();
	document = (await service.call("GET", "/openapi.json")).body;
});
after(() => service.stop());

/** The statuses a row of the map can answer, as the code of guard, endpoint and toolkit says. */
function statusesOf(route: Route): number[] {
	const errors = errorCodesOf(route).map((code) => STATUS_OF_KIND[ERROR_KINDS[code]]);
	const { status, orPage } = route.endpoint.answer;
	return [...new Set([status, ...(orPage === undefined ? [] : [orPage.status]), ...errors])].sort(
		(a, b) => a - b,
	);
}

/** Without the names of its ids. */
const shape = (path: string): string => path.replaceAll(/\{\w+\}/g, "{}");

const groupsOf = (all: readonly Route[]): string[] => [...new Set(all.map(({ tag }) => tag))];

/** What every route can answer; the document says so once. */
const EVERYWHERE = [429, 500, 503];

/** The line of `docs/api.md` for a row of the map. */
function documentedRow(route: Route): string[] {
	return [
		`\`${route.method}\``,
		`\`${route.path}\``,
		route.endpoint.summary,
		route.guard.allows,
		statusesOf(route)
			.filter((status) => !EVERYWHERE.includes(status))
			.join(" "),
	];
}

describe("docs/api.md", () => {
	it("has one row a route, in the order and groups of the map, and no other", () => {
		const text = readDocument("docs/api.md");
		const groups = text.split(/^### /m).slice(1);
		const documented = groups.map((group) => ({
			name: group.slice(0, group.indexOf("\n")),
			rows: tableRows(group).filter(([method]) => /^`[A-Z]+`$/.test(method ?? "")),
		}));
		assert.deepEqual(
			documented,
			groupsOf(routes).map((name) => ({
				name,
				rows: routes.filter(({ tag }) => tag === name).map(documentedRow),
			})),
		);
	});

	it("leaves out the statuses that every route has, and only those", () => {
		for (const route of routes)
			for (const status of EVERYWHERE) assert.ok(statusesOf(route).includes(status), route.path);
		assert.match(readDocument("docs/api.md"), /can also answer 429, 500 and 503/);
	});

	it("names every page beside the API", () => {
		const text = readDocument("docs/api.md");
		const pages = Object.entries(PAGE_FILES).filter(([, { contentType }]) =>
			contentType.startsWith("text/html"),
		);
		for (const [path] of pages) assert.ok(text.includes(`\`GET ${path}\``), path);
		for (const path of ["/openapi.json", "/metrics"]) assert.ok(text.includes(`\`GET ${path}\``), path);
	});
});

describe("what documents name as an operation", () => {
	for (const path of allDocuments()) {
		it(`exists: ${path}`, () => {
			const known = new Set(routes.map((route) => `${route.method} ${shape(route.path)}`));
			for (const page of [...Object.keys(PAGE_FILES), "/openapi.json", "/metrics"]) known.add(`GET ${page}`);
			const operations = readDocument(path).matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`\s?]*)[^`]*`/g);
			for (const [, method, target = ""] of operations) {
				const full = [target, `/api/v1${target}`].map((at) => `${method} ${shape(at)}`);
				assert.ok(
					full.some((name) => known.has(name)),
					`${method} ${target}`,
				);
			}
		});
	}
});

describe("openapi.json", () => {
	it("has every row of the map and no other operation", () => {
		const described = Object.entries(document.paths).flatMap(([path, operations]) =>
			Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
		);
		assert.deepEqual(described.sort(), routes.map(({ method, path }) => `${method} ${path}`).sort());
	});

	it("tells the same of each as the map: name, group, proof, statuses", () => {
		for (const route of routes) {
			const operation = document.paths[route.path]?.[route.method.toLowerCase()];
			assert.ok(operation !== undefined, route.path);
			const { security } = route.guard;
			assert.deepEqual(
				[operation.operationId, operation.summary, operation.tags, operation.security],
				[
					route.endpoint.name,
					route.endpoint.summary,
					[route.tag],
					security === "none" ? [] : [{ [security]: [] }],
				],
			);
			assert.deepEqual(Object.keys(operation.responses).map(Number), statusesOf(route), route.path);
		}
	});

	it("names operations once", () => {
		const names = routes.map(({ endpoint }) => endpoint.name);
		assert.equal(new Set(names).size, names.length);
	});

	it("is a valid OpenAPI 3.1 document", async () => {
		assert.equal(document.openapi, "3.1.0");
		const validation = await new Validator().validate(structuredClone(document));
		assert.deepEqual([validation.valid, validation.errors], [true, undefined]);
	});
});

describe("what is described", () => {
	it("is served: no path of the map answers as if it did not exist", async () => {
		const missing = new Set(["route.not_found", "route.method_not_allowed"]);
		for (const { method, path } of routes) {
			const concrete = path.replaceAll(/\{\w+\}/g, "01900000-0000-7000-8000-000000000000");
			const answer = await service.call(method, concrete, {
				https: true,
				headers: { accept: "application/problem+json" },
			});
			assert.ok(!missing.has(answer.body?.code), `${method} ${path}`);
		}
	});
});
