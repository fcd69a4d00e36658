// The accepted PostgreSQL server in SQL, and the conditions of claims that concern it.

import type { DatabaseServerStore } from "../../domain/database-server.ts";
import type { Queries } from "../sql/queries.ts";

const ACCEPTED = "SELECT value FROM meta WHERE key = 'database_server'";
const CLOSED_UNTIL = "SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'claims_closed_until_seconds'";
const ADOPT = "INSERT INTO meta (key, value) VALUES ('database_server', $1) ON CONFLICT DO NOTHING";
const REPLACE = "UPDATE meta SET value = $1 WHERE key = 'database_server' AND value = $2";
const CLOSE = `INSERT INTO meta (key, value) VALUES ('claims_closed_until_seconds', $1)
	ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE CAST(meta.value AS BIGINT) < CAST(excluded.value AS BIGINT)`;

/** @param identity the SQL of the current server (`Engine.serverIdentity`). */
export function createDatabaseServerStore(
	queries: Queries,
	identity: string | undefined,
): DatabaseServerStore {
	return {
		async find() {
			if (identity === undefined) return undefined;
			return queries.one(`SELECT ${identity} AS current, (${ACCEPTED}) AS accepted`);
		},
		async accept({ accepted, current }) {
			const changed =
				accepted === null ? await queries.run(ADOPT, current) : await queries.run(REPLACE, current, accepted);
			return changed === 1;
		},
		async closeUntil(signedAtSeconds) {
			await queries.run(CLOSE, String(signedAtSeconds));
		},
	};
}

/** For rows copied from another database: the next start accepts the server that it finds. */
export async function forgetServer(queries: Queries): Promise<void> {
	await queries.run("DELETE FROM meta WHERE key = 'database_server'");
}

/** SQL for the second up to which signed requests are refused after a failover. */
export const CLAIMS_CLOSED_UNTIL = `COALESCE((${CLOSED_UNTIL}), 0)`;

/**
 * SQL that holds when the current server is the accepted one. `followed` is the parameter with the `FollowedServer`: an old
 * primary behind a pooler accepts itself.
 */
export function isAcceptedServer(identity: string | undefined, followed: string): string {
	if (identity === undefined) return `CAST(${followed} AS TEXT) = ''`;
	return `EXISTS (${ACCEPTED} AND value = ${identity} AND value >= CAST(${followed} AS TEXT))`;
}
