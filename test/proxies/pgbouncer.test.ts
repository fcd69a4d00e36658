// pgbouncer with the configuration of deploy/ between the service and PostgreSQL.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { OWN_POSTGRES_SKIPPED, type OwnPostgres, startOwnPostgres } from "../harness/own-postgres.ts";
import { PGBOUNCER_SKIPPED, type Pgbouncer, startPgbouncer } from "../harness/pgbouncer.ts";
import { startTestService } from "../harness/service.ts";

const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");

for (const mode of ["transaction", "session"] as const)
	describe(`pgbouncer in ${mode} mode`, { skip: OWN_POSTGRES_SKIPPED || PGBOUNCER_SKIPPED }, () => {
		let postgres: OwnPostgres;
		let pgbouncer: Pgbouncer;
		before(async () => {
			postgres = await startOwnPostgres();
			pgbouncer = await startPgbouncer(postgres.url, { mode });
		});
		after(async () => {
			await pgbouncer.remove();
			await postgres.remove();
		});

		test("the service starts on an empty database and serves", async () => {
			const service = await startTestService({
				env: { LATCHKEY_DATABASE_URL: pgbouncer.url, LATCHKEY_MASTER_KEY: MASTER_KEY },
			});
			try {
				assert.equal((await service.call("GET", "/health")).status, 200);
				assert.ok(await service.adminToken());
			} finally {
				await service.stop();
			}
		});
	});
