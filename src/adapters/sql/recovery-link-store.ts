// Recovery links in SQL: a link lives as long as its row.

import type { LinkPurpose, RecoveryLink, RecoveryLinkStore } from "../../features/recovery/model.ts";
import type { Queries } from "./engine.ts";

interface LinkRow {
	tenant_id: string;
	user_id: string;
	email: string;
	created_at: number;
}

const COLUMNS = "tenant_id, user_id, email, created_at";
const LIVE = "digest = $1 AND purpose = $2 AND expires_at > $3 AND user_id IS NOT NULL";

export function createRecoveryLinkStore(queries: Queries): RecoveryLinkStore {
	const endAll = async (
		tenantId: string,
		userId: string,
		purpose: LinkPurpose,
		fromMs: number,
	): Promise<void> => {
		await queries.run(
			"DELETE FROM recovery_links WHERE user_id = $1 AND purpose = $2 AND tenant_id = $3 AND created_at >= $4",
			userId,
			purpose,
			tenantId,
			fromMs,
		);
	};
	return {
		async put({ digest, tenantId, userId, purpose, email, createdAtMs, expiresAtMs }) {
			if (purpose === "password_reset") await endAll(tenantId, userId ?? "", purpose, 0);
			await queries.run(
				`INSERT INTO recovery_links (digest, ${COLUMNS}, purpose, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
				digest,
				tenantId,
				userId,
				email,
				createdAtMs,
				purpose,
				expiresAtMs,
			);
		},
		async find(digest, purpose, nowMs) {
			const sql = `SELECT ${COLUMNS} FROM recovery_links WHERE ${LIVE}`;
			const row = await queries.one<LinkRow>(sql, digest, purpose, nowMs);
			return row && toLink(row);
		},
		async consume(digest, purpose, nowMs) {
			const sql = `DELETE FROM recovery_links WHERE ${LIVE} RETURNING ${COLUMNS}`;
			const row = await queries.one<LinkRow>(sql, digest, purpose, nowMs);
			return row && toLink(row);
		},
		endAll: (tenantId, userId, purpose, fromMs = 0) => endAll(tenantId, userId, purpose, fromMs),
		purge: (nowMs, limit) =>
			queries.run(
				"DELETE FROM recovery_links WHERE digest IN (SELECT digest FROM recovery_links WHERE expires_at <= $1 LIMIT $2)",
				nowMs,
				limit,
			),
	};
}

function toLink(row: LinkRow): RecoveryLink {
	return {
		tenantId: row.tenant_id,
		userId: row.user_id,
		email: row.email,
		createdAtMs: row.created_at,
	};
}
