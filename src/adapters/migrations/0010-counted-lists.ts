// Exact totals of long lists without counting every row.

/**
 * Rows of a counted table by tenant and value. PostgreSQL: every transaction writes a part of its own, numbered by
 * the transaction, so that none waits for another; a job adds the parts up into part 0. The embedded database has one
 * writer and needs part 0 only.
 */
export const countedLists = `
CREATE TABLE row_counts (
	tenant_id TEXT NOT NULL,
	table_name TEXT NOT NULL,
	value TEXT NOT NULL,
	part BIGINT NOT NULL,
	total BIGINT NOT NULL,
	PRIMARY KEY (tenant_id, table_name, value, part)
);
CREATE INDEX row_counts_parts ON row_counts (part) WHERE part <> 0;
INSERT INTO row_counts (tenant_id, table_name, value, part, total)
	SELECT tenant_id, 'users', status, 0, count(*) FROM users GROUP BY tenant_id, status;
INSERT INTO row_counts (tenant_id, table_name, value, part, total)
	SELECT tenant_id, 'access_requests', status, 0, count(*) FROM access_requests GROUP BY tenant_id, status;
{{count users by status}};
{{count access_requests by status}};
`;
