// nginx and HAProxy forward each request unchanged: target, body, and signature, one for one.

import assert from "node:assert/strict";
import { once } from "node:events";
import http2 from "node:http2";
import { describe, test } from "node:test";
import { addApiClient } from "../harness/access/applications.ts";
import {
	CHECK_ACCESS,
	type SignedTarget,
	sendSigned,
	verdict,
	WHOAMI,
} from "../harness/access/signed-wire.ts";
import { startEchoNode } from "../harness/proxies/echo-node.ts";
import { PROXIES } from "../harness/proxies/proxies.ts";
import { callerOf, PROXY_ADDRESS } from "../harness/proxies/reverse-proxy.ts";
import { fixture, setup, testService } from "../harness/runs/fixture.ts";
import { connect, exchange, requestBytes } from "../harness/service/raw-connection.ts";
import { signedHeaders } from "../harness/service/service.ts";

const ODD_PATHS = [
	"/api/v1/external/users/a%2Fb",
	"/api/v1/external/users/a%2fb%2F..%2F",
	"/api/v1/external//whoami",
	"//api/v1/external/whoami",
	"/api/v1/external/./whoami",
	"/api/v1/external/x/../whoami",
	"/api/v1/external/x/%2e%2e/whoami",
	"/api/v1/external/%77hoami",
	"/api/v1/external/whoami/",
	"/api/v1/external/whoami;a=1",
	"/api/v1/external/whoami?",
	"/%C3%A9%ff?%C3%A9%ff%00",
];
const ODD_QUERIES = [
	"?",
	"??",
	"?a=b=c&&;x=%20+%2b",
	"?b=2&a=1&a=",
	"?a=//../%2F%2f",
	"?~!$'()*,:@/?[]",
	"?a=%zz&%",
	`?long=${"x".repeat(9_000)}`,
];
/** Neither UTF-8 nor JSON, with bytes that a proxy might mistake for the end. */
const ODD_BODY = Buffer.from([0, 0x0d, 0x0a, 0x0d, 0x0a, 0x30, 0x0d, 0x0a, 0xff, 0xfe, 0x80, 0x1a, 0, 0x0a]);

