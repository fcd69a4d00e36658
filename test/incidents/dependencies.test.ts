// Incidents with Redis, the disk, and the mail server: the steps of docs/incidents.md with real ones.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Client } from "pg";
import { REQUESTS, submission } from "../harness/access/access-requests.ts";
import { until } from "../harness/databases/ledger.ts";
import { startUniquePostgres } from "../harness/databases/own-postgres.ts";
import { OWN_REDIS_SKIPPED, startOwnRedis } from "../harness/databases/own-redis.ts";
import { fill, mountSmallDisk, unmount } from "../harness/databases/small-disk.ts";
import { startMailServer } from "../harness/mail/mail-server.ts";
import { addPerson } from "../harness/people/people.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { startTestService, type TestService } from "../harness/service/service.ts";
import { SERVERS_SKIPPED, SHELL_SKIPPED, shellBeside, stepsOf } from "./steps.ts";

const OPERATOR = "ops@operator.example";

describe("docs/incidents.md", { skip: SERVERS_SKIPPED || OWN_REDIS_SKIPPED }, () => {
	test("Redis is unavailable: an empty server is used again without a restart", async () => {
		const steps = stepsOf("Redis is unavailable");
		const redis = await startOwnRedis({ password: "a long password" });
		const url = redis.url.replace("//:", "//default:");
		const env = { LATCHKEY_REDIS_URL: url, LATCHKEY_RATE_LIMIT_PER_MINUTE: "1000" };
		const service = await startTestService({ env, metrics: true });
		using shell = await shellBeside(service);
		Object.assign(shell.env, env, {
			REDIS_URL: url,
			METRICS_URL: `http://127.0.0.1:${service.metricsPort}/metrics`,
		});
		try {
			await redis.signal("SIGKILL");
			await until("each node counts by itself", async () => {
				await service.call("GET", "/health");
				return /Redis is unavailable/.test(service.logs());
			});
			await assert.rejects(stepsOf("Redis is unavailable").next(shell));
			await redis.start();
			assert.equal(await steps.next(shell), "PONG\n");
			await until("it is used again", () => /Redis is available again/.test(service.logs()));
			assert.match(await steps.next(shell), /^latchkey_rate_limit_local 0$/m);
			steps.end();
		} finally {
			await service.stop();
			await redis.remove();
		}
	});

	test("a full disk: deleted backups make room, and nothing is restarted", async (t) => {
		const disk = mountSmallDisk(180);
		if (disk === undefined) return t.skip("needs permission to mount a small file system");
		const steps = stepsOf("The disk is full");
		const backups = join(disk, "backups");
		mkdirSync(backups);
		const old = join(backups, "old.gz");
		const service = await startTestService({ dataDir: join(disk, "data") });
		const server = await startUniquePostgres();
		using shell = await shellBeside(service);
		const client = new Client({ connectionString: server.url });
		try {
			const submit = async () => (await service.call("POST", REQUESTS, { body: submission() })).status;
			assert.equal(await submit(), 201);
			fill(old, 0);
			utimesSync(old, 0, 0);
			await until("writes are refused", async () => (await submit()) === 503);
			await client.connect();
			await client.query("SELECT pg_create_physical_replication_slot('lost', true)");
			Object.assign(shell.env, {
				BACKUPS: backups,
				PRIMARY: server.url,
				UNUSED_SLOT: "lost",
				KEEP_FROM: new Date().toISOString(),
			});
			assert.match(await steps.next(shell), /100%[\s\S]*\/backups$/m);
			assert.equal(await steps.next(shell), `${old}\n`);
			await until("writes work again", async () => (await submit()) === 201);
			assert.match(await steps.next(shell), /^ lost +\|/m);
			assert.deepEqual((await client.query("SELECT 1 FROM pg_replication_slots")).rows, []);
			assert.match(await steps.next(shell), /^default: [1-9]\d* events removed$/m);
			assert.match(await steps.next(shell), /^warn +disk +\d+ MB free/m);
			steps.end();
			assert.ok(existsSync(join(String(shell.env.LATCHKEY_DATA_DIR), "latchkey.db")));
		} finally {
			await client.end();
			await server.remove();
			rmSync(old, { force: true });
			await service.stop().finally(() => unmount(disk));
		}
	});
});

describe("docs/incidents.md", { skip: SHELL_SKIPPED }, () => {
	test("a new mail server is proved first, and gets the mail that failed", async () => {
		const steps = stepsOf("A new mail server");
		using folder = temporaryFolder();
		const refusing = await startMailServer({ refusalOf: () => 550 });
		const next = await startMailServer();
		let service: TestService | undefined;
		const serve = async (LATCHKEY_SMTP_URL: string): Promise<TestService> => {
			await service?.stop();
			const dataDir = join(folder.path, "data");
			service = await startTestService({ dataDir, env: { LATCHKEY_SMTP_URL } });
			return service;
		};
		try {
			const first = await serve(refusing.url);
			const person = await addPerson(first, "waiting");
			await first.call("POST", `/api/v1/users/${person.id}/send-reset`, { token: await first.adminToken() });
			using shell = await shellBeside(first);
			Object.assign(shell.env, { NEW_SMTP_URL: next.url, OPERATOR_EMAIL: OPERATOR });
			await until("the mail failed", () => /mail failed permanently/.test(first.logs()));
			assert.match(await steps.next(shell), /^the mail server accepted the mail: 250 /m);
			assert.equal((await next.mailsTo(OPERATOR)).length, 1);

			const second = await serve(next.url);
			Object.assign(shell.env, {
				LATCHKEY_SMTP_URL: next.url,
				LATCHKEY_PORT: String(second.httpPort),
				LATCHKEY_HTTPS_PORT: String(second.httpsPort),
			});
			await steps.next(shell);
			assert.match(String((await next.mailsTo(person.email))[0]?.text), /\/reset#/);
			await steps.next(shell);
			steps.end();
		} finally {
			await service?.stop();
			await refusing.close();
			await next.close();
		}
	});
});
