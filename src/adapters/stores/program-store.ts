// Reviewed programs in SQL.

import type { ListedProgram, ProgramStore } from "../../domain/program.ts";
import { listPage } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import { applications } from "../sql/tables/access-tables.ts";
import { oauthClients } from "../sql/tables/oauth-tables.ts";
import { storedPrograms as programs } from "../sql/tables/program-tables.ts";

const READ = programs.as("p");
const ACCESS = applications.pick("accessPolicy").as("a");
const CLIENT = oauthClients.pick("allowedResources", "assertionAudiences").as("c");
const COLUMNS = `${READ.columns}, ${ACCESS.columns}, ${CLIENT.columns}`;
const FROM = `programs p JOIN applications a ON a.id = p.application_id AND a.tenant_id = p.tenant_id
	JOIN oauth_clients c ON c.application_id = p.application_id AND c.tenant_id = p.tenant_id`;
const toListed = (row: object): ListedProgram => ({
	...READ.read(row),
	...ACCESS.read(row),
	...CLIENT.read(row),
});

export function createProgramStore(queries: Queries): ProgramStore {
	return {
		insert: (program) => programs.insertUnlessTaken(queries, program),
		async find(tenantId, applicationId) {
			const select = `SELECT ${COLUMNS} FROM ${FROM} WHERE p.application_id = $1 AND p.tenant_id = $2`;
			const row = await queries.one<object>(select, applicationId, tenantId);
			return row && toListed(row);
		},
		findByUrl: (tenantId, url) => programs.find(queries, { url, tenantId }),
		listByUrl: (url) => programs.all(queries, "url = $1 ORDER BY created_at, application_id", url),
		list(tenantId, status, page) {
			const filter = READ.matching({ tenantId }).maybe("p.status = ?", status);
			const order = "p.created_at DESC, p.application_id DESC";
			return listPage<object, ListedProgram>(
				queries,
				{ columns: COLUMNS, from: FROM, order, filter },
				page,
				toListed,
			);
		},
		update: (tenantId, applicationId, changes, nowMs) =>
			programs.updateOne(queries, { ...changes, updatedAtMs: nowMs }, { applicationId, tenantId }),
		suspendUndecided: ({ applicationId, tenantId, reviewedAtMs }, nowMs) =>
			programs.updateOne(
				queries,
				{ status: "suspended", suspendedBy: "check", updatedAtMs: nowMs },
				{ applicationId, tenantId, status: "active", reviewedAtMs },
			),
		async claimDue(nowMs, nextReadAtMs) {
			const due = await programs.all(queries, "next_read_at <= $1 ORDER BY next_read_at LIMIT 1", nowMs);
			const [first] = due;
			if (first === undefined) return undefined;
			const { applicationId, nextReadAtMs: dueAtMs } = first;
			// Of several nodes, one changes the row.
			return await programs.updateReturning(
				queries,
				{ nextReadAtMs },
				{ applicationId, nextReadAtMs: dueAtMs },
			);
		},
	};
}
