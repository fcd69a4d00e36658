// `latchkey fence` on another server: nothing is accepted between its acceptance and the pause.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/postgres.ts";
import { readFence } from "../../src/adapters/stores/database-server-store.ts";
import { createPersistence } from "../../src/adapters/stores/stores.ts";
import { userCiphers } from "../../src/crypto/user-ciphers.ts";
import type { DatabaseServerStore } from "../../src/domain/database-server.ts";
import { chainHash } from "../../src/features/record/audit/chain.ts";
import { newId } from "../../src/kernel/id.ts";
import { fence } from "../../src/ops/fence.ts";
import { POSTGRES_SKIPPED } from "../harness/postgres-skipped.ts";
import { NOW } from "../harness/stores.ts";
import { createPostgresDatabase } from "../harness/test-engine.ts";

test("pauses signed requests before it accepts the server", { skip: POSTGRES_SKIPPED }, async () => {
	const database = await createPostgresDatabase({ migrated: true });
	const engine = await openPostgres(database.url);
	try {
		await engine.queries.run(
			"INSERT INTO meta (key, value) VALUES ('database_server', '1/00000001') ON CONFLICT (key) DO UPDATE SET value = excluded.value",
		);
		const plain = (text: string): string => text;
		const { stores, transaction } = createPersistence(engine, {
			nowMs: () => NOW,
			newId: () => newId(NOW),
			chainHash,
			userCiphers,
			seal: plain,
			open: plain,
			subjectOf: ({ message }) => message.kind,
		});
		const pauses: number[] = [];
		const databaseServer: DatabaseServerStore = {
			...stores.databaseServer,
			async accept(server) {
				pauses.push((await readFence(engine.queries, engine.serverIdentity)).closedUntilSeconds);
				return await stores.databaseServer.accept(server);
			},
		};
		const db = { stores: { ...stores, databaseServer }, transaction };
		await fence({ db, engine }, { sinceMs: undefined, acceptServer: true, clock: () => NOW });
		assert.deepEqual(pauses, [NOW / 1_000 + 300]);
		assert.equal((await readFence(engine.queries, engine.serverIdentity)).isAccepted, true);
	} finally {
		await engine.close();
		await database.drop();
	}
});
