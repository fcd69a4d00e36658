// Connections with random mutations of valid requests, from a fixed seed: every response is complete, none is a 500.

import assert from "node:assert/strict";
import net from "node:net";
import { after, describe, test } from "node:test";
import { atDepth } from "../harness/runs/depth.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { type Random, seededRandom } from "../harness/runs/random.ts";
import { startTestService } from "../harness/service/service.ts";

const CONNECTIONS = atDepth({ quick: 200, all: 600, long: 14_000 });
const AT_ONCE = 25;
const SEED = 20_261_123;
/** A connection that does not end by itself is one that waits for the rest of its request. */
const PATIENCE_MS = 250;

const HOST = "Host: a\r\n";
const JSON_TYPE = "Content-Type: application/json\r\n";
const LOGIN = '{"username":"nobody","password":"wrong horse battery staple"}';
const SEEDS: readonly string[] = [
	`GET /health HTTP/1.1\r\n${HOST}\r\n`,
	`HEAD /openapi.json HTTP/1.1\r\n${HOST}Accept-Encoding: gzip\r\n\r\n`,
	`GET /api/v1/users/me?page=2&page=3 HTTP/1.1\r\n${HOST}Authorization: Bearer a.b.c\r\nX-Request-Id: mine\r\n\r\n`,
	`GET /api/v1/users/0190f000-0000-7000-8000-000000000000 HTTP/1.1\r\n${HOST}Accept: application/problem+json\r\n\r\n`,
	`POST /api/v1/access-requests HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: 2\r\n\r\n{}`,
	`POST /api/v1/access-requests HTTP/1.1\r\n${HOST}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
	`POST /api/v1/auth/refresh HTTP/1.1\r\n${HOST}${JSON_TYPE}X-Session: cookie\r\nCookie: a=b\r\nContent-Length: 60\r\n\r\n${LOGIN}`,
	`POST /api/v1/external/check-access HTTP/1.1\r\n${HOST}X-Api-Key: ak_1\r\nX-Nonce: n\r\nContent-Length: 2\r\n\r\n{}`,
	`POST /oauth/token HTTP/1.1\r\n${HOST}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 21\r\n\r\ngrant_type=password&a`,
	`OPTIONS /.well-known/openid-configuration HTTP/1.1\r\n${HOST}Origin: https://a\r\n\r\n`,
	`DELETE /api/v1/groups/%F0%9F%94%91 HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 4\r\n\r\nnull`,
	`PUT http://b/health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`,
];
const FRAGMENTS: readonly string[] = [
	...'\r\n|\n|\0|%|%2F|%00|//|?|#|:| |\t|\x7f|é|{|}|[|"|__proto__|;|,|-1|9999999999|+2|0x2'.split("|"),
	"Transfer-Encoding: chunked\r\n",
	"Content-Length: 5\r\n",
	"Connection: close\r\n",
	"Connection: Upgrade\r\nUpgrade: h2c\r\n",
	"Host: b\r\n",
	"x".repeat(20_000),
];

function mutate(random: Random): string {
	const pick = (texts: readonly string[]): string => texts[random(texts.length)] ?? "";
	let bytes = Array.from({ length: 1 + random(3) }, () => pick(SEEDS)).join("");
	for (let count = random(5); count > 0; count--) {
		const at = random(bytes.length + 1);
		const length = random(3) === 0 ? random(40) : random(2);
		const inserted = random(2) === 0 ? pick(FRAGMENTS) : bytes.slice(at, at + random(60));
		bytes = bytes.slice(0, at) + inserted + bytes.slice(at + length);
	}
	return bytes;
}

/** What arrives; in one of four rounds, the peer disconnects without reading it. */
async function send(port: number, bytes: string, random: Random): Promise<string> {
	const socket = net.connect({ host: "127.0.0.1", port, allowHalfOpen: true });
	let text = "";
	socket.on("error", () => undefined).on("data", (chunk) => (text += chunk.toString("latin1")));
	const closed = new Promise((resolve) => socket.once("close", resolve));
	const cut = random(bytes.length + 1);
	socket.write(bytes.slice(0, cut), "latin1");
	socket.write(bytes.slice(cut), "latin1");
	const end = random(4);
	if (end === 0) socket.resetAndDestroy();
	else if (end === 1) socket.end();
	socket.once("end", () => socket.end()).setTimeout(PATIENCE_MS, () => socket.destroy());
	await closed;
	return text;
}

const RARE: Readonly<Record<string, string>> = {
	404: `GET /nothing HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
	405: `PUT /health HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
	431: `GET /health HTTP/1.1\r\n${HOST}X: ${"x".repeat(20_000)}\r\n\r\n`,
};

/** @returns the response until the service closes the connection */
async function sendWhole(port: number, bytes: string): Promise<string> {
	const socket = net.connect({ host: "127.0.0.1", port });
	let text = "";
	socket.on("data", (chunk) => (text += chunk.toString("latin1"))).write(bytes, "latin1");
	await new Promise((resolve) => socket.once("close", resolve));
	return text;
}

const service = fixture(() => startTestService({ env: { LATCHKEY_RATE_LIMIT_PER_MINUTE: "0" } }));
after(() => service.stop());

describe("a random connection", () => {
	test("gets only complete responses, never a 500, and the service continues", async () => {
		const random = seededRandom(SEED);
		const statuses = new Map<string, number>();
		for (let sent = 0; sent < CONNECTIONS; sent += AT_ONCE) {
			const requests = Array.from({ length: AT_ONCE }, () => mutate(random));
			const texts = await Promise.all(requests.map((bytes) => send(service.httpPort, bytes, random)));
			for (const [index, text] of texts.entries()) {
				const sentText = JSON.stringify(requests[index]);
				assert.match(text, /^(?:$|HTTP\/1\.1 \d{3} [ -~]+\r\n)/, sentText);
				for (const [, status = ""] of text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)) {
					assert.notEqual(status, "500", sentText);
					statuses.set(status, (statuses.get(status) ?? 0) + 1);
				}
			}
		}
		// Rarer ones may miss the patience of a busy machine: each has a connection that waits for it.
		for (const [status, bytes] of Object.entries(RARE))
			assert.match(await sendWhole(service.httpPort, bytes), new RegExp(`^HTTP/1\\.1 ${status} `));
		for (const status of ["200", "400", "401"])
			assert.ok(statuses.has(status), `no ${status} among ${JSON.stringify([...statuses])}`);
		assert.equal((await service.call("GET", "/health")).status, 200);
		for (const line of service.logs().trim().split("\n")) assert.ok(JSON.parse(line).level < 50, line);
	});
});
