// What the toolkit checks for every route: ids in paths, names, paging, media types, JSON, and the types of fields.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { PageBody } from "../../src/http/describe/endpoint.ts";
import type { Route } from "../../src/http/describe/guard.ts";
import { plainJsonSchema } from "../../src/http/describe/json-schema.ts";
import { bodySchemaOf } from "../../src/http/describe/known-names.ts";
import { BODY_LIMIT_BYTES } from "../../src/http/run/body.ts";
import { isPaged } from "../../src/http/run/handler.ts";
import type { ErrorCode } from "../../src/kernel/error.ts";
import { problem } from "../../src/kernel/field-reason.ts";
import { ABSENT_ID } from "../harness/access/applications.ts";
import { atDepth, type Depth } from "../harness/runs/depth.ts";
import { ADMIN, type CallResponse } from "../harness/service/service.ts";
import { type Admitted, type AdmittedRequest, nameOf, startAdmitted } from "../matrix/admitted.ts";

const UNKNOWN = "surprise";
const PROBLEM = { accept: "application/problem+json" };
const WRONG_PASSWORD = "a password without owner";

let admitted: Admitted;
before(async () => {
	admitted = await startAdmitted({ LATCHKEY_LOG_LEVEL: "debug" });
});
after(() => admitted.service.stop());

const isBearer = ({ guard }: Route): boolean => guard.security === "bearer";
const isSigned = ({ guard }: Route): boolean => guard.security === "signed";
const routesWhere = (holds: (route: Route) => boolean): Route[] => admitted.routes.filter(holds);
const routesWithBody = (): Route[] => routesWhere(({ endpoint }) => endpoint.body !== undefined);

type Field = { readonly type?: string | readonly string[] };
const fieldsOf = ({ endpoint }: Route): [string, Field][] =>
	Object.entries(endpoint.body?.properties ?? {}).map(([name, field]) => [name, plainJsonSchema(field)]);
const requiredOf = ({ endpoint }: Route): readonly string[] => endpoint.body?.required ?? [];

/**
 * Some of the values for the case of this index, so that neighboring cases use different ones and all cases together
 * use all. Runs with every repetition use all values in each case.
 */
function some<T>(
	values: readonly T[],
	index: number,
	counts: Readonly<Record<Exclude<Depth, "long">, number>>,
): T[] {
	const count = Math.min(values.length, atDepth({ ...counts, long: values.length }));
	return Array.from({ length: count }, (_, next) => values[(index * count + next) % values.length] as T);
}

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

/** Sends the request and checks what every response must satisfy. */
async function send(route: Route, request: AdmittedRequest): Promise<CallResponse> {
	const response = await admitted.send(route, { ...request, headers: { ...PROBLEM, ...request.headers } });
	const { body } = request;
	const shown = Buffer.isBuffer(body) ? body.toString("latin1") : (JSON.stringify(body) ?? "");
	assert.ok(response.status < 500, `${nameOf(route)} returned ${response.status} for ${shown.slice(0, 200)}`);
	assert.ok(response.headers["x-request-id"]);
	assert.equal(response.headers["x-injected"], undefined);
	if (response.status >= 400)
		assert.ok(response.body.detail.length < 4_000, "an error does not echo the request");
	return response;
}

/** A request about existing records with a body that the schema accepts. */
async function validRequest(
	route: Route,
	password?: string,
): Promise<{ ids: Readonly<Record<string, string>>; body: object | undefined }> {
	const ids = await admitted.keptThings(route);
	return { ids, body: admitted.bodyOf(route, ids, password) };
}

function assertCode(response: CallResponse, status: number, code: ErrorCode, name: string): void {
	assert.deepEqual(
		[response.status, response.body.code],
		[status, code],
		`${name}: ${JSON.stringify(response.body)}`,
	);
}

/** Asserts a 400 that names exactly this field. */
function assertNamed(response: CallResponse, field: string, name: string): void {
	assertCode(response, 400, "request.invalid", name);
	const fields = response.body.errors.map((error: { readonly field: string }) => error.field);
	assert.deepEqual(fields, [field], name);
}

