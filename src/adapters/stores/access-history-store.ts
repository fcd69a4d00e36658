// The history of access, read from the audit trail.

import {
	ACCESS_ACTIONS,
	type AccessAction,
	type AccessEvent,
	type AccessHistoryStore,
} from "../../domain/access-history.ts";
import { isMembers, parseJson } from "../../kernel/shape.ts";
import { paddedLists, places } from "../sql/parameter-lists.ts";
import type { Queries } from "../sql/queries.ts";

interface EventRow {
	at: number;
	action: AccessAction;
	target: string;
	details: string;
}

/** Lists are padded to one of these sizes, so that few statements are prepared. */
const ACTIONS = ACCESS_ACTIONS.map((action) => `'${action}'`).join(", ");

export function createAccessHistoryStore(queries: Queries): AccessHistoryStore {
	return {
		async listAbout(tenantId, targets) {
			const events: AccessEvent[] = [];
			for (const some of paddedLists(targets)) events.push(...(await list(queries, tenantId, some)));
			return events;
		},
		async findCutAtMs(tenantId) {
			const first = await queries.one<{ sequence: number; at: number }>(
				"SELECT sequence, at FROM audit_events WHERE tenant_id = $1 ORDER BY sequence LIMIT 1",
				tenantId,
			);
			return first === undefined || first.sequence === 1 ? undefined : first.at;
		},
	};
}

async function list(queries: Queries, tenantId: string, targets: readonly string[]): Promise<AccessEvent[]> {
	// `action || ''` and `sequence + 0` keep the planner away from the indexes over actions and over the whole trail: the
	// index over targets is more selective.
	const rows = await queries.all<EventRow>(
		`SELECT at, action, target, details FROM audit_events
		 WHERE tenant_id = $1 AND target IN (${places(targets, 2)}) AND (action || '') IN (${ACTIONS}) ORDER BY sequence + 0`,
		tenantId,
		...targets,
	);
	return rows.map(({ at, action, target, details }) => ({
		atMs: at,
		action,
		target,
		details: parseJson(isMembers, details),
	}));
}
