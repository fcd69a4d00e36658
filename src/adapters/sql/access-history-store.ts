// The audit trail as the history of access: what decided it, about whom and what, and when.

import {
	ACCESS_ACTIONS,
	type AccessEvent,
	type AccessHistoryStore,
} from "../../features/authorization/model.ts";
import type { Queries } from "./engine.ts";

interface EventRow {
	at: number;
	action: string;
	target: string;
	details: string;
}

/** Lists are filled up to one of these, so that there are few statements to prepare. */
const SIZES = [2, 10, 100];
const LARGEST = 100;
const ACTIONS = ACCESS_ACTIONS.map((action) => `'${action}'`).join(", ");

export function createAccessHistoryStore(queries: Queries): AccessHistoryStore {
	return {
		async listAbout(tenantId, targets) {
			const events: AccessEvent[] = [];
			for (let from = 0; from < targets.length; from += LARGEST)
				events.push(...(await list(queries, tenantId, targets.slice(from, from + LARGEST))));
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
	const size = SIZES.find((size) => size >= targets.length) ?? LARGEST;
	const places = Array.from({ length: size }, (_, index) => `$${index + 2}`).join(", ");
	// The action is looked at as an expression, so that the index over targets is taken: that list is the short one.
	const rows = await queries.all<EventRow>(
		`SELECT at, action, target, details FROM audit_events
		 WHERE tenant_id = $1 AND target IN (${places}) AND (action || '') IN (${ACTIONS}) ORDER BY sequence`,
		tenantId,
		...Array.from({ length: size }, (_, index) => targets[index] ?? ""),
	);
	return rows.map(({ at, action, target, details }) => ({
		atMs: at,
		action,
		target,
		details: JSON.parse(details) as Record<string, unknown>,
	}));
}
