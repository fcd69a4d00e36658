// Every field of every body and every query parameter: its limits as LIMITS states them, and what is refused beyond them.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { importedUserSchema } from "../../src/features/identity/users/user-wire.ts";
import type { Route } from "../../src/http/describe/guard.ts";
import type { Schema } from "../../src/http/describe/schema.ts";
import { validator } from "../../src/http/describe/validation.ts";
import { type Admitted, nameOf, startAdmitted } from "./admitted.ts";
import { LIMITS, LIMITS_OF_ROUTES, type Limits } from "./limits.ts";
import type { Ids } from "./table.ts";
import { inWords, textOfLength, violationsOf } from "./violations.ts";

/** No test guesses the password of its caller, which would lock it. */
const WRONG_PASSWORD = "a password without owner";
const PROBLEM = { accept: "application/problem+json" };

let admitted: Admitted;
before(async () => {
	admitted = await startAdmitted();
});
after(() => admitted.service.stop());

type Field = readonly [name: string, schema: Schema<unknown>];
const fieldsOf = ({ endpoint }: Route): Field[] => Object.entries(endpoint.body?.properties ?? {});

/** The limits of a route, in the words of the tables. */
function limitsOf({ endpoint }: Route): Limits {
	const required = endpoint.body?.required ?? [];
	return Object.fromEntries([
		...Object.entries(endpoint.body?.properties ?? {}).map(([name, schema]) => [
			name,
			inWords(schema) + (required.includes(name) ? ", required" : ""),
		]),
		...Object.entries(endpoint.query).map(([name, { schema }]) => [`?${name}`, inWords(schema)]),
	]);
}

interface Refusal {
	readonly field: string;
	readonly code?: string;
}

async function refusalsOf(route: Route, ids: Ids, body: object): Promise<[number, readonly Refusal[]]> {
	const response = await admitted.send(route, { ids, body, headers: PROBLEM });
	return [response.status, response.body?.errors ?? []];
}

async function baseOf(route: Route): Promise<{ readonly ids: Ids; readonly body: object }> {
	const ids = await admitted.keptThings(route);
	return { ids, body: admitted.bodyOf(route, ids, WRONG_PASSWORD) ?? {} };
}

describe("the limits of fields and query parameters", () => {
	it("are those of the tables", () => {
		for (const route of admitted.routes) {
			const limits = limitsOf(route);
			const expected = Object.keys(limits).map((name) => [
				name,
				LIMITS_OF_ROUTES[`${nameOf(route)} ${name}`] ?? LIMITS[name],
			]);
			assert.deepEqual(limits, Object.fromEntries(expected), nameOf(route));
		}
	});

	it("are all in use", () => {
		const all = admitted.routes.map((route) => ({
			name: nameOf(route),
			fields: Object.keys(limitsOf(route)),
		}));
		const used = new Set(
			all.flatMap(({ name, fields }) => [...fields, ...fields.map((field) => `${name} ${field}`)]),
		);
		const tables = [...Object.keys(LIMITS), ...Object.keys(LIMITS_OF_ROUTES)];
		assert.deepEqual(
			tables.filter((name) => !used.has(name)),
			[],
		);
	});
});