for (const { name, start, skip, sharing, offersHttp2 } of PROXIES) {
	describe(`bytes through ${name}`, { skip }, () => {
		const node = fixture(() => startEchoNode(), "close");
		const proxy = fixture(() => start([node], sharing), "remove");
		const send = (bytes: Buffer | string) => exchange(proxy, bytes, { secure: true });

		test("drops a caller's traceparent in any spelling", async () => {
			const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
			for (const name of ["traceparent", "Traceparent", "TRACEPARENT"]) {
				const headers = [
					["Host", "a"],
					[name, parent],
					[name, parent],
					["X-Other", parent],
				] as const;
				assert.equal((await send(requestBytes("GET", WHOAMI, headers))).status, 200);
				assert.deepEqual(node.received.at(-1)?.values("traceparent"), []);
				assert.deepEqual(node.received.at(-1)?.values("x-other"), [parent]);
			}
		});

		test("forwards a target unchanged", async () => {
			for (const target of [...ODD_PATHS, ...ODD_QUERIES.map((query) => WHOAMI + query)]) {
				assert.equal((await send(requestBytes("GET", target, [["Host", "a"]]))).status, 200, target);
				assert.equal(node.received.at(-1)?.target, target);
			}
		});

		test("forwards a body unchanged, with a length or in chunks", async () => {
			const large = Buffer.alloc(65_536, ODD_BODY);
			for (const body of [ODD_BODY, large]) {
				const length: [string, string] = ["Content-Length", String(body.length)];
				await send(requestBytes("POST", CHECK_ACCESS, [["Host", "a"], length], body));
				assert.deepEqual(node.received.at(-1)?.body, body);
				await send(chunked(body));
				assert.deepEqual(node.received.at(-1)?.body, body);
			}
		});

		test("does not split a request out of a body", async () => {
			const inner = "POST /smuggled HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
			const attempts = [
				`POST /outer HTTP/1.1\r\nHost: a\r\nContent-Length: ${inner.length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
				`POST /outer HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: ${inner.length + 4}\r\n\r\nabcd${inner}`,
				`POST /outer HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
				`POST /outer HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
			];
			for (const attempt of attempts) {
				const connection = connect(proxy, { secure: true });
				connection.write(attempt);
				await connection.next();
				connection.close();
				// Smuggled bytes would have arrived before this request.
				await send(requestBytes("GET", "/after", [["Host", "a"]]));
			}
			assert.deepEqual(
				node.received.map(({ target }) => target).filter((target) => target === "/smuggled"),
				[],
			);
		});

		test("keeps callers apart on one connection to the node", async () => {
			const connections = ["127.0.0.2", "127.0.0.3"].map((localAddress) => {
				return { localAddress, wire: connect({ ...proxy, localAddress }, { secure: true }) };
			});
			const seen = node.received.length;
			for (let round = 0; round < 6; round++)
				for (const { localAddress, wire } of connections) {
					wire.write(requestBytes("GET", `/from/${localAddress}`, [["Host", "a"]]));
					await wire.next();
				}
			for (const { wire } of connections) wire.close();
			const callersOf = new Map<number, Set<string>>();
			for (const { target, values, remotePort } of node.received.slice(seen)) {
				assert.deepEqual(values("x-forwarded-for"), [target.slice("/from/".length)]);
				callersOf.set(remotePort, new Set(callersOf.get(remotePort)).add(target));
			}
			assert.ok(
				[...callersOf.values()].some((callers) => callers.size === 2),
				"no connection was shared",
			);
		});
	});

	describe(`signed requests through ${name}`, { skip }, () => {
		let caller: SignedTarget;
		const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: PROXY_ADDRESS } });
		const proxy = fixture(() => start([{ port: service.httpPort }]), "remove");
		const client = fixture(() => addApiClient(service));
		setup(async () => {
			caller = callerOf(proxy, service);
		});
		const send = (target: string, sent = target): Promise<string> =>
			verdict(sendSigned(caller, client, { target, sent: { target: sent } }));

		test("keeps signatures over any path and query valid, and only those", async () => {
			for (const query of ODD_QUERIES) {
				assert.equal(await send(WHOAMI + query), "200", query);
				assert.equal(await send(`${WHOAMI}?x`, WHOAMI + query), "401 signature.invalid", query);
			}
			const path = "/api/v1/external/users/a%2Fb";
			assert.equal(await send(path), "404 user.not_found");
			assert.equal(await send(path, path.replace("%2F", "%2f")), "401 signature.invalid");
		});

		test("leads to a signature check before any body is parsed", async () => {
			const post = (body: Buffer | string, sent: Buffer | string = body): Promise<string> =>
				verdict(sendSigned(caller, client, { body, sent: { body: sent } }));
			assert.equal(await post(ODD_BODY), "400 request.malformed");
			assert.equal(await post(ODD_BODY, ODD_BODY.subarray(1)), "401 signature.invalid");
			const spaced = `{\r\n\t"user_id" :  "${client.app_id}" , "n\\u00e9": "\u{1F511}é" }\r\n`;
			assert.equal(await post(spaced), "200");
		});

		if (!offersHttp2) return;
		test("also works over HTTP/2", async () => {
			const session = http2.connect(`https://127.0.0.1:${proxy.httpsPort}`, { rejectUnauthorized: false });
			try {
				for (const target of [
					...ODD_QUERIES.map((query) => WHOAMI + query),
					"/api/v1/external/users/a%2Fb",
				]) {
					const headers = signedHeaders(client, { method: "GET", path: target, nowMs: Date.now() });
					const request = session.request({ ":path": target, ...headers });
					const [response] = await once(request, "response");
					request.close();
					assert.equal(response[":status"], target.startsWith(WHOAMI) ? 200 : 404, target);
				}
			} finally {
				session.destroy();
			}
		});
	});
}

function chunked(body: Buffer): Buffer {
	const half = Math.floor(body.length / 2);
	const chunks = [body.subarray(0, half), body.subarray(half)];
	return Buffer.concat([
		requestBytes("POST", CHECK_ACCESS, [
			["Host", "a"],
			["Transfer-Encoding", "chunked"],
		]),
		...chunks.flatMap((chunk) => [
			Buffer.from(`${chunk.length.toString(16)}\r\n`),
			chunk,
			Buffer.from("\r\n"),
		]),
		Buffer.from("0\r\n\r\n"),
	]);
}
