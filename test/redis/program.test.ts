// The program with Redis: starts with and without it, /health, /metrics, and `latchkey doctor`.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspectRedis } from "../../src/adapters/redis/inspect-redis.ts";
import { examineRedis } from "../../src/ops/doctor/servers.ts";
import { OWN_REDIS_SKIPPED, startOwnRedis } from "../harness/databases/own-redis.ts";
import {
	freePorts,
	ownSettings,
	type ReadyProgram,
	runProgram,
	startProgram,
} from "../harness/processes/program.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";

const PASSWORD = "p@ss/w:rd %";

/** What the service checks without Redis. */
const OWN = { database: "ok", database_integrity: "ok", clock: "ok" };

describe("latchkey with Redis", { skip: OWN_REDIS_SKIPPED }, () => {
	const server = fixture(() => startOwnRedis({ tls: true, password: PASSWORD }), "remove");

	async function settings(folder: string, url: string): Promise<Record<string, string>> {
		const [metricsPort] = await freePorts(1);
		return {
			...(await ownSettings(`${folder}/data`)),
			LATCHKEY_RATE_LIMIT_PER_MINUTE: "50",
			LATCHKEY_REDIS_URL: url,
			LATCHKEY_METRICS_PORT: String(metricsPort),
			NODE_EXTRA_CA_CERTS: server.certFile,
		};
	}

	const health = async ({ httpUrl }: ReadyProgram) => {
		const response = await fetch(`${httpUrl}/health`);
		return {
			status: response.status,
			body: (await response.json()) as unknown as { data: { status: string; checks: object } },
		};
	};
	const isLocal = async (env: Record<string, string>): Promise<string | undefined> => {
		const text = await (await fetch(`http://127.0.0.1:${env.LATCHKEY_METRICS_PORT}/metrics`)).text();
		return /^latchkey_rate_limit_local (\d)$/m.exec(text)?.[1];
	};

	test("counts in Redis over TLS, logs when Redis is unavailable and back, and exits with 0", async () => {
		using folder = temporaryFolder();
		const env = await settings(folder.path, server.url);
		const program = await startProgram({ env });
		try {
			assert.doesNotMatch(program.stderr(), /Redis/);
			const there = await health(program);
			assert.equal(there.status, 200);
			assert.deepEqual(there.body.data.checks, { ...OWN, redis: "ok" });
			assert.equal(await isLocal(env), "0");
			const client = server.client();
			await client.connect();
			const [key = ""] = await client.keys("latchkey:*:{127.0.0.1}:service");
			assert.match(key, /^latchkey:[0-9a-f-]{36}:/);
			assert.equal(await client.llen(key), 1);

			await server.signal("SIGKILL");
			await program.printed(/Redis is unavailable: this node counts requests by itself/);
			const away = await health(program);
			assert.deepEqual([away.status, away.body.data.status], [200, "ok"]);
			assert.deepEqual(away.body.data.checks, { ...OWN, redis: "degraded" });
			assert.equal(await isLocal(env), "1");
			await server.start();
			await program.printed(/Redis is available again: all nodes count requests together/);
			assert.deepEqual((await health(program)).body.data.checks, { ...OWN, redis: "ok" });
			assert.equal(await isLocal(env), "0");
			assert.doesNotMatch(program.stderr(), /p@ss|p%40ss/);

			program.kill("SIGTERM");
			assert.equal((await program.exited).code, 0);
		} finally {
			await program.end();
		}
	});

	test("starts without Redis, logs it once, and counts alone", async () => {
		using folder = temporaryFolder();
		const [port] = await freePorts(1);
		const program = await startProgram({
			env: await settings(folder.path, `redis://:hunter2@127.0.0.1:${port}/3`),
		});
		try {
			assert.match(program.stderr(), /"redis":"127\.0\.0\.1:\d+\/3","error":"connect ECONNREFUSED/);
			assert.doesNotMatch(program.stderr(), /hunter2/);
			const statuses = await Promise.all(
				Array.from({ length: 60 }, async () => (await health(program)).status),
			);
			assert.equal(statuses.filter((status) => status === 200).length, 50);
			assert.equal(statuses.filter((status) => status === 429).length, 10);
			assert.equal(program.stderr().match(/Redis is unavailable/g)?.length, 1);
			program.kill("SIGTERM");
			assert.equal((await program.exited).code, 0);
		} finally {
			await program.end();
		}
	});

	test("starts and stops while Redis is frozen", async () => {
		using folder = temporaryFolder();
		await server.signal("SIGSTOP");
		const program = await startProgram({ env: await settings(folder.path, server.url) }).finally(() =>
			server.signal("SIGCONT"),
		);
		try {
			// Either the time limit of the connection or of the response is exceeded first.
			assert.match(program.stderr(), /"error":"(?:no response within 2000 ms|connect ETIMEDOUT)"/);
			await program.printed(/Redis is available again/);
			await server.signal("SIGSTOP");
			assert.equal((await health(program)).status, 200);
			program.kill("SIGTERM");
			// It exits although Redis never responds.
			assert.equal((await program.exited).code, 0);
		} finally {
			await server.signal("SIGCONT");
			await program.end();
		}
	});

	test("logs that the server expects no password", async () => {
		using folder = temporaryFolder();
		const open = await startOwnRedis();
		const program = await startProgram({
			env: await settings(folder.path, open.url.replace("//", "//:hunter2@")),
		});
		try {
			const lines = program.stderr().trim().split("\n");
			const logged = lines.map((line) => JSON.parse(line) as { msg: string; error?: string });
			assert.match(
				logged.find(({ msg }) => msg.startsWith("Redis is unavailable"))?.error ?? "",
				/without any password/,
			);
			assert.doesNotMatch(program.stderr(), /hunter2/);
		} finally {
			await program.end();
			await open.remove();
		}
	});

	test("doctor counts once, and reports a wrong password without printing it", async () => {
		using folder = temporaryFolder();
		const env = await settings(folder.path, server.url);
		assert.equal((await runProgram(["migrate"], { env })).code, 0);
		const right = await runProgram(["doctor"], { env });
		assert.match(right.stdout, /^ok +redis +(Redis|Valkey) \S+ counts requests, in [0-9.]+ ms$/m);
		const wrong = { ...env, LATCHKEY_REDIS_URL: server.url.replace("p%40ss", "hunter2") };
		const { code, stdout } = await runProgram(["doctor"], { env: wrong });
		assert.match(stdout, /^fail +redis.*(?:WRONGPASS|NOAUTH)/m);
		assert.equal(code, 1);
		assert.doesNotMatch(stdout, /hunter2|p@ss|p%40ss/);
	});

	test("the doctor compares the clock with that of Redis", async () => {
		const open = await startOwnRedis();
		try {
			const clockAt = async (aheadMs: number): Promise<(string | undefined)[]> => {
				const config = { redisUrl: open.url, databaseUrl: null };
				const checks = await examineRedis(config, () => Date.now() + aheadMs);
				return checks.map(({ code }) => code);
			};
			assert.deepEqual(await clockAt(0), ["redis.counting"]);
			assert.deepEqual(await clockAt(90_000), ["redis.counting", "clock.differs"]);
			assert.deepEqual(await clockAt(-90_000), ["redis.counting", "clock.differs"]);
		} finally {
			await open.remove();
		}
	});

	test("the check of the doctor names the reason, without the password", async () => {
		const open = await startOwnRedis();
		try {
			for (const [url, reason] of [
				[server.url, /self-signed certificate/],
				["redis://:hunter2@127.0.0.1:1", /ECONNREFUSED/],
				// It must not fall back to database 0, where another service may count.
				[`${open.url}/9999`, /DB index is out of range/],
			] as const) {
				const { problem = "" } = await inspectRedis(url, Date.now);
				assert.match(problem, reason);
				assert.doesNotMatch(problem, /hunter2|p@ss|p%40ss/);
			}
		} finally {
			await open.remove();
		}
	});
});
