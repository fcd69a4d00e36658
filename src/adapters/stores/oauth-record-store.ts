// Grants, codes, tokens, and sign-ins in progress of the OpenID provider, in SQL.

import type {
	OAuthGrant,
	OAuthGrantStore,
	OAuthRecord,
	OAuthRecordStore,
} from "../../domain/oauth-record.ts";
import { perShared } from "../../kernel/per-shared.ts";
import { columnOf, type Queries, statement } from "../sql/queries.ts";
import { after } from "../sql/table-columns.ts";
import { assertedGrants, oauthGrants, oauthRecords } from "../sql/tables/oauth-tables.ts";

/** The grant names the client: an index over records has no entry for a column that is null. */
const stored = (row: OAuthRecord): OAuthRecord => ({
	...row,
	clientId: row.grantId === null ? row.clientId : null,
});

const record = oauthRecords.as("r");
const grant = oauthGrants.as("g");
/** Columns of the grant that have the names of columns of the record. */
interface JoinedGrant {
	readonly grantId: string | null;
	readonly grantClientId: string;
	readonly grantCreatedAtMs: number;
	readonly grantExpiresAtMs: number;
}
/** A grant that assertions of one issuer extend. */
interface Asserted {
	readonly id: string;
	readonly sessionId: string;
	/** Its session ends then, too. */
	readonly expiresAtMs: number;
}
const FIND_LIVE_RECORD = `SELECT ${record.columns}, g.tenant_id AS "tenantId", g.user_id AS "userId", g.session_id AS "sessionId",
	g.payload, g.client_id AS "grantClientId", g.created_at AS "grantCreatedAtMs", g.expires_at AS "grantExpiresAtMs"
	FROM oauth_records r
	LEFT JOIN oauth_grants g ON g.id = r.grant_id LEFT JOIN sessions s ON s.id = g.session_id
	WHERE r.expires_at > $2 AND (r.grant_id IS NULL OR (g.expires_at > $2 AND s.refresh_expires_at > $2))`;
const CONSUME_OF_GRANT = `WITH held AS (SELECT id FROM oauth_grants WHERE id = $2 FOR NO KEY UPDATE)
	UPDATE oauth_records SET consumed_at = $3
	WHERE digest = $1 AND consumed_at IS NULL AND grant_id IN (SELECT id FROM held)`;

const FIND_ASSERTED = `SELECT g.id, g.session_id AS "sessionId", g.expires_at AS "expiresAtMs"
	FROM oauth_grants g JOIN sessions s ON s.id = g.session_id
	WHERE g.issuer_id = $1 AND g.user_id = $2 AND g.client_id = $3 AND g.expires_at > $4 AND s.refresh_expires_at > $4`;
/** Each names the \`id\` of one row, so that other cached rows stay. */
const EXTEND_SESSION = `UPDATE sessions SET refresh_expires_at = $3, absolute_expires_at = $3, last_used_at = $2
	WHERE id = $1 AND refresh_expires_at > $2`;
const EXTEND_GRANT = "UPDATE oauth_grants SET expires_at = $2 WHERE id = $1";
const NAMES_ASSERTED = `SELECT DISTINCT a.name FROM oauth_grants g JOIN applications a ON a.id = g.client_id
	WHERE g.issuer_id = $1 AND g.expires_at > $2 ORDER BY a.name LIMIT 5`;

function joinedGrant(row: JoinedGrant): OAuthGrant | undefined {
	if (row.grantId === null) return undefined;
	const { grantId: id, grantClientId: clientId, grantCreatedAtMs: createdAtMs } = row;
	return grant.read({ ...row, id, clientId, createdAtMs, expiresAtMs: row.grantExpiresAtMs });
}

