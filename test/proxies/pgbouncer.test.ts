// pgbouncer with the configuration of deploy/ between nodes and PostgreSQL, in either mode.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { rows } from "../harness/access-requests.ts";
import { addApiClient } from "../harness/applications.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { assertNothingLost, startLoad, untilHealth } from "../harness/ledger.ts";
import { OWN_POSTGRES_SKIPPED, type OwnPostgres, startOwnPostgres } from "../harness/own-postgres.ts";
import { PGBOUNCER_SKIPPED, type Pgbouncer, startPgbouncer } from "../harness/pgbouncer.ts";
import { ownSettings, runProgram, startProgram } from "../harness/program.ts";
import { type Credentials, startTestService, type TestService } from "../harness/service.ts";
import { sendCopies, signedBytes } from "../harness/signed-wire.ts";
import { Stage } from "../tour/stage.ts";
import { walk } from "../tour/walk.ts";

const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
const COPIES = 200;
/** Within this time every request is answered, during any fault; after it the service works again. */
const ANSWER_MS = 2_000;
const BACK_MS = 5_000;
/**
 * In transaction mode far fewer connections to the server than a node has to pgbouncer; in session mode each of a
 * node's takes one of the server's permanently, and there must be enough for all nodes.
 */
const MODES = [
	{ mode: "transaction", poolSize: 6, nodePoolSize: 20 },
	{ mode: "session", poolSize: 20, nodePoolSize: 8 },
] as const;

for (const { mode, poolSize, nodePoolSize } of MODES)
	describe(`pgbouncer in ${mode} mode`, { skip: OWN_POSTGRES_SKIPPED || PGBOUNCER_SKIPPED }, () => {
		let postgres: OwnPostgres;
		let pgbouncer: Pgbouncer;
		let service: TestService;
		let client: Credentials;
		/** The first start made it and said it once. */
		let password: string;
		before(async () => {
			postgres = await startOwnPostgres();
			pgbouncer = await startPgbouncer(postgres.url, { mode, poolSize });
		});
		after(async () => {
			await service?.stop();
			await pgbouncer?.remove();
			await postgres?.remove();
		});
		const settings = (): Record<string, string> => ({
			LATCHKEY_DATABASE_URL: `${pgbouncer.url}?pool_size=${nodePoolSize}`,
			LATCHKEY_MASTER_KEY: MASTER_KEY,
			LATCHKEY_LOG_LEVEL: "error",
		});

		test("two nodes started at once on an empty database make one schema and one admin, and the tour works", async () => {
			using first = temporaryFolder();
			using second = temporaryFolder();
			const started = await Promise.all(
				[first, second].map(async ({ path }) =>
					startProgram({ env: { ...(await ownSettings(path)), ...settings() } }),
				),
			);
			try {
				const [one, two] = started;
				const said = started.flatMap(
					({ stdout }) => /first admin.*password: (\S+)/.exec(stdout())?.[1] ?? [],
				);
				assert.equal(said.length, 1);
				password = said[0] as string;
				two?.kill("SIGTERM");
				assert.equal((await two?.exited)?.code, 0);
				const stage = new Stage(one as (typeof started)[0], () => undefined);
				await walk({ stage, dataDir: first.path, adminPassword: password });
				const env = { ...settings(), LATCHKEY_DATA_DIR: first.path };
				const audit = await runProgram(["audit", "verify"], { env });
				assert.match(audit.stdout, /^default: ok, \d+ events/, audit.stderr);
				const backup = await runProgram(["backup", join(first.path, "backup.gz")], { env });
				assert.equal(backup.code, 0, backup.stderr);
				const doctor = await runProgram(["doctor"], { env });
				assert.match(doctor.stdout, /ok +database +the server answers/, doctor.stderr);
			} finally {
				await Promise.all(started.map((program) => program.end()));
			}
		});

		test("of 200 copies of a signed request one is accepted, over few connections to the server", async () => {
			service = await startTestService({ env: settings() });
			const version = await rows<{ version: number }>(service, "SELECT version FROM schema_migrations");
			assert.equal(new Set(version.map((row) => row.version)).size, version.length);
			const token = await service.tokenOf("admin", password);
			client = await addApiClient({ ...service, adminToken: () => Promise.resolve(token) });
			const answers = await sendCopies(service, signedBytes(service, client), COPIES);
			const accepted = answers.filter(({ status }) => status === 200).length;
			const replays = answers.filter(({ body }) => body?.code === "nonce.reused").length;
			assert.deepEqual([accepted, replays], [1, COPIES - 1]);
			const pool = await pgbouncer.pool();
			assert.ok(pool !== undefined);
			const servers = Number(pool.sv_active) + Number(pool.sv_idle) + Number(pool.sv_used);
			assert.ok(servers <= poolSize, `${servers} connections to the server`);
			if (mode === "transaction") assert.ok(Number(pool.cl_active) > poolSize, JSON.stringify(pool));
		});

		test("killed under load: 503 within two seconds, back within five, nothing acknowledged is lost", async () => {
			const load = startLoad(service, client);
			for (let kill = 0; kill < 2; kill++) {
				await wait(400);
				await pgbouncer.kill();
				await untilHealth(service, 503, ANSWER_MS);
				await pgbouncer.start();
				await untilHealth(service, 200, BACK_MS);
			}
			await wait(300);
			await load.stop();
			assert.ok(load.ledger.slowestMs < ANSWER_MS + 500, `an answer took ${load.ledger.slowestMs} ms`);
			assert.deepEqual([...load.ledger.statuses.keys()].sort(), [200, 201, 503]);
			await assertNothingLost(service, client, load.ledger);
		});

		test("the server behind it killed under load: the same", async () => {
			const load = startLoad(service, client);
			await wait(400);
			postgres.signal("SIGKILL");
			await untilHealth(service, 503, ANSWER_MS + 500);
			await wait(1_000);
			await postgres.start();
			await untilHealth(service, 200, BACK_MS);
			await wait(300);
			await load.stop();
			assert.ok(load.ledger.slowestMs < ANSWER_MS + 500, `an answer took ${load.ledger.slowestMs} ms`);
			await assertNothingLost(service, client, load.ledger);
		});
	});