async function assertUnharmed(): Promise<void> {
	assert.equal(({} as Record<string, unknown>).polluted, undefined);
	assert.equal((await admitted.service.call("GET", "/health")).status, 200);
}

describe("an id in a path", () => {
	const MALFORMED = [
		"",
		"1",
		"-1",
		"null",
		"%20",
		"%00",
		"%zz",
		"%ff",
		`${ABSENT_ID}%00`,
		`${ABSENT_ID}%20`,
		`{${ABSENT_ID}}`,
		ABSENT_ID.replaceAll("-", ""),
		`${ABSENT_ID.slice(0, -1)}g`,
		"%F0%9F%98%80",
		"__proto__",
		"constructor",
		"a".repeat(101),
		"a".repeat(10_000),
		"..%2f..%2fusers",
		"*",
	];

	const isName = (id: string, pattern: RegExp): boolean => /^[\w-]*$/.test(id) && pattern.test(id);

	// test/matrix/every-route.test.ts covers 404 for absent ids.
	it("that is malformed returns 404 like an absent one, for every parameter of every route", async () => {
		let index = 0;
		for (const route of admitted.routes) {
			const { ids, names, pathParameters } = route.endpoint;
			for (const parameter of pathParameters) {
				const valid = await validRequest(route);
				const { code, pattern } = names[parameter] ?? { code: ids[parameter] as ErrorCode };
				const malformed = MALFORMED.filter((id) => pattern === undefined || !isName(id, pattern));
				for (const id of some(malformed, index++, { quick: 4, all: 10 })) {
					const response = await send(route, { ...valid, ids: { ...valid.ids, [parameter]: id } });
					assertCode(response, 404, code, `${nameOf(route)}, ${parameter}: ${id.slice(0, 50)}`);
				}
			}
		}
	});
});

describe("a query", () => {
	it("with an unknown name returns 400 on every Bearer route and lists the known names", async () => {
		for (const route of routesWhere(isBearer)) {
			const response = await send(route, { ...(await validRequest(route)), query: `?${UNKNOWN}=1` });
			assertNamed(response, UNKNOWN, nameOf(route));
			const message = response.body.errors[0]?.message ?? "";
			assert.match(message, /^is unknown; /, nameOf(route));
			for (const known of Object.keys(route.endpoint.query))
				assert.ok(message.includes(known), nameOf(route));
		}
	});

	it("with a parameter twice returns 400 and names it, for every parameter of every route", async () => {
		for (const route of admitted.routes) {
			const valid = await validRequest(route);
			for (const parameter of Object.keys(route.endpoint.query)) {
				const response = await send(route, { ...valid, query: `?${parameter}=x&${parameter}=x` });
				const name = `${nameOf(route)}?${parameter}`;
				assertCode(response, 400, "request.invalid", name);
				assert.ok(response.body.detail.includes(`${parameter} must not be repeated`), name);
			}
		}
	});

	it("with a value that is invalid or one character too long returns 400 and names it, for every parameter", async () => {
		for (const route of admitted.routes) {
			const valid = await validRequest(route);
			for (const [parameter, { schema }] of Object.entries(route.endpoint.query)) {
				const text = schema.type === "list" ? schema.items : schema;
				const length = ((text.type === "text" ? text.maxLength : undefined) ?? 100) + 1;
				const response = await send(route, { ...valid, query: `?${parameter}=${"x".repeat(length)}` });
				assertNamed(response, parameter, `${nameOf(route)}?${parameter}`);
			}
		}
	});

	it("accepts the limits of page and page_size", async () => {
		const EDGES = [
			["", [1, 20]],
			["?page=1&page_size=1", [1, 1]],
			["?page_size=100", [1, 100]],
			["?page=1000000000", [1_000_000_000, 20]],
			["?%70age=2", [2, 20]],
		] as const;
		for (const [index, route] of routesWhere(({ endpoint }) => isPaged(endpoint)).entries()) {
			const { ids } = await validRequest(route);
			for (const [query, expected] of some(EDGES, index, { quick: 2, all: 5 })) {
				const { status, body } = await send(route, { ids, query });
				const { page, page_size } = body as unknown as PageBody<unknown>;
				assert.deepEqual([status, page, page_size], [200, ...expected], nameOf(route) + query);
			}
		}
	});

	it("with another page or page_size returns 400 and names it", async () => {
		const WRONG = [
			"0",
			"-1",
			"1.0",
			"1e1",
			"0x1",
			"01",
			"%201",
			"1%20",
			"+1",
			"%2B1",
			"1,2",
			"",
			"NaN",
			"%D9%A1",
		];
		const QUERIES = [
			...WRONG.map((value) => ["page", `page=${value}`] as const),
			["page", "page"],
			["page", "page=1000000001"],
			["page", "page=99999999999999999999"],
			["page", "page=1&page=2"],
			["page_size", "page_size=0"],
			["page_size", "page_size=101"],
			["page_size", "page_size=-20"],
			["page_size", "page_size=1&page_size=1"],
			["page_size", "page_size=1e1"],
			["unknown", "unknown=1&page=2"],
			["Page", "Page=2"],
		] as const;
		for (const [index, route] of routesWhere(({ endpoint }) => isPaged(endpoint)).entries()) {
			for (const [field, query] of some(QUERIES, index, { quick: 5, all: 10 })) {
				// Signed routes ignore unknown names.
				if (isSigned(route) && !query.startsWith("page")) continue;
				assertNamed(await send(route, { query: `?${query}` }), field, `${nameOf(route)}?${query}`);
			}
		}
	});
});

