// The life of API clients: notices before they expire, and allowlists that only report.

export const clientLife = `
ALTER TABLE api_clients ADD COLUMN ip_allowlist_mode TEXT NOT NULL DEFAULT 'enforce';

-- A notice that was put into the outbox: one for each expiry and number of days before it.
CREATE TABLE api_client_notices (
	client_id TEXT NOT NULL REFERENCES api_clients (id) ON DELETE CASCADE,
	expires_at BIGINT NOT NULL,
	days_before INTEGER NOT NULL,
	noticed_at BIGINT NOT NULL,
	PRIMARY KEY (client_id, expires_at, days_before)
);
CREATE INDEX api_clients_expiry ON api_clients (expires_at) WHERE expires_at IS NOT NULL;

-- Addresses that called while the allowlist only reported, and would have been refused.
CREATE TABLE allowlist_misses (
	client_id TEXT NOT NULL REFERENCES api_clients (id) ON DELETE CASCADE,
	ip TEXT NOT NULL,
	requests BIGINT NOT NULL,
	first_seen_at BIGINT NOT NULL,
	last_seen_at BIGINT NOT NULL,
	PRIMARY KEY (client_id, ip)
);
`;
