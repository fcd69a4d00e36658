// Malformed HTTP and hostile requests: each gets one clear error, and the service continues.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { fixture } from "../harness/runs/fixture.ts";
import { connect, exchange, type RawResponse } from "../harness/service/raw-connection.ts";
import { ADMIN, startTestService } from "../harness/service/service.ts";

const HOST = "Host: a\r\n";
const SUBMIT = "/api/v1/access-requests";

const service = fixture(() => startTestService());
after(async () => {
	assert.equal((await service.call("GET", "/health")).status, 200);
	for (const line of service.logs().trim().split("\n")) assert.ok(JSON.parse(line).level < 50, line);
	await service.stop();
});

/** Asserts that the first response is a complete JSON error with an id and this status. */
async function assertRefused(bytes: string | Buffer, status: number): Promise<RawResponse> {
	const response = await exchange(service, bytes);
	assert.equal(response.status, status, response.text);
	assert.match(response.headers["x-request-id"] ?? "", /^[A-Za-z0-9_-]+$/);
	assert.equal(response.headers["content-type"], "application/json; charset=utf-8");
	assert.deepEqual(Object.keys(response.body), ["error"]);
	return response;
}

const post = (headers: string, body: string): string =>
	`POST ${SUBMIT} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${headers}\r\n${body}`;
const CHUNKED_BODY = "2\r\n{}\r\n0\r\n\r\n";

describe("a request with ambiguous length", () => {
	const shapes: Readonly<Record<string, string>> = {
		"Content-Length before Transfer-Encoding": post(
			"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
			CHUNKED_BODY,
		),
		"Transfer-Encoding before Content-Length": post(
			"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
			CHUNKED_BODY,
		),
		"two Content-Lengths": post("Content-Length: 2\r\nContent-Length: 4\r\n", "{}{}"),
		"one Content-Length twice": post("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"),
		"two Content-Lengths in one": post("Content-Length: 2, 2\r\n", "{}"),
		"a signed Content-Length": post("Content-Length: +2\r\n", "{}"),
		"a hexadecimal Content-Length": post("Content-Length: 0x2\r\n", "{}"),
		"a negative Content-Length": post("Content-Length: -1\r\n", "{}"),
		"an overlong Content-Length": post(`Content-Length: 1${"0".repeat(30)}\r\n`, "{}"),
		"chunked that is not last": post("Transfer-Encoding: chunked, identity\r\n", CHUNKED_BODY),
		"chunked twice": post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", CHUNKED_BODY),
		"an unknown transfer coding": post("Transfer-Encoding: xchunked\r\n", CHUNKED_BODY),
		"a blank before the colon": post("Transfer-Encoding : chunked\r\n", CHUNKED_BODY),
		"a folded header": post("Transfer-Encoding:\r\n chunked\r\n", CHUNKED_BODY),
		"a vertical tab in the coding": post("Transfer-Encoding: \x0bchunked\r\n", CHUNKED_BODY),
		"an invalid chunk size": post("Transfer-Encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n"),
		"a chunk size with a sign": post("Transfer-Encoding: chunked\r\n", "+2\r\n{}\r\n0\r\n\r\n"),
		"a chunk longer than it says": post("Transfer-Encoding: chunked\r\n", "1\r\n{}\r\n0\r\n\r\n"),
		"an endless chunk extension": post("Transfer-Encoding: chunked\r\n", `2;${"a".repeat(20_000)}\r\n{}`),
		"bare line feeds": post("Content-Length: 2\r\n", "{}").replaceAll("\r\n", "\n"),
	};
	for (const [what, bytes] of Object.entries(shapes)) {
		test(`${what} is refused, and the following bytes are not read as a request`, async () => {
			const connection = connect(service, { secure: false });
			connection.write(`${bytes}GET /health HTTP/1.1\r\n${HOST}\r\n`);
			const response = await connection.next();
			assert.equal(response.status, 400);
			assert.equal(response.headers.connection, "close");
			assert.equal(await connection.closed(), "");
		});
	}
});