describe("a body that is not a JSON object", () => {
	const BROKEN: Readonly<Record<string, string | Buffer>> = {
		"half an object": "{",
		"half a text": '{"a',
		"two objects": "{}{}",
		"a comment": "{}//",
		"single quotes": "{'a':1}",
		"a trailing comma": '{"a":1,}',
		NaN: '{"a":NaN}',
		"a form": "a=1&b=2",
		XML: "<a/>",
		"a control character": '{"a":"\u0001"}',
		"NUL bytes": "\0\0",
		"invalid UTF-8": Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
		"overlong UTF-8": Buffer.from('{"a":"\xc0\xaf"}', "latin1"),
		"an encoded surrogate": Buffer.from('{"a":"\xed\xa0\x80"}', "latin1"),
		"UTF-16": Buffer.from('{"a":1}', "utf16le"),
		gzip: Buffer.from("1f8b0800000000000003ab05000000ffff", "hex"),
		"half of 60,000 arrays": "[".repeat(60_000),
	};
	const OTHER = ["null", "[]", "[{}]", '"text"', "7", "true", nested(30_000)];

	it("returns 400 on every route that accepts a body", async () => {
		for (const [index, route] of routesWithBody().entries()) {
			for (const [what, body] of some(Object.entries(BROKEN), index, { quick: 2, all: 6 })) {
				// Signed calls cover only text here; test/wire/signed-order.test.ts signs bytes.
				if (isSigned(route) && Buffer.isBuffer(body)) continue;
				assertCode(await send(route, { body }), 400, "request.malformed", `${nameOf(route)}: ${what}`);
			}
			for (const body of some(OTHER, index, { quick: 2, all: 3 }))
				assertNamed(await send(route, { body }), "", `${nameOf(route)}: ${body.slice(0, 20)}`);
		}
		await assertUnharmed();
	});

	it("returns 400 with a content type that is not JSON", async () => {
		const TYPES = [
			"",
			"text/plain",
			"application/x-www-form-urlencoded",
			"application/jsonp",
			"json",
			";",
			"application/json-patch+json",
			"multipart/form-data; boundary=x",
		];
		for (const [index, route] of routesWithBody().entries()) {
			for (const type of some(TYPES, index, { quick: 1, all: 3 })) {
				const response = await send(route, { body: "{}", headers: { "content-type": type } });
				assertCode(response, 400, "request.content_type", `${nameOf(route)} ${type}`);
			}
		}
	});

	it("returns 415 when it is compressed, on every route that reads a body", async () => {
		const ENCODINGS = ["gzip", "br", "GZIP", "identity, gzip", "unknown"];
		const reads = (route: Route): boolean =>
			route.endpoint.body !== undefined || (isBearer(route) && route.method !== "GET");
		for (const [index, route] of routesWhere(reads).entries()) {
			for (const encoding of some(ENCODINGS, index, { quick: 1, all: 2 })) {
				const response = await send(route, { body: "{}", headers: { "content-encoding": encoding } });
				assertCode(response, 415, "request.content_encoding", `${nameOf(route)} ${encoding}`);
				assert.equal(response.headers["accept-encoding"], "identity");
			}
		}
		const { service } = admitted;
		const headers = { "content-type": "application/x-www-form-urlencoded", "content-encoding": "gzip" };
		const token = await service.call("POST", "/oauth/token", { body: "grant_type=x", headers });
		assert.deepEqual([token.status, token.body.error], [415, "invalid_request"]);
		const plain = { "content-encoding": "identity" };
		const accepted = await service.call("POST", "/api/v1/auth/passkey", {
			body: { assertion: {} },
			headers: plain,
		});
		assert.equal(accepted.status, 401);
	});

	it("is accepted with any parameters of the JSON content type, in any case", async () => {
		for (const type of ["application/json;charset=utf-8", "Application/JSON ; a=b", "application/json;"]) {
			const response = await admitted.service.call("POST", "/api/v1/auth/passkey", {
				body: { assertion: {} },
				headers: { "content-type": type },
			});
			assert.equal(response.status, 401, type);
		}
	});

	it("is read up to 65,536 bytes and refused with 413 above", async () => {
		const padded = (bytes: number): string => `[${" ".repeat(bytes - 2)}]`;
		const routes = routesWithBody();
		const sampled = some(routes, 0, { quick: 8, all: 24 });
		for (const route of new Set([...sampled, ...routes.filter(isSigned)])) {
			assertNamed(await send(route, { body: padded(BODY_LIMIT_BYTES) }), "", nameOf(route));
			for (const bytes of [BODY_LIMIT_BYTES + 1, 1 << 17]) {
				const response = await send(route, { body: padded(bytes) });
				assertCode(response, 413, "request.too_large", nameOf(route));
				assert.equal(response.body.detail, "body must be at most 65536 bytes");
			}
		}
		assert.equal(BODY_LIMIT_BYTES, 65_536);
	});

	it("is accepted without fields by a route without a body", async () => {
		const { service } = admitted;
		const { id } = await service.addUser({
			username: "ada",
			email: "ada@example.org",
			password: "analytical engine",
		});
		const path = `/api/v1/users/${id}/sessions/revoke`;
		for (const body of [undefined, "", "{}", "null", "[]", "no json"]) {
			const response = await service.callAsAdmin("POST", path, { body });
			assert.equal(response.status, 200, JSON.stringify(body));
		}
		const headers = { "content-type": "text/plain" };
		assert.equal((await service.callAsAdmin("POST", path, { body: "x", headers })).status, 200);
	});
});

