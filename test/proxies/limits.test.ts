// nginx and HAProxy with large bodies, slow callers, and unavailable nodes.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { freePorts } from "../harness/processes/program.ts";
import { type EchoNode, startEchoNode } from "../harness/proxies/echo-node.ts";
import { PROXIES } from "../harness/proxies/proxies.ts";
import { PROXY_ADDRESS } from "../harness/proxies/reverse-proxy.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { connect, exchange, type RawResponse, requestBytes } from "../harness/service/raw-connection.ts";

const LOGIN = "/api/v1/auth/login";
const SLOW_CALLERS = 50;

for (const { name, start, skip, impatient } of PROXIES) {
	describe(`${name} before a node`, { skip }, () => {
		const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: PROXY_ADDRESS } });
		const proxy = fixture(() => start([{ port: service.httpPort }]), "remove");
		const post = (body: Buffer): Promise<RawResponse> =>
			exchange(
				proxy,
				requestBytes(
					"POST",
					LOGIN,
					[
						["Host", "a"],
						["Content-Type", "application/json"],
						["Content-Length", String(body.length)],
					],
					body,
				),
				{ secure: true },
			);

		test("accepts a body of 64 KiB, and returns 413 in JSON for larger ones", async () => {
			assert.equal((await post(Buffer.alloc(65_536, " "))).status, 400);
			for (const size of [65_537, 100_000, 131_073, 2_000_000]) {
				const response = await post(Buffer.alloc(size, " "));
				assert.equal(response.status, 413, String(size));
				assert.match(response.body.error, /65536 bytes/);
			}
		});

		test("forwards headers that the node accepts, and returns 431 for larger ones", async () => {
			const get = (target: string) =>
				exchange(proxy, requestBytes("GET", target, [["Host", "a"]]), { secure: true });
			assert.equal((await get(`/health?${"x".repeat(14_000)}`)).status, 200);
			assert.equal((await get(`/health?${"x".repeat(20_000)}`)).status, 431);
		});

		test("forwards neither CONNECT nor a subsequent reset to a node", async () => {
			const tunnel = requestBytes("CONNECT", "elsewhere.example:443", [["Host", "elsewhere.example:443"]]);
			// nginx itself treats it as a malformed request.
			const refusal = name === "HAProxy" ? 405 : 400;
			for (const secure of [false, true]) {
				for (let round = 0; round < 10; round++) {
					const wire = connect(proxy, { secure });
					wire.write(tunnel);
					if (round === 0) assert.equal((await wire.next()).status, refusal);
					wire.close();
				}
			}
			const response = await exchange(proxy, requestBytes("GET", "/health", [["Host", "a"]]));
			assert.equal(response.status, 200);
		});

		test("accepts a request that arrives in pieces", async () => {
			const body = JSON.stringify({ username: "admin", password: "wrong" });
			const head: [string, string][] = [
				["Host", "a"],
				["Content-Type", "application/json"],
				["Content-Length", String(body.length)],
			];
			const bytes = requestBytes("POST", LOGIN, head, body);
			const wire = connect(proxy, { secure: true });
			for (let at = 0; at < bytes.length; at += 30) {
				wire.write(bytes.subarray(at, at + 30));
				await wait(10);
			}
			assert.equal((await wire.next()).status, 401);
			wire.close();
		});
	});

	describe(`callers of ${name} that never finish`, { skip }, () => {
		const node = fixture(() => startEchoNode(), "close");
		const proxy = fixture(() => start([node], impatient), "remove");

		test("do not reach the node, do not delay other callers, and are disconnected", async () => {
			const unfinished = [
				"GET / HTTP/1.1\r\nHost: a\r\nX: ",
				"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx",
			];
			const slow = Array.from({ length: SLOW_CALLERS }, (_, index) => {
				const wire = connect(proxy, { secure: false });
				wire.write(unfinished[index % 2] as string);
				return wire;
			});
			await Promise.all(slow.map((wire) => wire.opened()));
			const order: string[] = [];
			const closed = Promise.all(slow.map((wire) => wire.closed())).finally(() => order.push("slow"));
			const response = await exchange(proxy, requestBytes("GET", "/other", [["Host", "a"]]));
			order.push("other");
			assert.equal(response.status, 200);
			const ends = await closed;
			assert.deepEqual(order, ["other", "slow"]);
			for (const end of ends) assert.match(end, /^(HTTP\/1\.[01] 408 |$)/);
			assert.deepEqual(
				node.received.map(({ target }) => target),
				["/other"],
			);
		});
	});

	describe(`${name} without a node`, { skip }, () => {
		test("returns 503 in JSON, and uses a node as soon as it starts", async () => {
			const [port = 0] = await freePorts(1);
			const proxy = await start([{ port }]);
			let node: EchoNode | undefined;
			try {
				const ask = () => exchange(proxy, requestBytes("GET", "/x", [["Host", "a"]]), { secure: true });
				const response = await ask();
				assert.equal(response.status, 503);
				assert.match(response.body.error, /not available/);
				assert.equal(response.headers["retry-after"], "1");
				assert.equal(response.headers["cache-control"], "no-store");
				node = await startEchoNode(port);
				const deadline = performance.now() + 30_000;
				while ((await ask()).status !== 200) {
					assert.ok(performance.now() < deadline, "the node is not found within 30 s");
					await wait(50);
				}
			} finally {
				await proxy.remove();
				await node?.close();
			}
		});
	});
}
