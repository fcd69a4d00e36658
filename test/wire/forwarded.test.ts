// Client address, scheme, and request id of a request: only trusted proxies can set them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addApiClient } from "../harness/access/applications.ts";
import { sendSigned } from "../harness/access/signed-wire.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { connect, exchange, type HeaderList, type RawResponse } from "../harness/service/raw-connection.ts";
import type { Credentials, TestService } from "../harness/service/service.ts";

/** Address and scheme that `whoami` returns for a call with these headers, or the status of an error. */
async function seen(
	service: TestService,
	client: Credentials,
	added: HeaderList,
	secure = true,
): Promise<string> {
	const response = await sendSigned(service, client, { secure, spoil: (headers) => [...headers, ...added] });
	if (response.status !== 200) return String(response.status);
	return `${response.body.data.ip} ${response.body.data.scheme}`;
}

const CLAIMS: readonly HeaderList[] = [
	[["X-Forwarded-For", "203.0.113.7"]],
	[["X-Forwarded-For", "203.0.113.7, 127.0.0.1"]],
	[["Forwarded", "for=203.0.113.7;proto=http"]],
	[["X-Real-IP", "203.0.113.7"]],
	[["X-Client-IP", "203.0.113.7"]],
	[["CF-Connecting-IP", "203.0.113.7"]],
	[["True-Client-IP", "203.0.113.7"]],
	[["X-Forwarded-Proto", "http"]],
];