describe("an unknown field", () => {
	it("returns 400 on every Bearer route that may have a JSON body", async () => {
		const takesFields = (route: Route): boolean =>
			isBearer(route) && route.method !== "GET" && route.endpoint.file === undefined;
		for (const route of routesWhere(takesFields)) {
			const { ids, body } = await validRequest(route);
			const response = await send(route, { ids, body: { ...body, [UNKNOWN]: 1 } });
			assertNamed(response, UNKNOWN, nameOf(route));
			assert.match(response.body.errors[0]?.message ?? "", /^is unknown; /, nameOf(route));
		}
	});

	it("inside an object of a body returns 400 and named with its path", async () => {
		const admin = { username: "nested", email: "n@example.org", password: "a nested password", pasword: "x" };
		const response = await admitted.service.callAsAdmin("POST", "/api/v1/tenants", {
			body: { name: "Nested", slug: "nested", admin },
			headers: PROBLEM,
		});
		assert.equal(response.status, 400);
		assert.deepEqual(response.body.errors, [
			{ field: "admin.pasword", ...problem("similar_name", { name: "password" }) },
		]);
	});

	it("is refused with the nearest known name, or with all known names", async () => {
		const errorOf = async (body: object): Promise<string> =>
			(await admitted.service.callAsAdmin("POST", "/api/v1/applications", { body })).body.error;
		assert.equal(
			await errorOf({ name: "A", descripton: "x" }),
			"descripton is unknown; did you mean description?",
		);
		assert.match(
			await errorOf({ name: "A", zzzzzzzz: 1 }),
			/^zzzzzzzz is unknown; accepted fields: name, slug, /,
		);
		assert.match(await errorOf({ nmae: "A" }), /name is required.*nmae is unknown; did you mean name\?/);
	});

	it("is matched first by a field that the body does not have yet", async () => {
		const body = { old_password: "x", new_password: "a new password" };
		const { body: refused } = await admitted.service.callAsAdmin("PUT", "/api/v1/users/me/password", {
			body,
		});
		assert.match(refused.error, /current_password is required/);
		assert.match(refused.error, /old_password is unknown; did you mean current_password\?/);
		const twice = { name: "A", names: "B" };
		const other = await admitted.service.callAsAdmin("POST", "/api/v1/applications", { body: twice });
		assert.equal(other.body.error, "names is unknown; did you mean name?");
	});

	it("is refused in fewer than 2,000 characters at any length and number, like an unknown parameter", async () => {
		const many = Object.fromEntries(
			Array.from({ length: 900 }, (_, index) => [`${index}${"x".repeat(50)}`, 1]),
		);
		const alone = ["y".repeat(60_000), "", "\u0000", "😀".repeat(9_000)].map((name) => ({ [name]: 1 }));
		for (const extra of [...alone, many]) {
			const query = new URLSearchParams(Object.keys(extra).map((name) => [name.slice(0, 100), "1"]));
			const path = `/api/v1/applications?${query.toString().slice(0, 8_000)}`;
			const responses = [
				await admitted.service.callAsAdmin("POST", "/api/v1/applications", { body: { name: "A", ...extra } }),
				await admitted.service.callAsAdmin("GET", path),
			];
			for (const { status, body } of responses) {
				assert.equal(status, 400);
				assert.ok(body.error.length < 2_000, body.error);
			}
		}
	});

	it("that only the service can set has no effect", async () => {
		let assigned = 0;
		for (const route of routesWhere(isBearer)) {
			const names = bodySchemaOf(route, admitted.routes)?.ignored ?? [];
			if (names.length === 0) continue;
			const ids = await admitted.createRecords(route);
			const extra = Object.fromEntries(names.map((name) => [name, "chosen by the caller"]));
			const response = await send(route, { ids, body: { ...admitted.bodyOf(route, ids), ...extra } });
			const name = `${nameOf(route)}: ${JSON.stringify(response.body)}`;
			assert.equal(response.status, admitted.rowOf(route).ok, name);
			assert.doesNotMatch(name, /chosen by the caller/);
			assigned += names.length;
		}
		assert.ok(assigned > 50, `${assigned} fields`);
	});

	it("is ignored in the query and body of every public, sign-in and signed route", async () => {
		for (const route of routesWhere((found) => !isBearer(found))) {
			const ids = await admitted.createRecords(route);
			const body = admitted.bodyOf(route, ids);
			const extra = body === undefined ? undefined : { ...body, [UNKNOWN]: { deep: [1] } };
			const response = await send(route, { ids, query: `?${UNKNOWN}=1&${UNKNOWN}=2`, body: extra });
			const name = `${nameOf(route)}: ${JSON.stringify(response.body)}`;
			assert.equal(response.status, admitted.rowOf(route).ok, name);
			assert.ok(!name.includes(UNKNOWN), name);
		}
	});
});

