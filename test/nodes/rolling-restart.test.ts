// Rolling restarts under load, behind load balancers with and without health checks: no request fails.

import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { submission } from "../harness/access/access-requests.ts";
import {
	type Caller,
	createCaller,
	NODES_SKIPPED,
	type Node,
	type Nodes,
	type Reply,
	startNodes,
} from "../harness/processes/nodes.ts";
import { NGINX_SKIPPED, startNginx } from "../harness/proxies/nginx.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { ADMIN, type Credentials } from "../harness/service/service.ts";

/** Restarts behind each load balancer; the nodes take turns. */
const RESTARTS = atDepth({ quick: 2, all: 2, long: 20 });
const CALLERS = 4;
/** The pause between two calls of a caller: a node must start on the same CPUs. */
const PAUSE_MS = 40;
const DEADLINE_MS = 60_000;
const READS =
	'latchkey_http_request_duration_seconds_count{method="GET",route="/api/v1/users/me",status="200"}';

interface Ledger {
	acknowledged: number;
	/** Ids of acknowledged access requests. */
	readonly written: string[];
	readonly failed: string[];
}

interface Load {
	readonly token: string;
	readonly client: Credentials;
	readonly isOver: () => boolean;
	readonly ledger: Ledger;
}

/** Alternates reads, signed calls, and writes, without retries. */
async function callInARow(caller: Caller, { token, client, isOver, ledger }: Load): Promise<void> {
	const calls: readonly (() => Promise<Reply>)[] = [
		() => caller.call("GET", "/api/v1/users/me", { token }),
		() => caller.signed(client, "GET", "/api/v1/external/whoami"),
		() => caller.call("POST", "/api/v1/access-requests", { body: submission() }),
	];
	for (let turn = 0; !isOver(); turn++) {
		const call = calls[turn % calls.length] as () => Promise<Reply>;
		const response = await call().catch((error: Error) => error);
		if (response instanceof Error) ledger.failed.push(`call ${turn % 3}: ${response.message}`);
		else if (response.status > 201)
			ledger.failed.push(`call ${turn % 3}: ${response.status} ${JSON.stringify(response.body)}`);
		else {
			ledger.acknowledged += 1;
			if (response.status === 201) ledger.written.push(response.body.id);
		}
		await setTimeout(PAUSE_MS);
	}
}

/** Resolves when the restarted node receives requests again: only then may the other node stop. */
async function takesCalls(node: Node): Promise<void> {
	const deadline = performance.now() + DEADLINE_MS;
	while ((await node.figure(READS)) === 0) {
		assert.ok(performance.now() < deadline, "the balancer does not use the restarted node");
		await setTimeout(20);
	}
}

async function restartUnderLoad({ nodes }: Nodes, callers: readonly Caller[], t: TestContext): Promise<void> {
	const admin = nodes[0].caller();
	const token = (await admin.signIn(ADMIN.username, ADMIN.password)).access_token;
	const add = async (path: string, body: object) =>
		(await admin.call("POST", `/api/v1${path}`, { token, body })).body.data;
	const { id } = await add("/applications", { name: `Load ${crypto.randomUUID()}` });
	const client = await add("/api-clients", { app_id: id, name: "Load" });
	const ledger: Ledger = { acknowledged: 0, written: [], failed: [] };
	let isOver = false;
	const load = callers.map((caller) => callInARow(caller, { token, client, isOver: () => isOver, ledger }));
	try {
		for (let restart = 0; restart < RESTARTS; restart++) {
			const node = nodes[restart % 2] as Node;
			node.program.kill("SIGTERM");
			assert.equal((await node.program.exited).code, 0);
			await node.start();
			await takesCalls(node);
		}
	} finally {
		isOver = true;
		await Promise.all(load);
	}
	const sample = ledger.written.slice(-100);
	let found = 0;
	for (const written of sample)
		found += Number((await admin.call("GET", `/api/v1/requests/${written}`, { token })).status === 200);
	t.diagnostic(
		`${RESTARTS} restarts, ${ledger.acknowledged} acknowledged, ${ledger.failed.length} failed; ` +
			`of the last ${sample.length} writes ${found} found`,
	);
	assert.deepEqual(ledger.failed, []);
	assert.equal(found, sample.length);
	assert.ok(ledger.acknowledged > RESTARTS * 20, `${ledger.acknowledged} acknowledged`);
}

describe("a rolling restart under load fails no request", { skip: NODES_SKIPPED || NGINX_SKIPPED }, () => {
	const installation = fixture(() => startNodes({ LATCHKEY_DRAIN_SECONDS: "1" }), "remove");

	test("behind HAProxy, which checks /health", async (t) => {
		const callers = Array.from({ length: CALLERS }, () => installation.caller());
		await restartUnderLoad(installation, callers, t);
	});

	test("behind nginx, which notices refused connections", async (t) => {
		const nginx = await startNginx(installation.nodes);
		const callers = Array.from({ length: CALLERS }, () =>
			createCaller(`https://127.0.0.1:${nginx.httpsPort}`, { localAddress: "127.0.0.2" }),
		);
		try {
			await restartUnderLoad(installation, callers, t);
		} finally {
			for (const caller of callers) caller.close();
			await nginx.remove();
		}
	});
});
