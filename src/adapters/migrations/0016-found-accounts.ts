// Finds accounts that are locked, and accounts that nobody signed in to for long, without reading every row.

/**
 * 100 is the number of consecutive failures that lock. A sign-in that never was counts from the creation. `tenant_id || ''`
 * is the tenant: only queries that write it so are planned over this index, and all others as before.
 */
export const foundAccounts = `
CREATE INDEX login_failures_locked ON login_failures (tenant_id, subject) WHERE ip = '' AND failures >= 100;
CREATE INDEX users_last_seen ON users ((tenant_id || ''), (COALESCE(last_login_at, created_at)));
`;
