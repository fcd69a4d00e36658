// The fence of a database server: nothing is accepted between the acceptance of another server and the pause, and nothing
// on a server that this process has left.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/postgres.ts";
import { groupedNonces } from "../../src/adapters/stores/grouped-nonces.ts";
import { sha256Hex } from "../../src/crypto/digest.ts";
import type { DatabaseServerStore } from "../../src/domain/database-server.ts";
import { fence } from "../../src/ops/fence.ts";
import { NOW } from "../harness/databases/database.ts";
import { persistenceOn } from "../harness/databases/persistence.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { createPostgresDatabase } from "../harness/databases/test-engine.ts";

test("pauses signed requests before it accepts the server", { skip: POSTGRES_SKIPPED }, async () => {
	const database = await createPostgresDatabase({ migrated: true });
	const engine = await openPostgres(database.url);
	try {
		await engine.queries.run(
			"INSERT INTO meta (key, value) VALUES ('database_server', '1/00000001') ON CONFLICT (key) DO UPDATE SET value = excluded.value",
		);
		const { stores, transaction } = persistenceOn(engine, () => NOW);
		const pauses: unknown[] = [];
		const readMeta = async (key: string) =>
			(await engine.queries.one<{ value: string }>("SELECT value FROM meta WHERE key = $1", key))?.value;
		const databaseServer: DatabaseServerStore = {
			...stores.databaseServer,
			async accept(server) {
				pauses.push(await readMeta("claims_closed_until_seconds"));
				return await stores.databaseServer.accept(server);
			},
		};
		const db = { stores: { ...stores, databaseServer }, transaction };
		await fence({ db, engine }, { sinceMs: undefined, acceptServer: true, clock: () => NOW });
		assert.deepEqual(pauses, [String(NOW / 1_000 + 300)]);
		const current = await engine.queries.one<{ id: string }>(`SELECT ${engine.serverIdentity} AS id`);
		assert.equal(await readMeta("database_server"), current?.id);
	} finally {
		await engine.close();
		await database.drop();
	}
});

test("claims nothing on an earlier timeline that accepts itself, as behind a pooler", {
	skip: POSTGRES_SKIPPED,
}, async () => {
	const database = await createPostgresDatabase({ migrated: true });
	const engine = await openPostgres(database.url);
	try {
		const { serverIdentity = "" } = engine;
		const found = await engine.queries.one<{ current: string }>(`SELECT ${serverIdentity} AS current`);
		const current = found?.current ?? "";
		await engine.queries.run(
			"INSERT INTO meta (key, value) VALUES ('database_server', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
			current,
		);
		const followed = { identity: "" };
		const nonces = groupedNonces(engine, { digestOf: sha256Hex, followed })(engine.queries);
		assert.equal(await nonces.claim("client", "first", 1_000), true);
		followed.identity = `${current.slice(0, -8)}FFFFFFFF`;
		await assert.rejects(nonces.claim("client", "second", 1_000), { code: "service.unavailable" });
		await assert.rejects(nonces.isFree("client", "second", 1_000), { code: "service.unavailable" });
		followed.identity = current;
		assert.equal(await nonces.claim("client", "second", 1_000), true);
	} finally {
		await engine.close();
		await database.drop();
	}
});
