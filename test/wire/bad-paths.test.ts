// Invalid paths, methods, and queries: 404, 405 with Allow, and 400, in both error formats.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { ABSENT_ID } from "../harness/access/applications.ts";
import { fixture, setup } from "../harness/runs/fixture.ts";
import { exchange, type RawResponse } from "../harness/service/raw-connection.ts";
import { mapOfRoutes } from "../harness/service/routes.ts";
import { type CallResponse, startTestService } from "../harness/service/service.ts";

let token: string;
const service = fixture(() => startTestService());
setup(async () => {
	token = await service.adminToken();
});
after(async () => {
	for (const line of service.logs().trim().split("\n")) assert.ok(JSON.parse(line).level < 50, line);
	await service.stop();
});

const raw = (method: string, target: string, headers = ""): Promise<RawResponse> =>
	exchange(service, `${method} ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`, { head: method === "HEAD" });
const get = (path: string, headers = {}): Promise<CallResponse> =>
	service.call("GET", path, { token, headers });

describe("an unknown path", () => {
	test("returns 404 for every method and any characters", async () => {
		for (const path of [
			"/",
			"/nothing",
			"/api",
			"/api/v1",
			"/api/v1/",
			"/api/v2/users/me",
			"/api/v1/users/me/",
			"//api/v1/users/me",
			"/api/v1//users/me",
			"/API/v1/users/me",
			"/api/v1/users/ME/x",
			"/api/v1/./users",
			"/api/v1/x/../users",
			"/api/v1/users/me;a=1/x",
			"/health/",
			"/Health",
			"/health/..",
			"/__proto__",
			"/constructor",
			"/%00",
			"/%zz",
			"/%",
			"/%ff",
			"/%2e%2e/%2e%2e/etc/passwd",
			"/..%2f..%2fetc/passwd",
			"/docs/../master.key",
			"/pages/..%2fserver.ts",
			"/pages/%2e%2e/server.ts",
			`/${"a/".repeat(4_000)}`,
		]) {
			for (const method of ["GET", "POST", "DELETE", "OPTIONS", "PROPFIND"]) {
				const response = await raw(method, path);
				assert.equal(response.status, 404, `${method} ${path}`);
				assert.deepEqual(response.body, { error: "no such resource" });
				assert.ok(response.headers["x-request-id"]);
			}
		}
	});

	test("includes an asterisk and a URL of another host", async () => {
		assert.equal((await raw("OPTIONS", "*")).status, 404);
		assert.equal((await raw("GET", "http://evil.example/nothing")).status, 404);
		assert.equal((await raw("GET", "http://evil.example")).status, 404);
	});

	test("returns 404 for other methods where GET may find nothing", async () => {
		for (const path of ["/", "/pages/page-1a2b.js"])
			assert.equal((await raw("POST", path)).status, 404, path);
	});

	test("returns 404 before the body is read", async () => {
		const response = await raw("POST", "/nothing", "Content-Type: ;;\r\nContent-Length: 999999999\r\n");
		assert.equal(response.status, 404);
	});
});

