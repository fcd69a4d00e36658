// Ten rolling restarts under load, behind a balancer that asks for /health and behind one that does not: no request fails.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { submission } from "../harness/access-requests.ts";
import { NGINX_SKIPPED, startNginx } from "../harness/nginx.ts";
import {
	type Caller,
	createCaller,
	NODES_SKIPPED,
	type Nodes,
	type Reply,
	startNodes,
} from "../harness/nodes.ts";
import { ADMIN, type Credentials } from "../harness/service.ts";

const CALLERS = 8;
/** Between two calls of a caller: a node has to start on the same two cores. */
const PAUSE_MS = 5;

interface Ledger {
	acknowledged: number;
	/** Ids of access requests that were acknowledged. */
	readonly written: string[];
	readonly failed: string[];
}

interface Load {
	readonly token: string;
	readonly client: Credentials;
	readonly isOver: () => boolean;
	readonly ledger: Ledger;
}

/** Reads, signed calls and writes in turn, one after the other, until it is over; nothing is tried twice. */
async function callInARow(caller: Caller, { token, client, isOver, ledger }: Load): Promise<void> {
	const calls: readonly (() => Promise<Reply>)[] = [
		() => caller.call("GET", "/api/v1/users/me", { token }),
		() => caller.signed(client, "GET", "/api/v1/external/whoami"),
		() => caller.call("POST", "/api/v1/access-requests", { body: submission() }),
	];
	for (let turn = 0; !isOver(); turn++) {
		const call = calls[turn % calls.length] as () => Promise<Reply>;
		const answer = await call().catch((error: Error) => error);
		if (answer instanceof Error) ledger.failed.push(`call ${turn % 3}: ${answer.message}`);
		else if (answer.status > 201)
			ledger.failed.push(`call ${turn % 3}: ${answer.status} ${JSON.stringify(answer.body)}`);
		else {
			ledger.acknowledged += 1;
			if (answer.status === 201) ledger.written.push(answer.body.id);
		}
		await setTimeout(PAUSE_MS);
	}
}

interface Pace {
	readonly restarts: number;
	/** Resolves when the balancer has taken the `count`th restarted node in again: only then may the next one go. */
	readonly isBack: (count: number) => Promise<unknown>;
}

async function restartUnderLoad(
	installation: Nodes,
	callers: readonly Caller[],
	{ restarts, isBack }: Pace,
): Promise<void> {
	const admin = installation.nodes[0].caller();
	const token = (await admin.signIn(ADMIN.username, ADMIN.password)).access_token;
	const made = async (path: string, body: object) =>
		(await admin.call("POST", `/api/v1${path}`, { token, body })).body.data;
	const { id } = await made("/applications", { name: "Load" });
	const client = await made("/api-clients", { app_id: id, name: "Load" });
	const ledger: Ledger = { acknowledged: 0, written: [], failed: [] };
	let isOver = false;
	const load = callers.map((caller) => callInARow(caller, { token, client, isOver: () => isOver, ledger }));
	let worstMs = 0;
	try {
		for (let restart = 0; restart < restarts; restart++) {
			const { program, start } = installation.nodes[restart % 2] as Nodes["nodes"][0];
			const began = performance.now();
			program.kill("SIGTERM");
			assert.equal((await program.exited).code, 0);
			worstMs = Math.max(worstMs, performance.now() - began);
			await start();
			await isBack(restart + 1);
		}
	} finally {
		isOver = true;
		await Promise.all(load);
	}
	let found = 0;
	for (const written of ledger.written.slice(-200))
		found += Number(
			(await admin.call("GET", `/api/v1/access-requests/${written}`, { token })).status === 200,
		);
	const sample = Math.min(200, ledger.written.length);
	console.log(
		`# ledger: ${restarts} restarts, ${ledger.acknowledged} acknowledged, ${ledger.failed.length} failed; ` +
			`of the last ${sample} writes ${found} found, ${sample - found} lost; slowest stop ${Math.round(worstMs)} ms`,
	);
	assert.deepEqual(ledger.failed, []);
	assert.equal(found, sample);
	assert.ok(ledger.acknowledged > 500, `${ledger.acknowledged} acknowledged`);
}

describe("rolling restarts", { skip: NODES_SKIPPED || NGINX_SKIPPED }, () => {
	test("behind HAProxy, which asks for /health", async () => {
		const installation = await startNodes({ LATCHKEY_DRAIN_SECONDS: "1" });
		const isBack = async (count: number): Promise<void> => {
			const deadline = performance.now() + 10_000;
			while ((installation.proxy.process.output().match(/ is UP/g)?.length ?? 0) < count) {
				assert.ok(performance.now() < deadline, installation.proxy.process.output());
				await setTimeout(20);
			}
		};
		try {
			await restartUnderLoad(
				installation,
				Array.from({ length: CALLERS }, () => installation.caller()),
				{ restarts: 10, isBack },
			);
		} finally {
			await installation.remove();
		}
	});

	test("behind nginx, which learns by being refused", async () => {
		const installation = await startNodes({ LATCHKEY_DRAIN_SECONDS: "1" });
		const nginx = await startNginx(installation.nodes);
		const callers = Array.from({ length: CALLERS }, () =>
			createCaller(`https://127.0.0.1:${nginx.httpsPort}`, { localAddress: "127.0.0.2" }),
		);
		try {
			// One that refused is left alone for up to two seconds, also when it is the only one by then.
			await restartUnderLoad(installation, callers, { restarts: 3, isBack: () => setTimeout(2_000) });
		} finally {
			for (const caller of callers) caller.close();
			await nginx.remove();
			await installation.remove();
		}
	});
});
