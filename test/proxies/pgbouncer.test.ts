// pgbouncer with the configuration in deploy/, between nodes and PostgreSQL, in both modes.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { rows } from "../harness/access/access-requests.ts";
import { addApiClient } from "../harness/access/applications.ts";
import { sendCopies, signedBytes } from "../harness/access/signed-wire.ts";
import { assertSurvives } from "../harness/databases/ledger.ts";
import {
	OWN_POSTGRES_SKIPPED,
	type OwnPostgres,
	startOwnPostgres,
} from "../harness/databases/own-postgres.ts";
import { PGBOUNCER_SKIPPED, type Pgbouncer, startPgbouncer } from "../harness/databases/pgbouncer.ts";
import { runCommand } from "../harness/processes/command.ts";
import { ownSettings, startProgram } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { ADMIN, type Credentials, startTestService, type TestService } from "../harness/service/service.ts";
import { Stage } from "../tour/stage.ts";
import { walk } from "../tour/walk.ts";

const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
const COPIES = 200;
/**
 * In transaction mode, pgbouncer has far fewer connections to the server than a node has to it. In session mode, each of a
 * node's connections occupies one to the server permanently, and there must be enough for all nodes.
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
		/** In transaction mode, the first start creates it and prints it once. */
		let password = ADMIN.password;
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

		// The tour runs every kind of statement. Session mode behaves like a direct connection.
		if (mode === "transaction")
			test("creates one schema and one admin for two nodes that start concurrently, and serves the tour", async () => {
				using first = temporaryFolder();
				using second = temporaryFolder();
				const started = await Promise.all(
					[first, second].map(async ({ path }) =>
						startProgram({ env: { ...(await ownSettings(path)), ...settings() } }),
					),
				);
				try {
					const [one, two] = started;
					const printed = started.flatMap(
						({ stdout }) => /first admin.*password: (\S+)/.exec(stdout())?.[1] ?? [],
					);
					assert.equal(printed.length, 1);
					password = printed[0] as string;
					two?.kill("SIGTERM");
					assert.equal((await two?.exited)?.code, 0);
					const stage = new Stage(one as (typeof started)[0], () => undefined);
					await walk({ stage, dataDir: first.path, adminPassword: password });
					const env = { ...settings(), LATCHKEY_DATA_DIR: first.path };
					const audit = await runCommand(["audit", "verify"], { env });
					assert.match(audit.stdout, /^default: ok, \d+ events/, audit.stderr);
					const backup = await runCommand(["backup", join(first.path, "backup.gz")], { env });
					assert.equal(backup.code, 0, backup.stderr);
					const doctor = await runCommand(["doctor"], { env });
					assert.match(doctor.stdout, /ok +database +the server responds/, doctor.stderr);
				} finally {
					await Promise.all(started.map((program) => program.end()));
				}
			});

		test("one of 200 copies of a signed request is accepted, over few connections to the server", async () => {
			service = await startTestService({ env: settings(), adminPassword: password });
			const version = await rows<{ version: number }>(service, "SELECT version FROM schema_migrations");
			assert.equal(new Set(version.map((row) => row.version)).size, version.length);
			client = await addApiClient(service);
			const responses = await sendCopies(service, signedBytes(service, client), COPIES);
			const accepted = responses.filter(({ status }) => status === 200).length;
			const replays = responses.filter(({ body }) => body?.code === "nonce.reused").length;
			assert.deepEqual([accepted, replays], [1, COPIES - 1]);
			const pool = await pgbouncer.pool();
			assert.ok(pool !== undefined);
			const servers = Number(pool.sv_active) + Number(pool.sv_idle) + Number(pool.sv_used);
			assert.ok(servers <= poolSize, `${servers} connections to the server`);
			if (mode === "transaction") assert.ok(Number(pool.cl_active) > poolSize, JSON.stringify(pool));
		});

		test("returns 503 while pgbouncer is down, recovers after each kill, and loses no acknowledged write", async () => {
			await assertSurvives(service, client, 2, pgbouncer);
		});

		test("returns 503 while the server behind it is down, and loses no acknowledged write", async () => {
			await assertSurvives(service, client, 1, {
				kill: () => postgres.signal("SIGKILL"),
				start: () => postgres.start(),
			});
		});
	});
