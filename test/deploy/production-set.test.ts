// The set in deploy/compose/production runs, and survives the loss of its database and of its Redis as its README says.

import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { until } from "../harness/databases/ledger.ts";
import { OWN_POSTGRES_SKIPPED } from "../harness/databases/own-postgres.ts";
import { OWN_REDIS_SKIPPED } from "../harness/databases/own-redis.ts";
import { type Caller, createCaller } from "../harness/processes/nodes.ts";
import {
	type PostgresName,
	type ProductionSet,
	startProductionSet,
} from "../harness/processes/production-set.ts";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { NGINX_SKIPPED } from "../harness/proxies/nginx.ts";
import { type OperatorShell, openShell, shellBlocks } from "../harness/runs/operator-shell.ts";
import { ADMIN } from "../harness/service/service.ts";

const README = "deploy/compose/production/README.md";
const SKIPPED: false | string =
	OWN_POSTGRES_SKIPPED ||
	OWN_REDIS_SKIPPED ||
	NGINX_SKIPPED ||
	skippedWithout("psql", "openssl", "redis-cli") ||
	(process.getuid?.() !== 0 && "make-secrets.sh needs root");

describe("the production set", { skip: SKIPPED }, () => {
	const [withoutStandby, promote, requireStandby] = shellBlocks(README);
	let set: ProductionSet;
	let caller: Caller;
	let shell: OperatorShell;
	before(async () => {
		set = await startProductionSet();
		caller = createCaller(`https://127.0.0.1:${set.proxy.httpsPort}`, {});
		const password = readFileSync(join(set.folder, "secrets/redis_password"), "utf8").trim();
		shell = openShell({ PGDATABASE: "latchkey", REDISCLI_AUTH: password });
		// `docker compose exec SERVICE COMMAND`: the command, connected as inside of the container.
		const cases = (["postgres-1", "postgres-2"] as const satisfies readonly PostgresName[]).map((name) => {
			const { PGHOST, PGPORT } = set.inside(name);
			return `"compose exec ${name}") export PGHOST='${PGHOST}' PGPORT='${PGPORT}';;`;
		});
		const script = `#!/bin/sh\ncase "$1 $2 $3" in\n${cases.join("\n")}\n*) exit 64;;\nesac\nshift 3\nexec "$@"\n`;
		writeFileSync(shell.place("bin/docker"), script, { mode: 0o755 });
	});
	after(async () => {
		caller?.close();
		shell?.[Symbol.dispose]();
		await set?.remove();
	});

	const ask = async (name: PostgresName, sql: string): Promise<string> =>
		(await shell.run(`docker compose exec ${name} psql --username latchkey -At --command "${sql}"`)).trim();
	const isSynchronous = (name: PostgresName) => async () =>
		(await ask(name, "SELECT sync_state FROM pg_stat_replication")) === "sync";
	const redisStates = async (): Promise<string[]> =>
		Promise.all(
			set.nodes.map(async ({ httpUrl }) => {
				const response = await fetch(`${httpUrl}/health`);
				return ((await response.json()) as { data: { checks: { redis: string } } }).data.checks.redis;
			}),
		);
	const signIn = () =>
		caller.call("POST", "/api/v1/auth/login", {
			body: { username: ADMIN.username, password: ADMIN.password },
		});

	test("has secrets that only the user of their container can read", () => {
		for (const [name, uid] of [
			["redis_password", 999],
			["master_key", 10_001],
			["smtp_url", 10_001],
		] as const) {
			const { mode, uid: owner } = statSync(join(set.folder, "secrets", name));
			assert.deepEqual([mode & 0o777, owner], [0o400, uid], name);
		}
	});

	test("serves through nginx, with a synchronous standby and one count of requests", async () => {
		assert.equal((await signIn()).status, 200);
		await until("a synchronous standby", isSynchronous("postgres-1"));
		assert.deepEqual(await redisStates(), ["ok", "ok"]);
	});

	test("follows the replica that the Sentinels promote", async () => {
		await set.kill("redis-1");
		await until("the nodes notice", async () => (await redisStates()).every((state) => state === "degraded"));
		await until("the nodes use the replica", async () =>
			(await redisStates()).every((state) => state === "ok"),
		);
		assert.equal((await signIn()).status, 200);
		await set.restart("redis-1");
		await until("the old primary is a replica", async () => {
			const info = await shell.run(`redis-cli -p ${set.portOf("redis-1")} info replication`);
			return /^role:slave\r$/m.test(info) && /^master_link_status:up\r$/m.test(info);
		});
	});

	test("acknowledges no write without its standby, unless an operator decides so", async () => {
		await set.kill("postgres-2");
		assert.equal((await signIn()).status, 503);
		await shell.run(withoutStandby);
		await until("writes succeed", async () => (await signIn()).status === 200);
		await set.startStandby("postgres-2", "postgres-1");
		await shell.run(requireStandby?.replace("postgres-2", "postgres-1"));
		await until("the standby follows", isSynchronous("postgres-1"));
	});

	test("continues on the promoted standby, and gets a new one", async () => {
		const session = (await signIn()).body.data.access_token;
		await set.kill("postgres-1");
		await shell.run(promote);
		await until("the nodes use the standby", async () => (await signIn()).status === 200);
		const me = await caller.call("GET", "/api/v1/users/me", { token: session });
		assert.equal(me.status, 200, "the last acknowledged write is there");
		await shell.run(`rm -r "${join(set.folder, "databases/postgres-1")}"`);
		await set.startStandby("postgres-1", "postgres-2");
		await shell.run(requireStandby);
		await until("the new standby follows", isSynchronous("postgres-2"));
		assert.equal((await signIn()).status, 200);
	});
});
