// Invalid bodies to every endpoint that takes one: a clear 400 or 413, never a 500, and no trace in the database.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SCOPES } from "../../src/domain/api-client.ts";
import { submit } from "../harness/access-requests.ts";
import { addApiClient, addApplication, addRole } from "../harness/applications.ts";
import { wholeSchema } from "../harness/openapi-schema.ts";
import { addPerson } from "../harness/people.ts";
import { ADMIN, type Answer, startTestService, type TestService } from "../harness/service.ts";
import type { Client } from "../harness/signed-endpoint.ts";

interface Operation {
	readonly name: string;
	readonly method: string;
	readonly path: string;
	readonly isSigned: boolean;
	readonly fields: Readonly<Record<string, { readonly type: string | readonly string[] }>>;
	readonly required: readonly string[];
}

let service: TestService;
let client: Client;
let operations: readonly Operation[];
/** What stands in a path for each kind of thing. */
const ids: Record<string, string> = {};
/** A value that each field could take. */
const GOOD: Readonly<Record<string, unknown>> = {
	email: "someone@partner.example",
	username: "someone",
	password: "a password without owner",
	current_password: "a password without owner",
	new_password: "another password without owner",
	code: "000000",
	expires_at: null,
	ip_allowlist: [],
	scopes: [],
	roles: [],
	permissions: [],
	redirect_uris: [],
	status: "active",
	access_policy: "open",
	email_verified: true,
	overlap_seconds: 0,
	homepage_url: "",
	logo_url: "",
	avatar_url: "",
	provider: "github",
};

before(async () => {
	service = await startTestService({ env: { LATCHKEY_LOG_LEVEL: "debug" } });
	const application = await addApplication(service);
	client = await addApiClient(service, { app_id: application.id, scopes: SCOPES });
	ids["access-requests"] = (await submit(service)).id;
	ids.users = (await addPerson(service, "target")).id;
	ids.applications = application.id;
	ids.roles = (await addRole(service, application.id, "role")).id;
	ids["api-clients"] = (await addApiClient(service)).id;
	operations = await readOperations();
});
after(() => service.stop());

async function readOperations(): Promise<Operation[]> {
	const document = (
		await service.call<{ readonly paths: Readonly<Record<string, object>> }>("GET", "/openapi.json")
	).body;
	const found: Operation[] = [];
	for (const [template, methods] of Object.entries<object>(document.paths)) {
		for (const [method, operation] of Object.entries(methods)) {
			const schema = operation.requestBody?.content["application/json"].schema;
			if (schema === undefined) continue;
			const { properties, required } = wholeSchema(document, schema);
			found.push({
				name: `${method.toUpperCase()} ${template}`,
				method: method.toUpperCase(),
				path: template.replaceAll(/([a-z-]+)\/\{\w+\}/g, (_, kind: string) => `${kind}/${ids[kind]}`),
				isSigned: operation.security.some((scheme: object) => "signed" in scheme),
				fields: properties as Operation["fields"],
				required,
			});
		}
	}
	return found;
}

async function send(operation: Operation, body: unknown, type = "application/json"): Promise<Answer> {
	const { method, path, isSigned } = operation;
	const headers = { "content-type": type };
	const answer = isSigned
		? await service.signed(client, method, path, { body, headers })
		: await service.call(method, path, { token: await service.adminToken(), body, headers });
	const shown = Buffer.isBuffer(body) ? body.toString("latin1") : (JSON.stringify(body) ?? "");
	assert.ok(answer.status < 500, `${operation.name} answered ${answer.status} to ${shown.slice(0, 200)}`);
	assert.ok(answer.headers["x-request-id"]);
	if (answer.status >= 400) {
		assert.deepEqual(Object.keys(answer.body), ["error"], operation.name);
		assert.equal(typeof answer.body.error, "string");
		assert.ok(answer.body.error.length < 4_000, "an error does not echo what was sent");
	}
	return answer;
}

async function eachOperation(work: (operation: Operation) => Promise<void>): Promise<void> {
	for (const operation of operations) await work(operation);
}

/** At most ten calls a minute; further ones are refused with any body. */
const isLimited = ({ path }: Operation): boolean => path.endsWith("/api-clients/validate");

/** Neither the process nor the next request has suffered. */
async function assertUnharmed(): Promise<void> {
	assert.equal(({} as Record<string, unknown>).polluted, undefined);
	assert.equal((await service.call("GET", "/health")).status, 200);
}

function goodBody({ required }: Operation): Record<string, unknown> {
	return Object.fromEntries(
		required.map((field) => [field, GOOD[field] ?? (field.endsWith("_id") ? ids.applications : "some text")]),
	);
}

const nested = (depth: number, inner = ""): string => "[".repeat(depth) + inner + "]".repeat(depth);

test("the operations are all there", () => assert.ok(operations.length >= 24));