describe("a value of a field", () => {
	it("beyond a limit, of another type, or in a wrong form returns 400 and is named, at any depth", async () => {
		const wrong: string[] = [];
		let count = 0;
		for (const route of admitted.routes) {
			const { ids, body } = await baseOf(route);
			for (const [name, schema] of fieldsOf(route))
				for (const { value, at, code } of violationsOf(schema, route.guard.security === "bearer")) {
					const [status, errors] = await refusalsOf(route, ids, { ...body, [name]: value });
					const isRight = status === 400 && errors.length === 1 && errors[0]?.field === name + at;
					count++;
					if (isRight && (code === undefined || errors[0]?.code === code)) continue;
					const shown = JSON.stringify(value).slice(0, 60);
					wrong.push(
						`${nameOf(route)} ${name}${at}: ${shown}: ${status} ${JSON.stringify(errors).slice(0, 200)}`,
					);
				}
		}
		assert.deepEqual(wrong, []);
		assert.ok(count > 1_500, `${count} values`);
	});

	it("beyond a limit is named in an import of users too", () => {
		const validate = validator(importedUserSchema);
		const user = { username: "ada", email: "ada@example.com" };
		assert.equal(validate({ ...user }), true);
		for (const [name, schema] of Object.entries(importedUserSchema.properties))
			for (const { value, at } of violationsOf(schema, false)) {
				const errors = validate({ ...user, [name]: value });
				assert.deepEqual(
					Array.isArray(errors) && errors.map(({ field }) => field),
					[name + at],
					String(value),
				);
			}
	});

	it("of exactly the longest length or the limit of a number is not refused for it", async () => {
		for (const route of admitted.routes) {
			const { ids, body } = await baseOf(route);
			for (const [name, schema] of fieldsOf(route)) {
				for (const value of edgesOf(schema)) {
					const [status, errors] = await refusalsOf(route, ids, { ...body, [name]: value });
					const reasons = errors.filter(({ field }) => field === name).map(({ code }) => code);
					const shown = `${nameOf(route)} ${name}: ${String(value).slice(0, 20)} ${status}`;
					for (const limit of ["characters_max", "minimum", "maximum", "blank"])
						assert.ok(!reasons.includes(limit), shown);
				}
			}
		}
	});
});

function edgesOf(schema: Schema<unknown>): unknown[] {
	if (schema.type === "integer") return [schema.minimum, schema.maximum].filter((edge) => edge !== undefined);
	if (schema.type !== "text" || schema.writeOnly === true || schema.maxLength === undefined) return [];
	return [textOfLength(schema, schema.maxLength)].filter((text) => text !== undefined);
}

describe("several wrong fields", () => {
	it("are all named, on every route", async () => {
		for (const route of admitted.routes) {
			const { ids } = await baseOf(route);
			const names = fieldsOf(route).map(([name]) => name);
			const strange = Object.fromEntries(names.map((name) => [name, 0.5]));
			if (names.length < 2) continue;
			const [status, errors] = await refusalsOf(route, ids, strange);
			assert.deepEqual(
				[status, errors.map(({ field }) => field).sort()],
				[400, names.sort().slice(0, 20)],
				nameOf(route),
			);
		}
	});
});

/** For each form of a parameter, values that have its length but not its form. */
const BAD_QUERIES: Readonly<Record<string, readonly string[]>> = {
	"date-time": ["yesterday", "2026-02-31T00:00:00Z", "2026-01-01T00:00:00", "2026-01-01"],
	email: ["lovelace", "a@b@c.example"],
	uuid: ["x", "00000000"],
};

/** Its texts are compared, not searched. */
const REFUSALS = "GET /api/v1/refusals";

describe("a query parameter", () => {
	it("in a wrong form, blank where it is exact, or with NUL returns 400 and is named", async () => {
		for (const route of admitted.routes) {
			const ids = await admitted.keptThings(route);
			for (const [name, { schema, isExact }] of Object.entries(route.endpoint.query)) {
				const format = schema.type === "text" ? (schema.format ?? "") : "";
				const blank = isExact === true ? ["", "%20"] : [];
				const isSearch = "maxLength" in schema && schema.maxLength === 200 && nameOf(route) !== REFUSALS;
				for (const value of [...(BAD_QUERIES[format] ?? []), ...blank, ...(isSearch ? ["a%00b"] : [])]) {
					const response = await admitted.send(route, { ids, query: `?${name}=${value}`, headers: PROBLEM });
					const fields = (response.body.errors ?? []).map(({ field }: Refusal) => field);
					assert.deepEqual([response.status, fields], [400, [name]], `${nameOf(route)}?${name}=${value}`);
				}
			}
		}
	});
});
