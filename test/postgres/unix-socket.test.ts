// PostgreSQL over a Unix socket: the whole service, and a restart of the server.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OWN_POSTGRES_SKIPPED, startOwnPostgres } from "../harness/databases/own-postgres.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

describe("PostgreSQL over a Unix socket", { skip: OWN_POSTGRES_SKIPPED }, () => {
	const server = fixture(() => startOwnPostgres(), "remove");
	const service = testService(() => ({
		env: {
			LATCHKEY_DATABASE_URL: `${server.socketUrl}?pool_size=4`,
			LATCHKEY_MASTER_KEY: Buffer.alloc(32, 3).toString("base64"),
		},
	}));

	const me = async (): Promise<number> =>
		(await service.call("GET", "/api/v1/users/me", { token: await service.adminToken() })).status;

	it("serves", async () => {
		assert.equal(await me(), 200);
		const engine = await service.openDatabase();
		const [row] = await engine.queries.all<{ address: string | null }>(
			"SELECT inet_server_addr() AS address",
		);
		await engine.close();
		assert.equal(row?.address, null);
	});

	it("returns 503 while the server is unavailable, and recovers", async () => {
		await service.adminToken();
		server.signal("SIGQUIT");
		assert.equal(await eventually(me, (status) => status === 503), 503);
		await server.start();
		assert.equal(await eventually(me, (status) => status === 200), 200);
	});
});
