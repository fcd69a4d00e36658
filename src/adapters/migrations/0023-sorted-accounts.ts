// Lists the accounts of a tenant by name and by last sign-in, without sorting all of them.

/**
 * By the name that is shown, without regard to ASCII case; who never signed in comes first. `tenant_id || ''` as in
 * `users_last_seen`: only queries that write it so are planned over these.
 */
export const sortedAccounts = `
CREATE INDEX users_by_name ON users ((tenant_id || ''), (lower(COALESCE(NULLIF(display_name, ''), username))), id);
CREATE INDEX users_by_last_login ON users ((tenant_id || ''), (COALESCE(last_login_at, 0)), id);
`;
