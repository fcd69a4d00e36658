// Recovery of accounts: links that prove an address, devices known from earlier sign-ins, who caused how many mails.

/**
 * A link is dead when its row is gone. One without a user was asked for an address that has no account: it is written so
 * that the time of the answer tells nothing, and opens nothing.
 */
export const recovery = `
CREATE TABLE recovery_links (
	digest TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
	purpose TEXT NOT NULL,
	email TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX recovery_links_user ON recovery_links (user_id, purpose);
CREATE INDEX recovery_links_expiry ON recovery_links (expires_at);

-- device_digest: of the kind of program and the network a user signed in with.
CREATE TABLE known_devices (
	tenant_id TEXT NOT NULL,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	device_digest TEXT NOT NULL,
	last_seen_at BIGINT NOT NULL,
	PRIMARY KEY (user_id, device_digest)
);
CREATE INDEX known_devices_age ON known_devices (last_seen_at);

-- An address earns a request that causes mail every so often; earned_at is when all it spent will be earned again.
CREATE TABLE mail_allowances (
	tenant_id TEXT NOT NULL,
	ip TEXT NOT NULL,
	earned_at BIGINT NOT NULL,
	PRIMARY KEY (tenant_id, ip)
);
CREATE INDEX mail_allowances_age ON mail_allowances (earned_at);
`;
