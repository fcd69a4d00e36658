// Two services on one database, in this process.

import { after } from "node:test";
import { createPostgresDatabase, type OwnDatabase } from "../databases/test-engine.ts";
import { setup } from "../runs/fixture.ts";
import { startTestService, type TestService } from "./service.ts";

interface NodeOptions {
	/** Connections of each node. */
	readonly poolSize?: number;
	readonly env?: Readonly<Record<string, string>>;
	readonly start?: typeof startTestService;
}

/** Services that start before the tests of the current suite on a new PostgreSQL database, and stop after them. */
export function twoNodes({
	poolSize = 12,
	env,
	start = startTestService,
}: NodeOptions = {}): readonly [TestService, TestService] {
	const nodes = [{}, {}] as [TestService, TestService];
	const started: TestService[] = [];
	let database: OwnDatabase | undefined;
	setup(async () => {
		database = await createPostgresDatabase({ migrated: true });
		const shared = {
			LATCHKEY_DATABASE_URL: `${database.url}?pool_size=${poolSize}`,
			LATCHKEY_MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
		};
		for (const node of nodes) started.push(Object.assign(node, await start({ env: { ...shared, ...env } })));
	});
	after(async () => {
		for (const node of started) await node.stop();
		await database?.drop();
	});
	return nodes;
}