describe("a known field", () => {
	it("that is required and missing returns 400 and named, on every route", async () => {
		for (const route of routesWithBody()) {
			const { ids, body } = await validRequest(route);
			for (const field of requiredOf(route)) {
				const { [field]: _, ...rest } = body as Record<string, unknown>;
				const response = await send(route, { ids, body: rest });
				assertNamed(response, field, nameOf(route));
				assert.equal(response.body.errors[0]?.message, "is required", nameOf(route));
			}
			if (requiredOf(route).length > 0)
				assertCode(
					await send(route, { ids, body: "" }),
					400,
					"request.invalid",
					`${nameOf(route)} without a body`,
				);
		}
	});

	const deep: unknown = JSON.parse(nested(5_000));
	const VALUES: readonly unknown[] = [
		null,
		7,
		-1,
		0.5,
		1e308,
		true,
		{},
		[],
		[null],
		deep,
		[deep, deep],
		{ length: 1 },
		{ toString: "x" },
		"",
		" \t\n",
		"\0",
		"a\0b",
		"\ud800",
		"\udc00a",
		"\u202e\u0000",
		"😀".repeat(3_000),
		"a".repeat(40_000),
		"__proto__",
		"constructor",
		"' OR 1=1 --",
		"{{7*7}}<script>alert(1)</script>\r\nX-Injected: 1",
		"../../../../etc/passwd",
		"9".repeat(400),
	];
	const typeOf = (value: unknown): string => {
		if (value === null) return "null";
		if (Array.isArray(value)) return "array";
		return Number.isInteger(value) ? "integer" : typeof value;
	};

	it("of another type returns 400 and is named, and no value of the right type returns 500", async () => {
		let index = 0;
		for (const route of routesWithBody()) {
			for (const [field, { type = [] }] of fieldsOf(route)) {
				const { ids, body } = await validRequest(route, WRONG_PASSWORD);
				const fits = (value: unknown): boolean => type.length === 0 || [type].flat().includes(typeOf(value));
				index++;
				for (const value of some(
					VALUES.filter((found) => !fits(found)),
					index,
					{ quick: 1, all: 4 },
				)) {
					const response = await send(route, { ids, body: { ...body, [field]: value } });
					assertNamed(response, field, `${nameOf(route)} ${field}: ${typeOf(value)}`);
				}
				for (const value of some(VALUES.filter(fits), index, { quick: 1, all: 4 }))
					await send(route, { ids, body: { ...body, [field]: value } });
			}
		}
		await assertUnharmed();
	});

	it("named __proto__ or constructor changes nothing", async () => {
		const evil = '{"polluted":true,"status":"approved","isAdmin":true}';
		const KEYS = ["__proto__", "\\u005f_proto__", "constructor", "prototype", "toString", "hasOwnProperty"];
		const MEMBERS = [evil, `{"prototype":${evil}}`, "1", "null", nested(1_000)].flatMap((value) =>
			KEYS.map((key) => `"${key}":${value}`),
		);
		for (const [index, route] of routesWithBody().entries()) {
			const { ids, body } = await validRequest(route, WRONG_PASSWORD);
			const inner = JSON.stringify(body ?? {}).slice(1);
			for (const member of some(MEMBERS, index, { quick: 2, all: 8 }))
				await send(route, { ids, body: `{${member}${inner === "}" ? "" : ","}${inner}` });
		}
		await assertUnharmed();
	});

	it("sent twice, or beside 6,000 unknown ones, causes no server error", async () => {
		const many = `{${Array.from({ length: 6_000 }, (_, index) => `"f${index}":0`).join()}}`;
		for (const [index, route] of routesWithBody().entries()) {
			const [field = "name"] = fieldsOf(route)[0] ?? [];
			for (const body of some([many, `{"${field}":"a","${field}":{}}`], index, { quick: 1, all: 2 }))
				await send(route, { body });
		}
		await assertUnharmed();
	});

	it("with 6,000 invalid entries is refused in fewer than 4,000 characters", async () => {
		const route = admitted.routes.find(
			(found) => nameOf(found) === "PATCH /api/v1/api-clients/{id}",
		) as Route;
		const entries = Array.from({ length: 6_000 }, (_, index) => `x${index}`);
		for (const field of ["ip_allowlist", "scopes"])
			assert.equal((await send(route, { body: { [field]: entries } })).status, 400);
	});
});

describe("the log, after these requests", () => {
	it("contains no unexpected error and no secret", () => {
		const text = admitted.service.logs();
		const lines = text.trim().split("\n");
		assert.ok(lines.length > 1_000);
		for (const line of lines) {
			assert.ok(JSON.parse(line).level < 50, line);
			assert.equal(/"stack"|node_modules/.test(line), false, line);
		}
		for (const secret of [ADMIN.password, WRONG_PASSWORD, "Bearer "])
			assert.equal(text.includes(secret), false, secret);
	});
});
