// The accepted PostgreSQL server in SQL, and the condition under which a nonce may be claimed on the current one.

import type { DatabaseServerStore, FollowedServer } from "../../domain/database-server.ts";
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

/** Why a claim is refused although its nonce may be new. */
interface Fence {
	readonly isAccepted: boolean;
	readonly closedUntilSeconds: number;
}

/**
 * SQL that holds when the current server is the accepted one, and `signedAt` is later than `closeUntil`. `followed` is the
 * parameter with the `FollowedServer`: an old primary behind a pooler accepts itself.
 */
export function mayClaim(identity: string | undefined, signedAt: string, followed: string): string {
	const isOpen = `${signedAt} > COALESCE((${CLOSED_UNTIL}), 0)`;
	if (identity === undefined) return `${isOpen} AND CAST(${followed} AS TEXT) = ''`;
	return `${isOpen} AND EXISTS (${ACCEPTED} AND value = ${identity} AND value >= CAST(${followed} AS TEXT))`;
}

/** What `mayClaim` compares. */
export async function readFence(
	queries: Queries,
	identity: string | undefined,
	followed: FollowedServer = { identity: "" },
): Promise<Fence> {
	const accepted =
		identity === undefined
			? "CASE WHEN CAST($1 AS TEXT) = '' THEN 1 ELSE 0 END"
			: `CASE WHEN EXISTS (${ACCEPTED} AND value = ${identity} AND value >= CAST($1 AS TEXT)) THEN 1 ELSE 0 END`;
	const row = await queries.one<{ accepted: number; closed: number }>(
		`SELECT ${accepted} AS accepted, COALESCE((${CLOSED_UNTIL}), 0) AS closed`,
		followed.identity,
	);
	return { isAccepted: row?.accepted === 1, closedUntilSeconds: row?.closed ?? 0 };
}
