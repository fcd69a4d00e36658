// Gates in SQL.

import type { AskedGate, GateStore } from "../../domain/gate.ts";
import { type Queries, statement } from "../sql/queries.ts";
import { gates, gatesWithDigests as stored } from "../sql/tables/gate-tables.ts";

/** Most requests to the gate read only this, and the facts of an access decision. */
export const FIND_ASKED = statement(
	`SELECT g.tenant_id AS "tenantId", a.status AS "appStatus", g.rules, g.accept, g.browser_origin AS "browserOrigin",
		g.statement, g.own_tokens AS "ownTokens", g.cors_origins AS "corsOrigins", g.key_digest AS "keyDigest", g.previous_key_digest AS "previousKeyDigest",
		g.previous_key_expires_at AS "previousKeyExpiresAtMs", n.resource
	FROM gates g
	JOIN applications a ON a.id = g.application_id AND a.tenant_id = g.tenant_id
	LEFT JOIN oauth_clients c ON c.application_id = g.application_id
	LEFT JOIN resource_names n ON n.resource = c.resource AND n.tenant_id = g.tenant_id
	WHERE g.application_id = $1`,
	{ reads: "cached" },
);

export function createGateStore(queries: Queries): GateStore {
	return {
		insert: (gate) => stored.insertUnlessTaken(queries, gate),
		find: (tenantId, applicationId) => gates.find(queries, { applicationId, tenantId }),
		list: (tenantId, page) =>
			gates.list(
				queries,
				{ filter: gates.matching({ tenantId }), order: "created_at DESC, application_id DESC" },
				page,
			),
		findForUpdate: (tenantId, applicationId) => stored.findLocked(queries, { applicationId, tenantId }),
		findAsked: (applicationId) => queries.one<AskedGate>(FIND_ASKED, applicationId),
		update(tenantId, applicationId, changes, nowMs) {
			const row = { ...changes, updatedAtMs: nowMs };
			return gates.updateUnlessTaken<"origin_taken">(
				queries,
				row,
				{ applicationId, tenantId },
				"origin_taken",
			);
		},
		setKey: (tenantId, applicationId, key, nowMs) =>
			stored.updateOne(queries, { ...key, updatedAtMs: nowMs }, { applicationId, tenantId }),
		remove: (tenantId, applicationId) => gates.deleteOne(queries, { applicationId, tenantId }),
	};
}
