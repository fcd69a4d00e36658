// Sentinel and Cluster: nodes count together, go on at the promoted replica, and say what is wrong.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Redis } from "ioredis";
import { inspectRedis } from "../../src/adapters/redis/inspect-redis.ts";
import { slotOf } from "../../src/adapters/redis/redis-shards.ts";
import { SharedRateLimits } from "../../src/adapters/redis/shared-rate-limits.ts";
import type { Log } from "../../src/kernel/log.ts";
import { OWN_REDIS_SKIPPED } from "../harness/databases/own-redis.ts";
import { type RedisSet, startCluster, startSentinels } from "../harness/databases/redis-sets.ts";
import { freePorts, ownSettings, runProgram, startProgram } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";

const LIMIT = 100;
const USER = { name: "latchkey", password: "p@ss/w:rd%" };
/** The contract: a promoted replica is in use after five seconds. */
const PROMOTED_MS = 5_000;

async function startNode(url: string, lines: string[] = []) {
	const write = (fields: object, message: string): void =>
		void lines.push(`${message} ${JSON.stringify(fields)}`);
	const log: Log = { isDebug: false, debug: write, info: write, warn: write, error: write };
	const limits = new SharedRateLimits({
		url,
		installation: "set",
		perMinute: LIMIT,
		clientPerMinute: 0,
		gatePerMinute: 0,
		monotonicMs: () => performance.now(),
		patience: { responseMs: 5_000, silenceMs: 5_000 },
		log,
	});
	await limits.open();
	return limits;
}

async function allowed(nodes: readonly SharedRateLimits[], key: string): Promise<number> {
	const asked = nodes.flatMap((limits) => Array.from({ length: LIMIT }, () => limits.service?.take(key)));
	return (await Promise.all(asked)).filter((verdict) => verdict?.allowed).length;
}