describe("malformed bytes", () => {
	const shapes: Readonly<Record<string, string>> = {
		"an unknown method": `FOO / HTTP/1.1\r\n${HOST}\r\n`,
		"a method in lower case": `get /health HTTP/1.1\r\n${HOST}\r\n`,
		"HTTP/2 in the clear": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"HTTP/9.9": `GET /health HTTP/9.9\r\n${HOST}\r\n`,
		"a blank in the target": `GET /hea lth HTTP/1.1\r\n${HOST}\r\n`,
		"a NUL in a header": `GET /health HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`,
		"a bare carriage return in a header": `GET /health HTTP/1.1\r\n${HOST}X: a\rb\r\n\r\n`,
		"a header without a name": `GET /health HTTP/1.1\r\n${HOST}: a\r\n\r\n`,
		"a header name with a blank": `GET /health HTTP/1.1\r\n${HOST}X Y: a\r\n\r\n`,
		"a TLS greeting": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
		"a tunnel": `CONNECT elsewhere.example:443 HTTP/1.1\r\n${HOST}\r\n`,
		"a target that is not ASCII": `GET /\xf0\x9f\x98\x80 HTTP/1.1\r\n${HOST}\r\n`,
		"a target without a slash": `GET health HTTP/1.1\r\n${HOST}\r\n`,
	};
	for (const [what, bytes] of Object.entries(shapes)) {
		test(`${what} returns 400 and closes the connection`, async () => {
			const response = await assertRefused(Buffer.from(bytes, "latin1"), 400);
			assert.equal(response.headers.connection, "close");
		});
	}

	test("no Host, or two, returns 400 in HTTP/1.1", async () => {
		await assertRefused("GET /health HTTP/1.1\r\n\r\n", 400);
		await assertRefused(`GET /health HTTP/1.1\r\n${HOST}${HOST}\r\n`, 400);
		assert.equal((await exchange(service, "GET /health HTTP/1.0\r\n\r\n")).status, 200);
	});

	test("silence, half a request, and a connection closed within a body affect no other client", async () => {
		for (const bytes of [
			"",
			"GET /hea",
			`GET /health HTTP/1.1\r\n${HOST}`,
			post("Content-Length: 9\r\n", "{"),
		]) {
			const connection = connect(service, { secure: false });
			connection.write(bytes);
			assert.equal((await service.call("GET", "/health")).status, 200);
			connection.close();
		}
	});
});

describe("headers", () => {
	test("of 1 MB or just over 16 KiB, or a target of that length, return 431", async () => {
		for (const size of [1_000_000, 16_385]) {
			const header = await assertRefused(
				`GET /health HTTP/1.1\r\n${HOST}X-Big: ${"a".repeat(size)}\r\n\r\n`,
				431,
			);
			assert.equal(header.body.error, "request headers are too large");
			await assertRefused(`GET /${"a".repeat(size)} HTTP/1.1\r\n${HOST}\r\n`, 431);
			await assertRefused(`GET /health HTTP/1.1\r\n${HOST}${"name: more\r\n".repeat(size / 8 + 1)}\r\n`, 431);
		}
	});

	test("of 12 KB, or two thousand of them, are accepted", async () => {
		for (const headers of [`X-Big: ${"a".repeat(12_000)}\r\n`, "a: b\r\n".repeat(2_100)]) {
			const response = await exchange(service, `GET /health HTTP/1.1\r\n${HOST}${headers}\r\n`);
			assert.equal(response.status, 200);
		}
	});

	test("of any bytes that HTTP allows never cause a 500", async () => {
		const odd = Buffer.from(Array.from({ length: 128 }, (_, index) => 128 + index)).toString("latin1");
		for (const name of [
			"Authorization",
			"Accept",
			"Accept-Language",
			"User-Agent",
			"X-Tenant-ID",
			"X-Request-Id",
			"X-Forwarded-For",
			"Content-Type",
			"If-None-Match",
			"Cookie",
			"Expect",
			"Range",
			"Upgrade",
			"Content-Encoding",
			"__proto__",
			"constructor",
		]) {
			for (const value of [odd, "", "\t", ",", '"', "é", "a".repeat(4_000), "__proto__", "%00", "*"]) {
				for (const target of ["GET /health", "GET /api/v1/users/me", `POST ${SUBMIT}`, "GET /claim"]) {
					const bytes = `${target} HTTP/1.1\r\n${HOST}${name}: ${value}\r\nContent-Length: 0\r\n\r\n`;
					const { status } = await exchange(service, Buffer.from(bytes, "latin1"));
					assert.ok(status < 500, `${status} to ${target} with ${name}: ${value.slice(0, 20)}`);
				}
			}
		}
	});

	test("with Authorization twice, or with another scheme, contain no token", async () => {
		const token = await service.adminToken();
		const bearer = `Authorization: Bearer ${token}\r\n`;
		const get = (headers: string) =>
			exchange(service, `GET /api/v1/users/me HTTP/1.1\r\n${HOST}${headers}\r\n`);
		assert.equal((await get(bearer)).status, 200);
		for (const headers of [
			bearer + bearer,
			`${bearer}Authorization: Basic YTpi\r\n`,
			`Authorization: Basic YTpi\r\n${bearer}`,
			`Authorization: ${token}\r\n`,
			`Authorization: Bearer\r\n`,
			`Authorization: Bearer ${token} x\r\n`,
			`Authorization: Bearer ${token}, Bearer ${token}\r\n`,
			`Authorization: Token ${token}\r\n`,
		]) {
			const response = await get(headers);
			assert.equal(response.status, 401, headers);
			assert.equal(response.headers["www-authenticate"], "Bearer");
		}
	});
});

