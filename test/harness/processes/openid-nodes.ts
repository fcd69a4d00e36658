// OpenID provider nodes of one installation: two on PostgreSQL, one on the embedded database.

import { randomBytes32 } from "../../../src/crypto/random.ts";
import { createPostgresDatabase, TEST_ENGINE } from "../databases/test-engine.ts";
import { startOpenIdService } from "../openid/openid.ts";
import type { TestService } from "../service/service.ts";

export interface OpenIdNodes {
	readonly nodes: readonly TestService[];
	/** Advances the clock of every node. */
	advance(milliseconds: number): void;
	remove(): Promise<void>;
}

export async function startOpenIdNodes(
	settings: Readonly<Record<string, string>> = {},
): Promise<OpenIdNodes> {
	const database = TEST_ENGINE === "postgres" ? await createPostgresDatabase({ migrated: true }) : undefined;
	const env =
		database === undefined
			? settings
			: {
					...settings,
					LATCHKEY_DATABASE_URL: `${database.url}?pool_size=8`,
					LATCHKEY_MASTER_KEY: randomBytes32().toString("base64"),
				};
	const first = await startOpenIdService({ env });
	const nodes = database === undefined ? [first] : [first, await startOpenIdService({ env })];
	return {
		nodes,
		advance(milliseconds) {
			for (const node of nodes) node.clock.advance(milliseconds);
		},
		async remove() {
			for (const node of nodes) await node.stop();
			await database?.drop();
		},
	};
}
