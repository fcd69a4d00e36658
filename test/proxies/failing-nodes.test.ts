// HAProxy and nodes that fail their health checks: a node that no longer responds, and one that drains.

import assert from "node:assert/strict";
import http from "node:http";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { until } from "../harness/databases/ledger.ts";
import { freePorts } from "../harness/processes/program.ts";
import { HAPROXY_SKIPPED, startHaproxy } from "../harness/proxies/haproxy.ts";
import type { ReverseProxy } from "../harness/proxies/reverse-proxy.ts";

/** Longer than a node needs to return after its checks on a busy machine. */
const PATIENCE_MS = 25_000;

type State = "ready" | "frozen" | "draining";

/** A node that holds every request except health checks until it is released. */
class HoldingNode {
	readonly #held: http.ServerResponse[] = [];
	readonly #server: http.Server;
	state: State = "ready";
	/** Health checks that got a response since the last change of state. */
	checks = 0;

	constructor(port: number) {
		this.#server = http.createServer((request, response) => {
			if (request.url !== "/health") this.#held.push(response);
			else if (this.state !== "frozen") {
				this.checks += 1;
				response.writeHead(this.state === "ready" ? 200 : 503).end();
			}
		});
		this.#server.listen(port, "127.0.0.1");
	}

	get held(): number {
		return this.#held.length;
	}

	become(state: State): void {
		this.state = state;
		this.checks = 0;
	}

	release(): void {
		for (const response of this.#held.splice(0)) response.end("held");
	}

	close(): void {
		this.#server.close();
		this.#server.closeAllConnections();
	}
}

describe("HAProxy", { skip: HAPROXY_SKIPPED }, () => {
	let node: HoldingNode;
	let other: http.Server;
	let proxy: ReverseProxy;
	before(async () => {
		const [port = 0, otherPort = 0] = await freePorts(2);
		node = new HoldingNode(port);
		other = http.createServer((_, response) => response.end("other")).listen(otherPort, "127.0.0.1");
		// Only failed checks can end a request before the test ends.
		proxy = await startHaproxy(
			[{ port }, { port: otherPort }],
			[["timeout server 35s", "timeout server 1h"]],
		);
	});
	after(async () => {
		await proxy?.remove();
		node.close();
		other.close();
		other.closeAllConnections();
	});

	const send = async (): Promise<{ readonly status: number; readonly text: string }> => {
		const response = await fetch(`http://127.0.0.1:${proxy.httpPort}/x`);
		return { status: response.status, text: await response.text() };
	};
	/** Sends requests until the node holds one, which `response` waits for. */
	async function hold(): Promise<{ readonly response: ReturnType<typeof send> }> {
		const deadline = performance.now() + PATIENCE_MS;
		while (performance.now() < deadline) {
			const request = send();
			const isDone = request.then(() => true);
			while (node.held === 0 && !(await Promise.race([isDone, setTimeout(20, false)])));
			if (node.held > 0) return { response: request };
		}
		assert.fail("the node received no request");
	}

	test("lets a draining node finish its requests, and sends it no new ones", async () => {
		const { response } = await hold();
		node.become("draining");
		// Two failed checks take a node out; further ones show that nothing else happens.
		await until("the node failed its checks", () => node.checks >= 5);
		for (let sent = 0; sent < 4; sent++) assert.equal((await send()).text, "other");
		assert.equal(node.held, 1);
		node.release();
		assert.deepEqual(await response, { status: 200, text: "held" });
		node.become("ready");
		await until("the node passed a check", () => node.checks >= 2);
	});

	test("aborts the requests of a node that does not respond", { timeout: 120_000 }, async () => {
		const { response } = await hold();
		node.become("frozen");
		const { status } = await response;
		assert.ok(status >= 502, String(status));
		assert.deepEqual(await send(), { status: 200, text: "other" });
	});
});