describe("a body that is no JSON object", () => {
	const broken: Readonly<Record<string, string | Buffer>> = {
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
		null: "null",
		"an array": "[]",
		"an array of objects": "[{}]",
		"a text": '"text"',
		"a number": "7",
		true: "true",
		"30,000 arrays": nested(30_000),
		"half of 60,000 arrays": "[".repeat(60_000),
	};
	for (const [what, body] of Object.entries(broken)) {
		test(what, async () => {
			await eachOperation(async (operation) => {
				// A client's signature covers text; bytes are signed in test/wire/signed-order.test.ts.
				if (operation.isSigned && Buffer.isBuffer(body)) return;
				const { status } = await send(operation, body);
				if (!isLimited(operation)) assert.equal(status, 400, operation.name);
			});
			await assertUnharmed();
		});
	}

	test("an absent body, where fields are required", async () => {
		await eachOperation(async (operation) => {
			const { status } = await send(operation, "");
			if (operation.required.length > 0 && !isLimited(operation)) assert.equal(status, 400, operation.name);
		});
	});
});

describe("a body of another type or size", () => {
	test("a content type that is not JSON, or none", async () => {
		const types = ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "json", ";"];
		for (const type of [...types, "application/json-patch+json", "multipart/form-data; boundary=x"]) {
			await eachOperation(async (operation) => {
				const { status } = await send(operation, "{}", type);
				if (!isLimited(operation)) assert.equal(status, 400, `${operation.name} ${type}`);
			});
		}
	});

	test("JSON with parameters, in any case, is JSON", async () => {
		for (const type of ["application/json;charset=utf-8", "Application/JSON ; a=b", "application/json;"]) {
			const answer = await service.call("POST", "/api/v1/auth/register/send-code", {
				body: { email: "types@partner.example" },
				headers: { "content-type": type },
			});
			assert.ok([200, 429].includes(answer.status), type);
		}
	});

	test("65,536 bytes are read, 65,537 are not", async () => {
		await eachOperation(async (operation) => {
			if (isLimited(operation)) return;
			const padded = (bytes: number): string => `[${" ".repeat(bytes - 2)}]`;
			assert.equal((await send(operation, padded(65_536))).status, 400, operation.name);
			const tooLarge = await send(operation, padded(65_537));
			assert.equal(tooLarge.status, 413, operation.name);
			assert.deepEqual(tooLarge.body, { error: "body must be at most 65536 bytes" });
			assert.equal((await send(operation, padded(1 << 17))).status, 413, operation.name);
		});
	});
});

describe("a field with any invalid value", () => {
	const deep = JSON.parse(nested(5_000));
	const values: readonly unknown[] = [
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

	test("a value of another type is 400, any other is at least no 500", async () => {
		await eachOperation(async (operation) => {
			for (const [field, { type }] of Object.entries(operation.fields)) {
				for (const value of values) {
					const answer = await send(operation, { ...goodBody(operation), [field]: value });
					if (![type].flat().includes(typeOf(value)) && !isLimited(operation))
						assert.equal(answer.status, 400, `${operation.name} ${field}: ${typeOf(value)}`);
					assert.equal(answer.headers["x-injected"], undefined);
				}
			}
		});
		await assertUnharmed();
	});

	test("a required field that is missing is named", async () => {
		await eachOperation(async (operation) => {
			if (isLimited(operation)) return;
			for (const field of operation.required) {
				const { [field]: _, ...rest } = goodBody(operation);
				const answer = await send(operation, rest);
				assert.equal(answer.status, 400, `${operation.name} without ${field}`);
				assert.match(answer.body.error, new RegExp(`\\b${field} is required`));
			}
		});
	});

	test("__proto__ and constructor change nothing, wherever they stand", async () => {
		const evil = '{"polluted":true,"status":"approved","isAdmin":true}';
		for (const key of [
			"__proto__",
			"\\u005f_proto__",
			"constructor",
			"prototype",
			"toString",
			"hasOwnProperty",
		]) {
			for (const value of [evil, `{"prototype":${evil}}`, "1", "null", nested(1_000)]) {
				await eachOperation(async (operation) => {
					const inner = JSON.stringify(goodBody(operation)).slice(1);
					await send(operation, `{"${key}":${value}${inner === "}" ? "" : ","}${inner}`);
				});
			}
		}
		await assertUnharmed();
	});

	test("6,000 unknown fields, or one said twice, are no trouble", async () => {
		const many = Array.from({ length: 6_000 }, (_, index) => `"f${index}":0`).join();
		await eachOperation(async (operation) => {
			await send(operation, `{${many}}`);
			const [field = "name"] = Object.keys(operation.fields);
			await send(operation, `{"${field}":"a","${field}":{}}`);
		});
		await assertUnharmed();
	});

	test("6,000 wrong entries of a list are complained about within reason", async () => {
		for (const field of ["ip_allowlist", "scopes"]) {
			const body = JSON.stringify({ [field]: Array.from({ length: 6_000 }, (_, index) => `x${index}`) });
			const path = `/api/v1/api-clients/${ids["api-clients"]}`;
			const answer = await service.call("PATCH", path, { token: await service.adminToken(), body });
			assert.equal(answer.status, 400);
			assert.ok(answer.body.error.length < 4_000, field);
		}
	});
});

describe("the log, after all of it", () => {
	test("has no unexpected error and no secret", () => {
		const lines = service.logs().trim().split("\n");
		assert.ok(lines.length > 1_000);
		for (const line of lines) {
			assert.ok(JSON.parse(line).level < 50, line);
			assert.equal(/"stack"|node_modules/.test(line), false, line);
		}
		const text = service.logs();
		for (const secret of [ADMIN.password, client.secret, "a password without owner", "Bearer "])
			assert.equal(text.includes(secret), false, secret);
	});
});
