// A migration after the initial schema: interrupted by `kill -9`, and applied to a backup from before it.

import "./next-migration.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import { SCHEMA_VERSION, schemaVersion } from "../../src/adapters/migrations/migrate.ts";
import type { Engine } from "../../src/adapters/sql/engine.ts";
import { until } from "../harness/databases/ledger.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { ownSettings, runProgram, spawnProgram, startProgram } from "../harness/processes/program.ts";
import { type EngineName, makePlace, type Place } from "../harness/service/installation.ts";

const BEFORE = SCHEMA_VERSION - 1;
const NEXT = join(import.meta.dirname, "next-migration.ts");
const ENGINES: readonly EngineName[] = ["sqlite", "postgres"];

/** A first start in a separate process, which does not know the migration. */
async function makeInstallation(place: Place): Promise<void> {
	const service = await startProgram({ env: { ...(await ownSettings(place.dataDir)), ...place.env } });
	service.kill("SIGTERM");
	assert.equal((await service.exited).code, 0);
}

async function withEngine<T>(place: Place, work: (engine: Engine) => Promise<T>): Promise<T> {
	const engine = await place.open();
	try {
		return await work(engine);
	} finally {
		await engine.close();
	}
}

/** Whether the migration of another process waits after its changes and before its commit. */
async function isMigrating(place: Place): Promise<boolean> {
	if (place.engine === "postgres") {
		const sql =
			"SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
		return (await withEngine(place, ({ queries }) => queries.all(sql))).length > 0;
	}
	const database = new DatabaseSync(join(place.dataDir, "latchkey.db"), { timeout: 0 });
	try {
		database.exec("BEGIN IMMEDIATE");
		return false;
	} catch {
		return true;
	} finally {
		database.close();
	}
}

/** The migration changed existing rows. */
async function requireMottos({ queries }: Engine): Promise<void> {
	const tenants = await queries.all<{ name: string; motto: string }>("SELECT name, motto FROM tenants");
	assert.ok(tenants.length > 0);
	for (const { name, motto } of tenants) assert.equal(motto, `motto of ${name}`);
}

for (const engine of ENGINES) {
	const skip = engine === "postgres" && POSTGRES_SKIPPED;
	describe(`the next migration on ${engine}`, { skip }, () => {
		let place: Place;
		beforeEach(async () => {
			place = await makePlace(engine);
			await makeInstallation(place);
		});
		afterEach(() => place.remove());

		it("is rolled back by kill -9 and applied by the next run", async () => {
			const interrupted = spawnProgram(["migrate"], {
				env: { ...place.env, TEST_MIGRATION_WAITS: engine },
				nodeOptions: ["--import", NEXT],
			});
			try {
				await until("the migration waits", () => isMigrating(place));
				interrupted.kill("SIGKILL");
				assert.equal((await interrupted.exited).signal, "SIGKILL");
			} finally {
				await interrupted.end();
			}
			assert.equal(await withEngine(place, schemaVersion), BEFORE);
			const { code, stdout, stderr } = await place.run(["migrate"]);
			assert.equal(code, 0, stderr);
			assert.equal(stdout, `schema ${BEFORE} → ${SCHEMA_VERSION} (next)\n`);
			await withEngine(place, requireMottos);
		});

		it("brings a backup from before it up to date", async () => {
			const file = join(place.dataDir, "..", "before.gz");
			// In a separate process, which does not know the migration.
			const backup = await runProgram(["backup", file], { env: place.env });
			assert.equal(backup.code, 0, backup.stderr);
			assert.match(backup.stderr, new RegExp(`\\(schema ${BEFORE}, ${engine}\\)`));
			const users = await withEngine(place, ({ queries }) => queries.all("SELECT id FROM users"));
			const target = await makePlace(engine);
			try {
				const restored = await target.run(["restore", file]);
				assert.equal(restored.code, 0, restored.stderr);
				assert.equal((await target.run(["migrate"])).stdout, `schema ${SCHEMA_VERSION} is up to date\n`);
				await withEngine(target, async (restoredEngine) => {
					await requireMottos(restoredEngine);
					const { queries } = restoredEngine;
					const counted = "SELECT sum(total) AS total FROM row_counts WHERE table_name = 'users'";
					assert.equal(Number((await queries.one<{ total: number }>(counted))?.total), users.length);
				});
			} finally {
				await target.remove();
			}
		});
	});
}