describe("one connection", () => {
	test("returns responses to pipelined requests in order", async () => {
		const connection = connect(service, { secure: false });
		const requests = [
			`GET /health HTTP/1.1\r\n${HOST}\r\n`,
			`GET /nothing HTTP/1.1\r\n${HOST}\r\n`,
			post("Content-Length: 2\r\n", "{}"),
			post("Transfer-Encoding: chunked\r\n", CHUNKED_BODY),
			`GET /api/v1/users/me HTTP/1.1\r\n${HOST}\r\n`,
			`PUT /api/v1/users/me HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\n{}{`,
			`GET /health HTTP/1.1\r\n${HOST}\r\n`,
		];
		connection.write(requests.join(""));
		const statuses: number[] = [];
		for (const _ of requests) statuses.push((await connection.next()).status);
		assert.deepEqual(statuses, [200, 404, 400, 400, 401, 405, 200]);
		connection.close();
	});

	test("returns responses to a hundred pipelined sign-ins and reads in order", async () => {
		const connection = connect(service, { secure: false });
		const body = JSON.stringify(ADMIN);
		const login = `POST /api/v1/auth/login HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
		const statuses: number[] = [];
		connection.write((login + `GET /nothing HTTP/1.1\r\n${HOST}\r\n`.repeat(9)).repeat(10));
		for (let index = 0; index < 100; index++) statuses.push((await connection.next()).status);
		assert.deepEqual(
			statuses,
			Array.from({ length: 100 }, (_, index) => (index % 10 === 0 ? 200 : 404)),
		);
		connection.close();
	});

	test("continues after a body that was refused unread", async () => {
		const connection = connect(service, { secure: false });
		const body = "x".repeat(200_000);
		connection.write(`POST /nothing HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n${body}`);
		assert.equal((await connection.next()).status, 404);
		connection.write(`GET /health HTTP/1.1\r\n${HOST}\r\n`);
		assert.equal((await connection.next()).status, 200);
		connection.close();
	});

	test("sends 100 Continue for Expect: 100-continue, and ignores any other expectation", async () => {
		const connection = connect(service, { secure: false });
		connection.write(post("Expect: 100-continue\r\nContent-Length: 2\r\n", ""));
		assert.equal((await connection.next()).status, 100);
		connection.write("{}");
		assert.equal((await connection.next()).status, 400);
		connection.write(post("Expect: miracles\r\nContent-Length: 2\r\n", "{}"));
		assert.equal((await connection.next()).status, 400);
		connection.close();
	});

	test("ignores an unsupported upgrade", async () => {
		for (const protocol of ["websocket", "h2c", "TLS/1.0"]) {
			const headers = `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`;
			const response = await exchange(service, `GET /health HTTP/1.1\r\n${HOST}${headers}\r\n`);
			assert.equal(response.status, 200);
		}
	});

	test("with plain HTTP on the TLS port, or with failing TLS, affects no other client", async () => {
		const connection = connect({ ...service, httpPort: service.httpsPort }, { secure: false });
		connection.write(`GET /health HTTP/1.1\r\n${HOST}\r\n`);
		await connection.closed();
		assert.equal((await service.call("GET", "/health", { https: true })).status, 200);
	});
});

describe("a body of 10 MB", () => {
	test("is refused by its length or during the transfer, with a response that arrives", async () => {
		const body = "a".repeat(10_000_000);
		for (const bytes of [
			post(`Content-Length: ${body.length}\r\n`, body),
			post("Transfer-Encoding: chunked\r\n", `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`),
		]) {
			for (let count = 0; count < 5; count++) await assertRefused(bytes, 413);
		}
	});
});
