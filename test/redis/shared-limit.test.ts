// Two nodes and one Redis: both count one limit together, at one round trip per request; without Redis each counts alone.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { RedisPatience } from "../../src/adapters/redis/redis-link.ts";
import { SharedRateLimits } from "../../src/adapters/redis/shared-rate-limits.ts";
import type { RateVerdict } from "../../src/http/run/rate-limit.ts";
import type { Log } from "../../src/kernel/log.ts";
import { OWN_REDIS_SKIPPED, type OwnRedis, startOwnRedis } from "../harness/databases/own-redis.ts";

const LIMIT = 100;
/** Bounds a hang. */
const DEADLINE_MS = 30_000;
/** A node that waits for every response, so that the counts do not depend on the load of the machine. */
const PATIENT: RedisPatience = { responseMs: DEADLINE_MS, silenceMs: DEADLINE_MS };

interface Node {
	readonly limits: SharedRateLimits;
	readonly lines: string[];
	take(key: string): Promise<RateVerdict>;
}

describe("rate limits shared by nodes", { skip: OWN_REDIS_SKIPPED }, () => {
	let server: OwnRedis;
	const nodes: Node[] = [];
	before(async () => {
		server = await startOwnRedis();
	});
	after(async () => {
		for (const { limits } of nodes) limits.close();
		await server.remove();
	});

	async function startNode(
		installation: string,
		{ url = server.url, patience }: { readonly url?: string; readonly patience?: RedisPatience } = {
			patience: PATIENT,
		},
	): Promise<Node> {
		const lines: string[] = [];
		const write = (_fields: object, message: string): void => void lines.push(message);
		const log: Log = { isDebug: false, debug: write, info: write, warn: write, error: write };
		const monotonicMs = (): number => performance.now();
		const limits = new SharedRateLimits({
			url,
			installation,
			perMinute: LIMIT,
			clientPerMinute: 10,
			gatePerMinute: 0,
			monotonicMs,
			...(patience !== undefined && { patience }),
			log,
		});
		await limits.open();
		const node = {
			limits,
			lines,
			take: async (key: string) => (await limits.service?.take(key)) as RateVerdict,
		};
		nodes.push(node);
		return node;
	}

	/** Two nodes of a new installation. */
	async function startPair(): Promise<readonly [Node, Node]> {
		const name = `pair-${nodes.length}`;
		return [await startNode(name), await startNode(name)];
	}

	const allowed = async (asked: readonly Promise<RateVerdict>[]): Promise<number> =>
		(await Promise.all(asked)).filter((verdict) => verdict.allowed).length;
	const burst = (node: Node, key: string, count: number): Promise<RateVerdict>[] =>
		Array.from({ length: count }, () => node.take(key));
	async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
		const deadline = performance.now() + DEADLINE_MS;
		while (!(await isTrue())) {
			assert.ok(performance.now() < deadline, `waited 30 s until ${what}`);
			await new Promise((resolve) => setTimeout(resolve, 10));
		}
	}
	/** Commands that Redis has run, without the one that counts them. */
	async function commands(): Promise<number> {
		const client = server.client();
		await client.connect();
		const stats = await client.info("commandstats");
		client.disconnect();
		return [...stats.matchAll(/cmdstat_(?:eval|evalsha|lrem):calls=(\d+)/g)].reduce(
			(sum, [, calls]) => sum + Number(calls),
			0,
		);
	}

	test("two nodes allow a hundred requests together; refused requests do not count", async () => {
		const [a, b] = await startPair();
		assert.equal(await allowed([...burst(a, "k1", 150), ...burst(b, "k1", 150)]), LIMIT);
		assert.equal(await allowed([...burst(a, "k2", 30), ...burst(b, "k2", 30)]), 60);
		assert.equal(await allowed(burst(b, "k2", 50)), 40);
		const refused = await a.take("k2");
		assert.deepEqual([refused.allowed, refused.limit, refused.remaining], [false, LIMIT, 0]);
		assert.ok(refused.resetSeconds > 50 && refused.resetSeconds <= 60);
	});

	test("two nodes count an OAuth client together, apart from the service's limit", async () => {
		const [a, b] = await startPair();
		const take = (node: Node, key: string) => Promise.resolve(node.limits.clients?.take(key));
		const verdicts = await Promise.all(
			Array.from({ length: 20 }, (_, index) => take(index % 2 === 0 ? a : b, "client")),
		);
		assert.equal(verdicts.filter((verdict) => verdict?.allowed).length, 10);
		assert.equal((await take(b, "other client"))?.allowed, true);
		assert.equal(await allowed(burst(a, "client", 20)), 20);
	});

	test("two installations on one Redis count separately", async () => {
		const [a, b] = [await startNode("first"), await startNode("second")];
		assert.equal(await allowed([...burst(a, "k", LIMIT), ...burst(b, "k", LIMIT)]), 2 * LIMIT);
	});

	test("a request takes one round trip, even with a route's own limit, and none after the node's own count reaches the limit", async () => {
		const node = await startNode("round-trips");
		const before = await commands();
		assert.equal(await allowed(burst(node, "k", 60)), 60);
		assert.equal((await commands()) - before, 60);
		const route = node.limits.ofRoute("POST /narrow", 10);
		const middle = await commands();
		for (let sent = 0; sent < 12; sent++) {
			const verdict = await route.take("r");
			assert.equal(verdict.service?.allowed, true);
			assert.equal(verdict.admitted().allowed, sent < 10);
		}
		assert.equal((await commands()) - middle, 12);
		await Promise.all(burst(node, "k", 40));
		const late = await commands();
		assert.equal(await allowed(burst(node, "k", 500)), 0);
		assert.equal((await commands()) - late, 0);
	});

	test("a released slot is free on both nodes, and a reserved slot is taken on both", async () => {
		const [a, b] = await startPair();
		for (let sent = 0; sent < 3 * LIMIT; sent++) (await a.limits.provisional.take("k")).giveBack();
		for (let sent = 0; sent < 10; sent++)
			assert.equal((await a.limits.provisional.take("k")).service?.allowed, true);
		// Slots are released without waiting for Redis.
		await until(async () => (await b.take("k")).remaining >= LIMIT - 50, "the places are free");
		assert.ok((await allowed(burst(b, "k", LIMIT))) < LIMIT - 9);
	});

	test("a route's own limit is shared, and counts only admitted requests", async () => {
		const [a, b] = await startPair();
		const routes = [a, b].map(({ limits }) => limits.ofRoute("POST /narrow", 10));
		for (let sent = 0; sent < 30; sent++) (await routes[sent % 2]?.take("k"))?.giveBack();
		const admit = async (turn: number): Promise<boolean> => {
			const verdict = await routes[turn % 2]?.take("k");
			return verdict?.admitted().allowed === true;
		};
		const turns: boolean[] = [];
		for (let turn = 0; turn < 14; turn++) turns.push(await admit(turn));
		assert.equal(turns.filter(Boolean).length, 10);
		assert.deepEqual(turns.slice(0, 10).every(Boolean), true);
		// The service's limit has counted every one of them, admitted or not: 44 of 100.
		assert.equal(await allowed(burst(a, "k", LIMIT)), LIMIT - 44);
	});

	test("SCRIPT FLUSH loses no count", async () => {
		const node = await startNode("flush");
		assert.equal((await node.take("k")).allowed, true);
		const client = server.client();
		await client.connect();
		await client.script("FLUSH");
		const next = await node.take("k");
		assert.deepEqual([next.allowed, next.remaining], [true, LIMIT - 2]);
		assert.deepEqual([node.limits.isLocal, node.lines], [false, []]);
	});

	test("nodes count alone while Redis is down, remember their counts, and log each change once", async () => {
		const [a, b] = [await startNode("kill"), await startNode("kill")];
		assert.equal(await allowed([...burst(a, "k", 40), ...burst(b, "k", 40)]), 80);
		await server.signal("SIGKILL");
		await until(() => a.limits.isLocal && b.limits.isLocal, "both know");
		// Each node remembers the requests that it admitted.
		assert.equal(await allowed(burst(a, "k", 200)), 60);
		assert.equal(await allowed(burst(b, "k", 200)), 60);
		assert.equal(a.limits.countedLocally, 60);
		await server.start();
		await until(() => !a.limits.isLocal && !b.limits.isLocal, "both are back");
		// Redis has forgotten everything; the nodes have not.
		assert.equal(await allowed([...burst(a, "k", 100), ...burst(b, "k", 100)]), 0);
		assert.equal(await allowed([...burst(a, "new", 150), ...burst(b, "new", 150)]), LIMIT);
		for (const { lines } of [a, b])
			assert.deepEqual(lines, [
				"Redis is unavailable: this node counts requests by itself",
				"Redis is available again: all nodes count requests together",
			]);
	});

	test("requests are decided while Redis is frozen, and only the first ones wait for it", async () => {
		const node = await startNode("freeze", {});
		await node.take("k");
		await server.signal("SIGSTOP");
		try {
			let rounds = 0;
			for (; !node.limits.isLocal; rounds++) assert.equal(await allowed(burst(node, "k", 10)), 10);
			// Each round waits 100 ms, and 250 ms of silence end the connection.
			assert.ok(rounds <= 4, `${rounds} rounds of waiting`);
			// Decided synchronously: not a promise.
			assert.ok("allowed" in (node.limits.service?.take("k") ?? {}));
		} finally {
			await server.signal("SIGCONT");
		}
		await until(() => !node.limits.isLocal, "it is back");
		assert.equal(node.lines.length, 2);
	});

	test("a pause shorter than the silence limit keeps the connection", async () => {
		const node = await startNode("pause", { patience: { ...PATIENT, responseMs: 1_000 } });
		await node.take("k");
		await server.signal("SIGSTOP");
		assert.equal((await node.take("k")).allowed, true);
		assert.equal(node.limits.countedLocally, 1);
		await server.signal("SIGCONT");
		// Redis counts the request when it continues.
		await until(async () => (await node.take("k")).remaining < LIMIT - 3, "Redis has caught up");
		assert.deepEqual([node.limits.isLocal, node.lines], [false, []]);
	});

	test("a Redis user needs only the documented rights", async () => {
		const documented = readFileSync("docs/operations.md", "utf8");
		const [, list = ""] = /A user with few rights needs\s+(.*?) on `latchkey:\*`/s.exec(documented) ?? [];
		const rights = [...list.matchAll(/`([A-Z ]+)`/g)].map(
			([, name = ""]) => `+${name.toLowerCase().replace(" ", "|")}`,
		);
		assert.ok(rights.length > 10);
		const client = server.client();
		await client.connect();
		await client.call("ACL", "SETUSER", "latchkey", "reset", "on", ">pass", "~latchkey:*", ...rights);
		const node = await startNode("rights", {
			url: `redis://latchkey:pass@127.0.0.1:${server.port}/5`,
			patience: PATIENT,
		});
		const route = node.limits.ofRoute("POST /narrow", 10);
		(await route.take("k")).giveBack();
		assert.equal((await node.take("k")).remaining, LIMIT - 2);
		const held = await route.take("k");
		assert.deepEqual([held.admitted().remaining, node.lines], [9, []]);
	});

	test("a Redis that cannot count is unavailable: full, read-only, or with another password", async () => {
		const node = await startNode("refusing");
		const client = server.client();
		await client.connect();
		await client.config("SET", "maxmemory", "1");
		assert.equal((await node.take("k")).allowed, true);
		assert.equal(node.limits.isLocal, true);
		await client.config("SET", "maxmemory", "0");
		await until(() => !node.limits.isLocal, "it has room again");
		await client.replicaof("127.0.0.1", 1);
		assert.equal((await node.take("k")).allowed, true);
		assert.equal(node.limits.isLocal, true);
		await client.replicaof("NO", "ONE");
		await until(() => !node.limits.isLocal, "it is a primary again");
		await client.config("SET", "requirepass", "other");
		const stranger = await startNode("refusing");
		assert.deepEqual([stranger.limits.isLocal, stranger.lines.length], [true, 1]);
		await client.config("SET", "requirepass", "");
		await until(() => !stranger.limits.isLocal, "it needs no password any more");
	});
});

describe("a link with TLS and a password", { skip: OWN_REDIS_SKIPPED }, () => {
	test("checks the certificate, and accepts a password with special characters", async () => {
		const server = await startOwnRedis({ tls: true, password: "p@ss/w:rd %" });
		const lines: object[] = [];
		const write = (fields: object): void => void lines.push(fields);
		const log: Log = { isDebug: false, debug: write, info: write, warn: write, error: write };
		const options = {
			installation: "tls",
			perMinute: LIMIT,
			clientPerMinute: 10,
			gatePerMinute: 0,
			monotonicMs: () => performance.now(),
			log,
		};
		const strict = new SharedRateLimits({ ...options, url: server.url });
		try {
			await strict.open();
			assert.equal(strict.isLocal, true);
			assert.match(JSON.stringify(lines), /self-signed certificate/);
			assert.doesNotMatch(JSON.stringify(lines), /p@ss|p%40ss/);
		} finally {
			strict.close();
			await server.remove();
		}
	});
});
