// Admin keys: programs that administer a tenant with roles of the person who created the key.

/** They end with their creator's account; a change of its roles or state deletes them too. */
export const adminKeys = `
CREATE TABLE admin_keys (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	name TEXT NOT NULL,
	key_digest TEXT NOT NULL UNIQUE,
	roles TEXT NOT NULL,
	ip_allowlist TEXT NOT NULL,
	expires_at BIGINT NOT NULL,
	last_used_at BIGINT,
	last_used_ip TEXT NOT NULL,
	created_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	created_at BIGINT NOT NULL
);
CREATE INDEX admin_keys_page ON admin_keys (tenant_id, created_at DESC, id DESC);
CREATE INDEX admin_keys_creator ON admin_keys (created_by);
CREATE INDEX admin_keys_expiry ON admin_keys (expires_at);
`;