for (const trusted of [undefined, "192.0.2.0/24,2001:db8::/32"]) {
	describe(`a peer that is not a trusted proxy (${trusted ?? "none is"})`, () => {
		const env = trusted === undefined ? {} : { LATCHKEY_TRUSTED_PROXIES: trusted };
		const service = testService({ env });
		const client = fixture(() => addApiClient(service));

		test("cannot set the client address or the scheme", async () => {
			for (const claim of CLAIMS)
				assert.equal(await seen(service, client, claim), "127.0.0.1 https", JSON.stringify(claim));
			const https: HeaderList = [["X-Forwarded-Proto", "https"]];
			assert.equal(await seen(service, client, https, false), "426");
		});

		test("cannot set the request id", async () => {
			const headers = { "x-request-id": "chosen", "x-forwarded-for": "192.0.2.1" };
			const response = await service.call("GET", "/health", { headers });
			assert.notEqual(response.headers["x-request-id"], "chosen");
		});

		test("cannot change the address of audit events and sessions, or the host of links", async () => {
			const host = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-for": "6.6.6.6" };
			const email = "host@partner.example";
			const body = { applicant_name: "A", email, project_name: "P", purpose: "p" };
			const response = await service.call("POST", "/api/v1/access-requests", { body, headers: host });
			assert.equal(response.status, 201);
			const [mail] = await service.mailsTo(email);
			assert.match(mail?.text ?? "", /https:\/\/localhost:8443\/withdraw#/);
			assert.doesNotMatch(`${mail?.text} ${mail?.html}`, /evil/);
			const login = { username: "admin", password: "correct horse battery staple" };
			await service.call("POST", "/api/v1/auth/login", { body: login, headers: host });
			const sessions = await service.callAsAdmin("GET", "/api/v1/users/me/sessions");
			assert.ok(sessions.body.data.length >= 2);
			for (const session of sessions.body.data) assert.equal(session.ip, "127.0.0.1");
		});
	});
}

describe("a trusted proxy", () => {
	const env = { LATCHKEY_TRUSTED_PROXIES: "127.0.0.0/8,10.0.0.0/8,fd00::/8" };
	const service = testService({ env });
	const client = fixture(() => addApiClient(service));

	const forwarded = (...values: string[]): HeaderList => values.map((value) => ["X-Forwarded-For", value]);

	test("sets the client address: the right-most one that is not a trusted proxy", async () => {
		for (const [headers, ip] of [
			[forwarded("6.6.6.6,203.0.113.7,fd00::1,10.1.2.3"), "203.0.113.7"],
			[forwarded("6.6.6.6", "203.0.113.7"), "203.0.113.7"],
			[forwarded("::ffff:203.0.113.7"), "203.0.113.7"],
			[forwarded("2001:0DB8:0:0::7"), "2001:db8::7"],
		] as const) {
			assert.equal(await seen(service, client, headers), `${ip} https`, JSON.stringify(headers));
		}
	});

	test("cannot set an unreadable address: the socket's address counts", async () => {
		for (const value of ["", ",", "203.0.113.7, x", "1"])
			assert.equal(await seen(service, client, forwarded(value)), "127.0.0.1 https", value);
	});

	test("sets the scheme: the last value counts", async () => {
		const proto = (...values: string[]): HeaderList => values.map((value) => ["X-Forwarded-Proto", value]);
		for (const [headers, secure, expected] of [
			[proto("https"), false, "127.0.0.1 https"],
			[proto("https, http"), false, "426"],
			[proto("https", "http"), false, "426"],
			[proto("http"), true, "426"],
			[proto(""), false, "426"],
			[proto("https,"), false, "426"],
		] as const) {
			assert.equal(await seen(service, client, headers, secure), expected, JSON.stringify(headers));
		}
	});

	test("sets the address that is compared with an allowlist", async () => {
		const listed = await addApiClient(service, { ip_allowlist: ["203.0.113.0/24"] });
		assert.equal(await seen(service, listed, forwarded("203.0.113.7")), "203.0.113.7 https");
		assert.equal(await seen(service, listed, []), "403");
		assert.equal(await seen(service, listed, forwarded("203.0.113.7, 6.6.6.6")), "403");
		assert.equal(await seen(service, listed, forwarded("203.0.113.7, nonsense")), "403");
	});

	test("can set a well-formed request id", async () => {
		const idFor = async (given: string | string[]): Promise<unknown> =>
			(await service.call("GET", "/nothing", { headers: { "x-request-id": given } })).headers["x-request-id"];
		assert.equal(await idFor("edge-7.A_b"), "edge-7.A_b");
		assert.equal(await idFor("a".repeat(128)), "a".repeat(128));
		for (const odd of ["", "a".repeat(129), "a b", "a,b", "é", "<x>", ["a", "b"]])
			assert.match(String(await idFor(odd)), /^[A-Za-z0-9_-]{8}-[0-9a-z]+$/);
	});
});

describe("X-Request-Id", () => {
	const service = testService();

	test("is unique in every response", async () => {
		const token = await service.adminToken();
		const bearer = `Authorization: Bearer ${token}\r\n`;
		const host = "Host: a\r\n";
		const login = JSON.stringify({ username: "admin", password: "correct horse battery staple" });
		const length = (body: string): string =>
			`Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
		const requests: readonly [status: number, bytes: string][] = [
			[200, `GET /health HTTP/1.1\r\n${host}\r\n`],
			[200, `GET /claim HTTP/1.1\r\n${host}\r\n`],
			[200, `GET /openapi.json HTTP/1.1\r\n${host}\r\n`],
			[200, `POST /api/v1/auth/login HTTP/1.1\r\n${host}${length(login)}\r\n${login}`],
			[204, `POST /api/v1/auth/logout HTTP/1.1\r\n${host}${bearer}Content-Length: 0\r\n\r\n`],
			[400, `POST /api/v1/auth/login HTTP/1.1\r\n${host}${length("{}")}\r\n{}`],
			[400, "GET /health HTTP/1.1\r\n\r\n"],
			[400, "NONSENSE\r\n\r\n"],
			[401, `GET /api/v1/users/me HTTP/1.1\r\n${host}\r\n`],
			[404, `GET /nothing HTTP/1.1\r\n${host}\r\n`],
			[405, `PUT /api/v1/users/me HTTP/1.1\r\n${host}\r\n`],
			[413, `POST /api/v1/auth/login HTTP/1.1\r\n${host}Content-Length: 65537\r\n\r\n`],
			[426, `GET /api/v1/external/whoami HTTP/1.1\r\n${host}\r\n`],
			[431, `GET /health HTTP/1.1\r\n${host}X: ${"a".repeat(20_000)}\r\n\r\n`],
		];
		const ids = new Set<string>();
		for (const [status, bytes] of requests) {
			const response: RawResponse = await exchange(service, bytes);
			assert.equal(response.status, status, bytes.slice(0, 60));
			assert.match(response.headers["x-request-id"] ?? "", /^[A-Za-z0-9_-]{8}-[0-9a-z]+$/, String(status));
			ids.add(response.headers["x-request-id"] ?? "");
		}
		assert.equal(ids.size, requests.length);
	});

	test("is the request id in the log", async () => {
		const connection = connect(service, { secure: false });
		connection.write("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n");
		const id = (await connection.next()).headers["x-request-id"];
		connection.close();
		const deadline = Date.now() + 20_000;
		const logged = (): boolean => service.logs().includes(`"request_id":"${id}"`);
		while (!logged() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
		assert.ok(logged());
	});
});
