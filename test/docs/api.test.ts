import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DOCUMENTS } from "../../pages/documents.ts";
import type { Route } from "../../src/http/describe/guard.ts";
import { errorGroups } from "../../src/http/openapi/openapi-errors.ts";
import { GUIDES } from "../../src/pages/guide-names.ts";
import { PAGE_FILES } from "../../src/pages/pages.ts";
import { setup, testService } from "../harness/runs/fixture.ts";
import { readApi } from "../harness/service/openapi-schema.ts";
import { describeMap, mapOfRoutes } from "../harness/service/routes.ts";
import { allDocuments, readDocument, tableRows } from "./document.ts";
import { documentedRow, EVERYWHERE, statusesOf } from "./route-rows.ts";

interface Operation {
	readonly operationId: string;
	readonly summary: string;
	readonly tags: readonly string[];
	readonly security: readonly Record<string, unknown>[];
	readonly responses: Readonly<Record<string, unknown>>;
}

let routes: readonly Route[];
let document: { readonly paths: Record<string, Record<string, Operation>> };
setup(async () => {
	routes = await mapOfRoutes();
});
const service = testService();
setup(async () => {
	document = await readApi(service);
});

/** The path without the names of its ids. */
const shape = (path: string): string => path.replaceAll(/\{\w+\}/g, "{}");

/** Whether `default` describes this status, because its codes do not depend on the operation. */
function isByDefault(route: Route, status: string): boolean {
	const { response } = route.endpoint;
	const isOwn =
		status === String(response.status) ||
		(status === "204" && response.orEmpty !== undefined) ||
		(status === "201" && response.orCreated !== undefined) ||
		(status === "503" &&
			response.statusOf !== undefined &&
			!response.orEmpty &&
			!response.orCreated &&
			response.status === 200);
	return !isOwn && !errorGroups(route).has(status);
}

/** The described rows of the OpenID provider. */
const mounted = describeMap().oauth.filter(({ operation }) => operation !== undefined);

const groupsOf = (all: readonly Route[]): string[] => [...new Set(all.map(({ tag }) => tag))];

describe("docs/api.md", () => {
	it("has one row per route, in the order and groups of the map, and no other", () => {
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

	it("omits only the statuses that every route has", () => {
		for (const route of routes)
			for (const status of EVERYWHERE) assert.ok(statusesOf(route).includes(status), route.path);
		for (const route of routes)
			assert.equal(
				statusesOf(route).includes(426),
				/^\/(api|access)\//.test(route.path),
				`426 of ${route.method} ${route.path}`,
			);
		assert.match(readDocument("docs/api.md"), /can also return 429, 500, and 503/);
		assert.match(readDocument("docs/api.md"), /each under `\/api\/` returns 426 over plain HTTP/);
	});

	it("lists every page", () => {
		const text = readDocument("docs/api.md");
		const pages = Object.entries(PAGE_FILES).filter(([, { contentType }]) =>
			contentType.startsWith("text/html"),
		);
		for (const [path] of pages) assert.ok(text.includes(`\`GET ${path}\``), path);
		const served = new Set(describeMap().pages.map(({ path }) => path));
		for (const { name, paths } of DOCUMENTS) {
			assert.ok(text.includes(`\`GET ${paths[0]}\``), name);
			for (const path of paths) assert.ok(served.has(path), path);
		}
		const row = text.split("\n").find((line) => line.startsWith("| `GET /docs/"));
		for (const name of GUIDES) assert.ok(row?.includes(`${name}\``), name);
		for (const path of ["/", "/openapi.json", "/metrics"]) assert.ok(text.includes(`\`GET ${path}\``), path);
	});
});

describe("operations named in documents", () => {
	for (const path of allDocuments()) {
		it(`exists: ${path}`, () => {
			const known = new Set(routes.map((route) => `${route.method} ${shape(route.path)}`));
			const { oauth, pages } = describeMap();
			for (const { method, path } of oauth) known.add(`${method} ${shape(path)}`);
			for (const page of [...pages.map((each) => each.path), "/metrics"]) known.add(`GET ${shape(page)}`);
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
	it("has every row of the map, the endpoints of the OpenID provider, and no other operation", () => {
		const described = Object.entries(document.paths).flatMap(([path, operations]) =>
			Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
		);
		const rows = routes.map(({ method, path }) => `${method} ${path}`);
		assert.deepEqual(
			described.sort(),
			[...rows, ...mounted.map(({ method, path }) => `${method} ${path}`)].sort(),
		);
	});

	it("matches the map: name, group, security, statuses", () => {
		for (const route of routes) {
			const operation = document.paths[route.path]?.[route.method.toLowerCase()];
			assert.ok(operation !== undefined, route.path);
			const { security, admitsServices, admitsKeys, admitsCookie } = route.guard;
			const proofs = [
				{ [security]: [] },
				...(admitsServices === true ? [{ oauthToken: [] }] : []),
				...(admitsKeys === true ? [{ adminKey: [] }] : []),
				...(admitsCookie === true ? [{ sessionCookie: [] }] : []),
			];
			const none = route.endpoint.session === "renews" ? [{ sessionCookie: [] }, {}] : [];
			assert.deepEqual(
				[operation.operationId, operation.summary, operation.tags, operation.security],
				[route.endpoint.name, route.endpoint.summary, [route.tag], security === "none" ? none : proofs],
			);
			const described = Object.keys(operation.responses).filter((status) => status !== "default");
			const named = statusesOf(route)
				.map(String)
				.filter((status) => !isByDefault(route, status));
			assert.deepEqual(described, named, route.path);
		}
	});

	it("has unique operation names", () => {
		const names = [
			...routes.map(({ endpoint }) => endpoint.name),
			...mounted.map(({ operation }) => operation?.name),
		];
		assert.equal(new Set(names).size, names.length);
	});
});

describe("every documented route", () => {
	it("is served", async () => {
		const missing = new Set(["route.not_found", "route.method_not_allowed"]);
		for (const { method, path } of routes) {
			const concrete = path.replaceAll(/\{\w+\}/g, "01900000-0000-7000-8000-000000000000");
			const response = await service.call(method, concrete, {
				https: true,
				headers: { accept: "application/problem+json" },
			});
			assert.ok(!missing.has(response.body?.code), `${method} ${path}`);
		}
	});
});
