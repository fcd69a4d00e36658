// The first steps of a tenant in SQL: looks for one or two rows of each table.

import type { FirstStepStore } from "../../domain/first-steps.ts";
import type { Queries } from "../sql/queries.ts";
import { applications } from "../sql/tables/access-tables.ts";
import { users } from "../sql/tables/account-tables.ts";
import { requests } from "../sql/tables/request-tables.ts";

const userIds = users.pick("id");
const DECIDED = "tenant_id = $1 AND status IN ('approved', 'rejected')";

export function createFirstStepStore(queries: Queries): FirstStepStore {
	return {
		async find(tenantId) {
			const [two, hasApplication, hasDecided] = await Promise.all([
				userIds.all(queries, "tenant_id = $1 LIMIT 2", tenantId),
				applications.exists(queries, { tenantId }),
				requests.exists(queries, DECIDED, tenantId),
			]);
			return { hasColleague: two.length === 2, hasApplication, hasDecided };
		},
	};
}