/** Kills the primary; returns the time from the promotion until every node counts there. */
async function failOver(set: RedisSet, nodes: readonly SharedRateLimits[]): Promise<number> {
	await set.primary.signal("SIGKILL");
	await set.promoted();
	const began = performance.now();
	while (nodes.some(({ isLocal }) => isLocal)) {
		assert.ok(performance.now() - began < PROMOTED_MS, "no node counts at the promoted replica after 5 s");
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	return performance.now() - began;
}

/** The service counts with its own user over TLS, through the failover. */
async function programThrough(set: RedisSet, name: RegExp): Promise<void> {
	using folder = temporaryFolder();
	const env = {
		...(await ownSettings(`${folder.path}/data`)),
		LATCHKEY_REDIS_URL: set.url,
		NODE_EXTRA_CA_CERTS: set.certFile,
	};
	const program = await startProgram({ env });
	try {
		assert.doesNotMatch(program.stderr(), /Redis/);
		const doctor = await runProgram(["doctor", "--skip-integrity"], { env });
		assert.match(doctor.stdout, name);
		await set.primary.signal("SIGKILL");
		await program.printed(/Redis is unavailable: this node counts requests by itself/);
		await set.promoted();
		await program.printed(/Redis is available again: all nodes count requests together/, PROMOTED_MS);
		const health = (await (await fetch(`${program.httpUrl}/health`)).json()) as unknown as {
			data: { checks: { redis: string } };
		};
		assert.equal(health.data.checks.redis, "ok");
		assert.doesNotMatch(program.stderr() + doctor.stdout, /p@ss|p%40ss/);
	} finally {
		await program.end();
	}
}

describe("Redis with Sentinel", { skip: OWN_REDIS_SKIPPED }, () => {
	test("two nodes count together, before and after the primary is killed", async (context) => {
		const set = await startSentinels();
		const lines: string[] = [];
		const nodes = [await startNode(set.url, lines), await startNode(set.url)];
		try {
			assert.equal(await allowed(nodes, "before"), LIMIT);
			context.diagnostic(`in use ${Math.round(await failOver(set, nodes))} ms after the promotion`);
			assert.equal(await allowed(nodes, "after"), LIMIT);
			assert.match(lines.join("\n"), /^Redis is unavailable: [^\n]+\nRedis is available again: [^\n]+$/);
		} finally {
			for (const node of nodes) node.close();
			await set.remove();
		}
	});

	test("moves to the new primary although the old one still responds", async () => {
		const set = await startSentinels();
		const node = await startNode(set.url);
		try {
			const [port] = /\d+(?=,)/.exec(set.url) ?? [];
			const sentinel = new Redis(Number(port));
			await sentinel.call("SENTINEL", "FAILOVER", "main");
			sentinel.disconnect();
			await set.promoted();
			const client = set.replica.client();
			await client.connect();
			const began = performance.now();
			for (let key = 0; (await client.dbsize()) < 3; key++) {
				assert.ok(performance.now() - began < PROMOTED_MS, "does not count there after 5 s");
				await node.service?.take(`key-${key}`);
			}
		} finally {
			node.close();
			await set.remove();
		}
	});

	test("with TLS and a user of its own", async () => {
		const set = await startSentinels(USER);
		try {
			await programThrough(
				set,
				/^ok +redis +(?:Redis|Valkey) ?\S* \(primary 127\.0\.0\.1:\d+\) counts requests/m,
			);
		} finally {
			await set.remove();
		}
	});

	test("says which Sentinel knows no such primary, and that none responds", async () => {
		const set = await startSentinels();
		const [port] = await freePorts(1);
		try {
			for (const [url, reason] of [
				[set.url.replace("/main", "/other"), /No such master/],
				[`redis+sentinel://:hunter2@127.0.0.1:${port}/main`, /ECONNREFUSED/],
			] as const) {
				const lines: string[] = [];
				const node = await startNode(url, lines);
				assert.equal(node.isLocal, true);
				node.close();
				assert.match(lines.join("\n"), reason);
				const { problem = "" } = await inspectRedis(url, Date.now);
				assert.match(problem, reason);
				assert.doesNotMatch(problem + lines.join(), /hunter2/);
			}
		} finally {
			await set.remove();
		}
	});
});

describe("Redis Cluster", { skip: OWN_REDIS_SKIPPED }, () => {
	test("finds the slot of a key as the server does", async () => {
		const set = await startCluster();
		try {
			const client = set.primary.client();
			await client.connect();
			for (const key of ["", "a", "{b}:c", "{}d", "a{{e}}f", "latchkey:x:{2001:db8::1}:POST /a", "{é"])
				assert.equal(slotOf(key), await client.cluster("KEYSLOT", key), key);
		} finally {
			await set.remove();
		}
	});

	test("two nodes count together on three shards, and after one is killed", async (context) => {
		const set = await startCluster();
		const nodes = [await startNode(set.url), await startNode(set.url)];
		const keys = Array.from({ length: 12 }, (_, at) => `key-${at}`);
		try {
			for (const key of keys) assert.equal(await allowed(nodes, key), LIMIT);
			const sizes = await Promise.all(
				set.primaries.map(async (server) => {
					const client = server.client();
					await client.connect();
					return client.dbsize();
				}),
			);
			assert.ok(
				sizes.every((size) => size > 1),
				`keys per shard: ${sizes.join(", ")}`,
			);
			const route = nodes[0]?.ofRoute("POST /narrow", 10);
			for (let sent = 0; sent < 12; sent++)
				assert.equal((await route?.take("route"))?.admitted().allowed, sent < 10);
			context.diagnostic(`in use ${Math.round(await failOver(set, nodes))} ms after the promotion`);
			for (const key of keys) assert.equal(await allowed(nodes, `${key} after`), LIMIT);
		} finally {
			for (const node of nodes) node.close();
			await set.remove();
		}
	});

	test("with TLS and a user of its own", async () => {
		const set = await startCluster(USER);
		try {
			await programThrough(
				set,
				/^ok +redis +(?:Redis|Valkey) ?\S* \(cluster, 3 primaries\) counts requests/m,
			);
		} finally {
			await set.remove();
		}
	});
});
