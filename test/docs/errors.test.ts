import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import type { Route } from "../../src/http/describe/guard.ts";
import { errorCodesOf } from "../../src/http/openapi/openapi-errors.ts";
import { STATUS_OF_KIND } from "../../src/http/run/reply.ts";
import { ERROR_KINDS, type ErrorCode } from "../../src/kernel/error.ts";
import { mapOfRoutes } from "../harness/service/routes.ts";
import { bare, readDocument, sections, tableRows } from "./document.ts";

const codes = Object.keys(ERROR_KINDS) as ErrorCode[];
const statusOf = (code: ErrorCode): number => STATUS_OF_KIND[ERROR_KINDS[code]];

describe("docs/errors.md", () => {
	const documented = [...sections(readDocument("docs/errors.md"))].flatMap(([status, text]) =>
		tableRows(text).map((cells) => ({ status: Number(status), cells })),
	);

	it("has every error code once, under its status, and no other", () => {
		assert.deepEqual(
			documented.map(({ status, cells }) => `${status} ${bare(cells[0] ?? "")}`).sort(),
			codes.map((code) => `${statusOf(code)} ${code}`).sort(),
		);
	});

	it("has its statuses in order, and one for every kind of error", () => {
		const statuses = documented.map(({ status }) => status);
		assert.deepEqual(
			statuses,
			statuses.toSorted((a, b) => a - b),
		);
		assert.deepEqual(
			[...new Set(statuses)],
			Object.values(STATUS_OF_KIND).sort((a, b) => a - b),
		);
	});

	it("explains each code and what to do", () => {
		for (const { cells } of documented) {
			assert.equal(cells.length, 3, cells[0] ?? "");
			for (const cell of cells) assert.match(cell, /\S.{3,}/, cells[0] ?? "");
		}
	});
});

describe("error codes", () => {
	it("are all returned by some code", () => {
		const files = globSync("src/**/*.ts", { exclude: ["**/*.test.ts", "src/kernel/error.ts"] });
		const source = files.map((file) => readFileSync(file, "utf8")).join("\n");
		assert.deepEqual(
			codes.filter((code) => !source.includes(`"${code}"`)),
			[],
		);
	});

	describe("on the map of routes", () => {
		let routes: readonly Route[];
		before(async () => {
			routes = await mapOfRoutes();
		});

		it("are listed by the routes that return them, except those of the toolkit, of the gate, and of directories", () => {
			const named = new Set(routes.flatMap(errorCodesOf));
			assert.deepEqual(codes.filter((code) => !named.has(code)).sort(), [
				"application.disabled",
				"gate.body_unbound",
				"gate.caller_kind",
				"gate.key",
				"gate.no_rule",
				"gate.origin",
				"gate.path",
				"gate.request",
				"gate.sign_in",
				"gate.test_client",
				"gate.two_proofs",
				"route.method_not_allowed",
				"route.not_found",
				"scim.invalid_filter",
				"scim.invalid_path",
				"scim.invalid_syntax",
				"scim.invalid_value",
				"scim.no_target",
				"scim.not_found",
				"scim.uniqueness",
				"session.ended",
			]);
		});
	});
});
