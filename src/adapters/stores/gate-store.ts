// Gates and their refusals in SQL.

import {
	type AskedGate,
	GATE_REFUSALS_MAX,
	type GateRefusalStore,
	type GateStore,
} from "../../domain/gate.ts";
import { type Queries, statement } from "../sql/queries.ts";
import { gateRefusals, gates, gatesWithDigests as stored } from "../sql/tables/gate-tables.ts";

/** Most requests to the gate read only this, and the facts of an access decision. */
const FIND_ASKED = statement(
	`SELECT g.tenant_id AS "tenantId", a.status AS "appStatus", g.rules, g.accept, g.browser_origin AS "browserOrigin",
		g.statement, g.key_digest AS "keyDigest", g.previous_key_digest AS "previousKeyDigest",
		g.previous_key_expires_at AS "previousKeyExpiresAtMs", n.resource
	FROM gates g
	JOIN applications a ON a.id = g.application_id AND a.tenant_id = g.tenant_id
	LEFT JOIN oauth_clients c ON c.application_id = g.application_id
	LEFT JOIN resource_names n ON n.resource = c.resource AND n.tenant_id = g.tenant_id
	WHERE g.application_id = $1`,
	{ reads: "cached" },
);
const insertRefusal = gateRefusals.insertWith({
	where: "EXISTS (SELECT 1 FROM gates WHERE application_id = {applicationId})",
	leavesCache: true,
});
const PRUNE = statement(
	`DELETE FROM gate_refusals WHERE application_id = $1 AND id IN (
	SELECT id FROM gate_refusals WHERE application_id = $1 ORDER BY at DESC, id DESC LIMIT 1000000 OFFSET ${GATE_REFUSALS_MAX})`,
	{ leavesCache: true },
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
		async findForUpdate(tenantId, applicationId) {
			if ((await stored.lock(queries, { applicationId, tenantId })) === 0) return undefined;
			return stored.find(queries, { applicationId, tenantId });
		},
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

export function createGateRefusalStore(queries: Queries): GateRefusalStore {
	return {
		async add(refusals) {
			for (const refusal of refusals) await insertRefusal(queries, refusal);
			// In one order, so that two nodes never wait for each other.
			const gateIds = [...new Set(refusals.map(({ applicationId }) => applicationId))].sort();
			for (const id of gateIds) await queries.run(PRUNE, id);
		},
		list(applicationId, page) {
			const filter = gateRefusals.matching({ applicationId });
			return gateRefusals.list(queries, { filter, order: "at DESC, id DESC" }, page);
		},
	};
}
