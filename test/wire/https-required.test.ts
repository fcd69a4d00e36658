// Open APIs over plain HTTP: 426 before every other check, without reading the body.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addApiClient } from "../harness/access/applications.ts";
import { sendSigned, signedBytes, verdict, WHOAMI } from "../harness/access/signed-wire.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { connect, exchange, type RawResponse } from "../harness/service/raw-connection.ts";

const service = testService();
const client = fixture(() => addApiClient(service));

function assertUpgrade(response: RawResponse): void {
	assert.equal(response.status, 426);
	assert.equal(response.headers.upgrade, "TLS/1.2, HTTP/1.1");
	assert.match(response.headers.connection ?? "", /\bUpgrade\b/);
	assert.equal(response.headers.location, undefined);
	assert.ok(response.headers["x-request-id"]);
	const { error, detail } = response.body ?? {};
	if (response.text !== "") assert.equal(error ?? detail, "open APIs require HTTPS");
}

describe("an open API over plain HTTP returns 426", () => {
	test("for a valid signed request, which stays valid over TLS", async () => {
		const bytes = signedBytes(service, client);
		assertUpgrade(await exchange(service, bytes));
		assert.equal(await verdict(exchange(service, bytes, { secure: true })), "200");
	});

	test("without any header, not even Host, in HTTP/1.1 and HTTP/1.0", async () => {
		assertUpgrade(await exchange(service, `GET ${WHOAMI} HTTP/1.1\r\n\r\n`));
		assertUpgrade(await exchange(service, `GET ${WHOAMI} HTTP/1.0\r\n\r\n`));
	});

	test("for every method, and for known and unknown paths", async () => {
		for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "QUERY"]) {
			for (const path of [WHOAMI, "/api/v1/external/", "/api/v1/external/nothing/here?a=1", "/access/v1/x"])
				assertUpgrade(await exchange(service, `${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`));
		}
		assertUpgrade(await exchange(service, `HEAD ${WHOAMI} HTTP/1.1\r\nHost: a\r\n\r\n`, { head: true }));
	});

	test("for undecodable paths, malformed ids, and targets in absolute form", async () => {
		for (const target of [
			"/api/v1/external/%zz",
			"/api/v1/external/users/%ff%fe",
			"/api/v1/external/users/%",
			`/api/v1/external/users/${"a".repeat(2_000)}`,
			"/api/v1/external/users/not-an-id",
			"/api/v1/external/%77hoami",
			`http://elsewhere.example${WHOAMI}`,
			`https://localhost${WHOAMI}`,
			`${WHOAMI}#fragment`,
		]) {
			assertUpgrade(await exchange(service, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`));
		}
	});

	test("before the body arrives, regardless of its length", async () => {
		for (const length of [10, 65_537, 10_000_000]) {
			const head = `POST /api/v1/external/users/check-access HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
			assertUpgrade(await exchange(service, head));
		}
		const type = "Content-Type: ;;;\r\nContent-Length: 2\r\n\r\n{}";
		assertUpgrade(await exchange(service, `POST /api/v1/external/nothing HTTP/1.1\r\nHost: a\r\n${type}`));
	});

	test("despite headers that claim HTTPS", async () => {
		const claims = [
			"X-Forwarded-Proto: https",
			"Forwarded: proto=https",
			"X-Forwarded-Ssl: on",
			"Front-End-Https: on",
		];
		for (const claim of claims)
			assertUpgrade(await exchange(service, `GET ${WHOAMI} HTTP/1.1\r\nHost: a\r\n${claim}\r\n\r\n`));
	});

	test("and keeps the connection usable", async () => {
		const connection = connect(service, { secure: false });
		connection.write(`GET ${WHOAMI} HTTP/1.1\r\nHost: a\r\n\r\nGET /health HTTP/1.1\r\nHost: a\r\n\r\n`);
		assertUpgrade(await connection.next());
		assert.equal((await connection.next()).status, 200);
		connection.close();
	});

	test("but over TLS the same paths return 404 or 405, without a signature check for unknown ones", async () => {
		assert.equal(
			await verdict(sendSigned(service, client, { target: "/api/v1/external/nothing" })),
			"404 route.not_found",
		);
		const wrongMethod = await sendSigned(service, client, { method: "DELETE", target: WHOAMI });
		assert.equal(wrongMethod.status, 405);
		assert.equal(wrongMethod.headers.allow, "GET, HEAD");
	});
});