export function createOAuthRecordStore(queries: Queries): OAuthRecordStore {
	const findLive = async (condition: string, value: string, nowMs: number) => {
		const row = await queries.one<JoinedGrant>(`${FIND_LIVE_RECORD} AND ${condition}`, value, nowMs);
		if (row === undefined) return undefined;
		const found = { ...record.read(row), grant: joinedGrant(row) };
		return { ...found, clientId: found.clientId ?? found.grant?.clientId ?? null };
	};
	return {
		insert: (row) => oauthRecords.insertUnlessTaken(queries, stored(row)),
		async insertAll(rows) {
			await oauthRecords.insertAllUntaken(queries, rows.map(stored));
		},
		findLive: (digest, nowMs) => findLive("r.digest = $1", digest, nowMs),
		findByUserCode: (userCodeDigest, nowMs) => findLive("r.user_code_digest = $1", userCodeDigest, nowMs),
		replace: (digest, changes) => oauthRecords.updateOne(queries, changes, { digest, consumedAtMs: null }),
		consume: (digest, nowMs) =>
			oauthRecords.updateOne(queries, { consumedAtMs: nowMs }, { digest, consumedAtMs: null }),
		consumeOfGrant: async (digest, grantId, nowMs) =>
			(await queries.run(CONSUME_OF_GRANT, digest, grantId, nowMs)) === 1,
		decide: (digest, decision, nowMs) =>
			oauthRecords.updateOne(
				queries,
				{ ...decision, userCodeDigest: null },
				"digest = $1 AND user_code_digest IS NOT NULL AND expires_at > $2",
				digest,
				nowMs,
			),
		poll: (digest, sinceMs, nowMs) =>
			oauthRecords.updateOne(
				queries,
				{ polledAtMs: nowMs },
				"digest = $1 AND (polled_at IS NULL OR polled_at <= $2)",
				digest,
				sinceMs,
			),
		remove: (digest) => oauthRecords.deleteOne(queries, { digest }),
		purge: (nowMs, limit) => oauthRecords.purge(queries, "expires_at <= $1", nowMs, limit),
	};
}

/** The result does not depend on the clock, so it can be cached. */
export const FIND_GRANT = statement(
	`SELECT ${grant.columns}, s.refresh_expires_at AS "sessionExpiresAtMs"
	FROM oauth_grants g JOIN sessions s ON s.id = g.session_id WHERE g.id = $1`,
	{ reads: "cached" },
);

/** Requests share a cached row, and therefore the frozen grant. */
const grantOf = perShared((row: object) => grant.read(row));

export function createOAuthGrantStore(queries: Queries): OAuthGrantStore {
	return {
		insert: (row) => oauthGrants.insert(queries, row),
		async insertAsserted(row, issuerId) {
			const { userId, clientId } = row;
			await assertedGrants.delete(queries, { issuerId, userId, clientId });
			await assertedGrants.insert(queries, { ...row, issuerId });
		},
		async extendAsserted({ issuerId, userId, clientId }, nowMs, { neededMs, expiresAtMs }) {
			const known = await queries.one<Asserted>(FIND_ASSERTED, issuerId, userId, clientId, nowMs);
			if (known === undefined) return undefined;
			const { id, sessionId } = known;
			if (known.expiresAtMs >= neededMs) return id;
			// The session first: its revocation locks it first, too.
			if ((await queries.run(EXTEND_SESSION, sessionId, nowMs, expiresAtMs)) === 0) return undefined;
			return (await queries.run(EXTEND_GRANT, id, expiresAtMs)) === 0 ? undefined : id;
		},
		namesAsserted: (issuerId, nowMs) => columnOf(queries, NAMES_ASSERTED, issuerId, nowMs),
		async findLive(id, nowMs) {
			const row = await queries.one<{ readonly sessionExpiresAtMs: number }>(FIND_GRANT, id);
			if (row === undefined || row.sessionExpiresAtMs <= nowMs) return undefined;
			const found = grantOf(row);
			return found.expiresAtMs > nowMs ? found : undefined;
		},
		isAnyLive: (sessionId, clientId, nowMs) =>
			oauthGrants.exists(queries, { sessionId, clientId, expiresAtMs: after(nowMs) }),
		hold: (id) => oauthGrants.findLocked(queries, { id }),
		end: (id) => oauthGrants.deleteReturning(queries, { id }),
		endAll: (userId, clientId) => oauthGrants.delete(queries, { userId, clientId }),
		purge: (nowMs, limit) => oauthGrants.purge(queries, "expires_at <= $1", nowMs, limit),
	};
}
