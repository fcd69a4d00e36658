// Program requests in SQL. The unique index and conditional UPDATEs decide races.

import type { NamedAsker, ProgramRequestStore } from "../../domain/program-request.ts";
import type { Queries } from "../sql/queries.ts";
import { programAskers, programRequests, storedProgramRequests } from "../sql/tables/request-tables.ts";

/** With a value that the index over pending programs needs. */
const CHANGE = "tenant_id = $1 AND url = $2 AND result_id = $3 AND status = 'pending'";
const ASKER = programAskers.as("k");

export function createProgramRequestStore(queries: Queries): ProgramRequestStore {
	return {
		insert: (request) => storedProgramRequests.insertUnlessTaken(queries, { ...request, kind: "program" }),
		async findLatest(tenantId, url) {
			const newest = "tenant_id = $1 AND url = $2 ORDER BY created_at DESC, id DESC LIMIT 1";
			return (await programRequests.all(queries, newest, tenantId, url))[0];
		},
		findChange: ({ tenantId, applicationId, url }) =>
			programRequests.find(queries, CHANGE, tenantId, url, applicationId),
		countPending: (tenantId) =>
			programRequests.count(queries, { tenantId, kind: "program", status: "pending" }),
		replaceDocument: (id, document, nowMs) =>
			programRequests.updateOne(queries, { document, updatedAtMs: nowMs }, { id, status: "pending" }),
		async withdrawChange({ tenantId, applicationId, url }, nowMs) {
			const withdrawn = { status: "withdrawn", updatedAtMs: nowMs } as const;
			await programRequests.update(queries, withdrawn, CHANGE, tenantId, url, applicationId);
		},
		async join(asker) {
			const { requestId, tenantId } = asker;
			// Lock the request, so that a decision cannot miss this person.
			if ((await programRequests.lock(queries, { id: requestId, tenantId, status: "pending" })) === 0)
				return false;
			return await programAskers.insertUnlessTaken(queries, asker);
		},
		async listAskers(tenantId, requestId) {
			const rows = await queries.all<object>(
				`SELECT ${ASKER.columns}, u.username FROM program_askers k
				 JOIN users u ON u.id = k.user_id AND u.tenant_id = k.tenant_id
				 WHERE k.request_id = $1 AND k.tenant_id = $2 ORDER BY k.created_at, k.user_id`,
				requestId,
				tenantId,
			);
			return rows.map((row) => ASKER.readJoined<Pick<NamedAsker, "username">>(row));
		},
	};
}
