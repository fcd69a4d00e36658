// Tables of the schema that another role owns: this one can then create no table of a month, and change no schema.

import { columnOf, type Queries } from "../sql/queries.ts";
import { TABLES } from "../sql/tables/all-tables.ts";

/** Other tables in the same schema do not matter. A superuser owns everything. */
const FOREIGN_TABLES = `SELECT c.relname AS name FROM pg_class c
	WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('audit_events')) AND c.relkind IN ('r', 'p')
	AND NOT pg_has_role(c.relowner, 'USAGE')
	AND (c.relname IN (${TABLES.map(({ name }) => `'${name}'`).join(", ")})
		OR c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = to_regclass('audit_events')))
	ORDER BY c.relname`;

/** The names of the tables that the role of the connection does not own, itself or as a member of the owner. */
export function findForeignTables(queries: Queries): Promise<readonly string[]> {
	return columnOf(queries, FOREIGN_TABLES);
}
