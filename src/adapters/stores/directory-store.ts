// Directories and their events in SQL.

import { DIRECTORY_EVENTS_KEPT, type DirectoryStore } from "../../domain/directory.ts";
import { REFUSALS_KEPT_MS } from "../../domain/refusal.ts";
import { type Queries, statement } from "../sql/queries.ts";
import {
	directories,
	directoryEvents,
	directoryGroups,
	directoryPeople,
	directoriesWithDigests as stored,
} from "../sql/tables/directory-tables.ts";

const PRESENTED = stored.as("d");
const FIND_PRESENTED = `SELECT ${PRESENTED.columns}, p.provider, p.display_name AS "displayName"
	FROM directories d JOIN identity_providers p ON p.id = d.issuer_id AND p.tenant_id = d.tenant_id
	WHERE d.issuer_id = $1`;
/** A directory or a user that was deleted in the meantime has no events. */
const insertEvent = directoryEvents.insertWith({
	where: `EXISTS (SELECT 1 FROM directories WHERE issuer_id = {issuerId} AND tenant_id = {tenantId})
		AND ({userId} IS NULL OR EXISTS (SELECT 1 FROM users WHERE id = {userId} AND tenant_id = {tenantId}))`,
	leavesCache: true,
});
const PRUNE = statement(
	`DELETE FROM directory_events WHERE issuer_id = $1 AND id NOT IN (
	SELECT id FROM directory_events WHERE issuer_id = $1 ORDER BY at DESC, id DESC LIMIT ${DIRECTORY_EVENTS_KEPT})`,
	{ leavesCache: true },
);
const NEWEST = "at DESC, id DESC";

export function createDirectoryStore(queries: Queries): DirectoryStore {
	return {
		insert: (directory) => stored.insertUnlessTaken(queries, directory),
		find: (tenantId, issuerId) => directories.find(queries, { issuerId, tenantId }),
		findForUpdate: (tenantId, issuerId) => stored.findLocked(queries, { issuerId, tenantId }),
		async findPresented(issuerId) {
			const row = await queries.one<object>(FIND_PRESENTED, issuerId);
			return row && stored.readJoined<{ provider: string; displayName: string }>(row);
		},
		update: (tenantId, issuerId, changes, nowMs) =>
			stored.updateOne(queries, { ...changes, updatedAtMs: nowMs }, { issuerId, tenantId }),
		remove: (tenantId, issuerId) => stored.deleteOne(queries, { issuerId, tenantId }),
		async count(tenantId, issuerId) {
			const people = await directoryPeople.count(queries, { issuerId, tenantId });
			return { people, groups: await directoryGroups.count(queries, { issuerId, tenantId }) };
		},
		async addEvents(events) {
			for (const event of events) await insertEvent(queries, event);
			// Sorted, so that two nodes cannot deadlock.
			for (const id of [...new Set(events.map(({ issuerId }) => issuerId))].sort())
				await queries.run(PRUNE, id);
		},
		listEvents(tenantId, issuerId, page) {
			const filter = directoryEvents.matching({ tenantId, issuerId });
			return directoryEvents.list(queries, { filter, order: NEWEST }, page);
		},
		listEventsOf(tenantId, userId, page) {
			const filter = directoryEvents.matching({ tenantId, userId }).separately();
			return directoryEvents.list(queries, { filter, order: NEWEST }, page);
		},
		purge: (nowMs, limit) => directoryEvents.purge(queries, "at < $1", nowMs - REFUSALS_KEPT_MS, limit),
	};
}