describe("a known path", () => {
	test("returns 405 with Allow for another method", async () => {
		for (const [method, path, allow] of [
			["DELETE", "/health", "GET, HEAD"],
			["OPTIONS", "/health", "GET, HEAD"],
			["POST", "/openapi.json", "GET, HEAD"],
			["POST", "/claim", "GET, HEAD"],
			["GET", "/api/v1/auth/login", "POST"],
			["HEAD", "/api/v1/auth/login", "POST"],
			["PUT", "/api/v1/users", "GET, HEAD, POST"],
			["POST", `/api/v1/users/${ABSENT_ID}`, "DELETE, GET, HEAD, PATCH"],
			["POST", "/api/v1/users/not-an-id", "DELETE, GET, HEAD, PATCH"],
			["TRACE", "/api/v1/requests", "GET, HEAD"],
			["PATCH", `/api/v1/applications/${ABSENT_ID}/grants/users/${ABSENT_ID}`, "DELETE, PUT"],
			["QUERY", "/api/v1/users", "GET, HEAD, POST"],
			["PURGE", "/api/v1/users?page=0", "GET, HEAD, POST"],
		] as const) {
			const response = await raw(method, path);
			assert.equal(response.status, 405, `${method} ${path}`);
			assert.equal(response.headers.allow, allow, `${method} ${path}`);
			if (method !== "HEAD") assert.match(response.body.error, new RegExp(`method ${method} is not allowed`));
		}
	});

	test("without parameters returns 405 even where a route with parameters matches", async () => {
		const routes = await mapOfRoutes();
		const headers = { accept: "application/problem+json" };
		let shadowed = 0;
		for (const path of new Set(routes.map((route) => route.path).filter((found) => !found.includes("{")))) {
			const here = routes.filter((route) => route.path === path);
			const served = new Set<string>(
				here.filter(({ guard }) => guard.allows !== "no caller").map((row) => row.method),
			);
			if (served.has("GET")) served.add("HEAD");
			const others = routes.filter(
				({ method, path: template }) =>
					new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path) &&
					!here.some((row) => row.method === method),
			);
			for (const method of new Set(others.map((row) => row.method))) {
				shadowed++;
				for (const proof of [{}, { token }]) {
					const response = await service.call(method, path, { https: true, headers, ...proof });
					assert.equal(response.status, 405, `${method} ${path}`);
					assert.equal(response.headers.allow, [...served].sort().join(", "), `${method} ${path}`);
					assert.equal(response.body.code, "route.method_not_allowed");
				}
			}
		}
		assert.ok(shadowed >= 8, `${shadowed} paths are shadowed`);
		const encoded = await raw(
			"PATCH",
			"/api/v1/api-clients/v%61lidate",
			`Authorization: Bearer ${token}\r\n`,
		);
		assert.deepEqual([encoded.status, encoded.headers.allow], [405, "POST"]);
		const head = await raw("HEAD", "/api/v1/access-requests/claim");
		assert.deepEqual([head.status, head.headers.allow], [405, "POST"]);
	});

	test("returns 405 for PUT /api/v1/users/me, with or without a body and a token", async () => {
		for (const headers of ["", "Content-Length: 0\r\n", `Authorization: Bearer ${token}\r\n`]) {
			const response = await raw("PUT", "/api/v1/users/me", headers);
			assert.deepEqual([response.status, response.headers.allow], [405, "GET, PATCH, DELETE"]);
		}
	});

	test("returns the response of GET without a body for HEAD", async () => {
		for (const path of ["/health", "/openapi.json", "/claim", "/api/v1/users/me", "/.well-known/jwks.json"]) {
			const head = await raw("HEAD", path);
			const full = await raw("GET", path);
			assert.equal(head.status, full.status, path);
			assert.equal(head.headers["content-type"], full.headers["content-type"], path);
			assert.equal(head.headers["content-length"], full.headers["content-length"], path);
		}
	});

	test("names the same resource in absolute form, with any host", async () => {
		assert.equal((await raw("GET", "http://evil.example/health")).status, 200);
		assert.equal((await raw("GET", "HTTPS://user@evil.example:99/health?a=1")).status, 200);
		const me = await raw("GET", "http://a/api/v1/users/me", `Authorization: Bearer ${token}\r\n`);
		assert.equal(me.status, 200);
	});
});

describe("a list", () => {
	const LISTS = ["/api/v1/users", "/api/v1/applications", "/api/v1/api-clients", "/api/v1/requests"];

	test("names every invalid parameter at once", async () => {
		const response = await get("/api/v1/users?page=0&page_size=101&status=odd&role=king");
		assert.equal(response.status, 400);
		for (const field of ["page", "page_size", "status", "role"])
			assert.match(response.body.error, new RegExp(`\\b${field} must be`));
	});

	test("returns 400 or no records for unusable filters", async () => {
		for (const value of ["__proto__", "constructor", "%00", "%zz", "%ff", "'", "%25", "_", "a".repeat(201)]) {
			for (const path of LISTS) {
				for (const name of [
					"status",
					"q",
					"role",
					"app_id",
					"__proto__",
					"constructor",
					"toString",
					"a[b]",
				]) {
					const { status } = await get(`${path}?${name}=${value}`);
					assert.ok(status === 200 || status === 400, `${status} to ${path}?${name}=${value}`);
				}
			}
		}
	});
});

describe("an error", () => {
	test("is { error } by default", async () => {
		for (const accept of [undefined, "*/*", "application/json", "text/html", "application/problem+xml"]) {
			const response = await get(`/api/v1/users/${ABSENT_ID}`, accept === undefined ? {} : { accept });
			assert.deepEqual(response.body, { error: "no such user" });
			assert.equal(response.headers["content-type"], "application/json; charset=utf-8");
		}
	});

	test("is RFC 9457 on request, with code, id, and every field", async () => {
		for (const accept of ["application/problem+json", "application/json, application/problem+json;q=0.9"]) {
			const response = await service.call("POST", "/api/v1/access-requests", {
				body: { email: "x", company: 7 },
				headers: { accept },
			});
			assert.equal(response.headers["content-type"], "application/problem+json");
			const { detail, errors, request_id, ...rest } = response.body;
			assert.deepEqual(rest, {
				type: "https://localhost:8443/docs/errors#request.invalid",
				title: "Bad Request",
				status: 400,
				code: "request.invalid",
			});
			assert.equal(request_id, response.headers["x-request-id"]);
			assert.deepEqual(errors.map((error: { field: string }) => error.field).sort(), [
				"applicant_name",
				"company",
				"email",
				"project_name",
				"purpose",
			]);
			for (const { field, message } of errors) assert.ok(detail.includes(`${field} ${message}`));
		}
	});

	test("has a unique id that no caller can choose", async () => {
		const seen = new Set<unknown>();
		for (let count = 0; count < 20; count++) {
			const headers = { "x-request-id": "chosen-by-the-caller" };
			const response = await service.call("GET", "/nothing", { headers });
			seen.add(response.headers["x-request-id"]);
		}
		assert.equal(seen.size, 20);
		assert.equal(seen.has("chosen-by-the-caller"), false);
	});
});
