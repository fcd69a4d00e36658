// The first schema. Portable SQL: times are BIGINT milliseconds since the epoch, flags INTEGER 0 or 1, lists JSON text.

export const initial = `
CREATE TABLE meta (
	key TEXT PRIMARY KEY,
	value TEXT NOT NULL
);

CREATE TABLE tenants (
	id TEXT PRIMARY KEY,
	name TEXT NOT NULL,
	slug TEXT NOT NULL UNIQUE,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);

CREATE TABLE signing_keys (
	kid TEXT PRIMARY KEY,
	public_jwk TEXT NOT NULL,
	private_sealed TEXT NOT NULL,
	created_at BIGINT NOT NULL
);

-- username_key is the lower-case username: uniqueness and look-up go by it.
-- roles is a comma-separated list of system roles, empty for nearly everybody.
CREATE TABLE users (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	username TEXT NOT NULL,
	username_key TEXT NOT NULL,
	email TEXT NOT NULL,
	email_verified INTEGER NOT NULL,
	display_name TEXT NOT NULL,
	avatar_url TEXT NOT NULL,
	status TEXT NOT NULL,
	roles TEXT NOT NULL,
	password_hash TEXT NOT NULL,
	last_login_at BIGINT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX users_username ON users (tenant_id, username_key);
CREATE UNIQUE INDEX users_email ON users (tenant_id, email);
CREATE INDEX users_newest ON users (tenant_id, created_at, id);
CREATE INDEX users_status ON users (tenant_id, status, created_at, id);
CREATE INDEX users_with_roles ON users (tenant_id, created_at, id) WHERE roles <> '';

-- A session lives as long as its row; refresh_digest is the one refresh token that may be used next.
CREATE TABLE sessions (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	app_id TEXT,
	refresh_digest TEXT NOT NULL UNIQUE,
	refresh_expires_at BIGINT NOT NULL,
	absolute_expires_at BIGINT NOT NULL,
	authenticated_at BIGINT NOT NULL,
	amr TEXT NOT NULL,
	ip TEXT NOT NULL,
	user_agent TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	last_used_at BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, created_at, id);
CREATE INDEX sessions_expiry ON sessions (refresh_expires_at);

-- Refresh tokens that were used: a second use within seconds gets the same successor, a later one ends the session.
CREATE TABLE used_refresh_tokens (
	digest TEXT PRIMARY KEY,
	session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	used_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX used_refresh_tokens_session ON used_refresh_tokens (session_id);
CREATE INDEX used_refresh_tokens_expiry ON used_refresh_tokens (expires_at);

-- Mailed codes: one live code for a purpose and address. The times of the last five sends, newest first (0: none),
-- stay until they no longer count, after the code is used up too.
CREATE TABLE email_codes (
	tenant_id TEXT NOT NULL,
	purpose TEXT NOT NULL,
	address TEXT NOT NULL,
	code_digest TEXT NOT NULL,
	tries_left INTEGER NOT NULL,
	expires_at BIGINT NOT NULL,
	sent_1_at BIGINT NOT NULL,
	sent_2_at BIGINT NOT NULL,
	sent_3_at BIGINT NOT NULL,
	sent_4_at BIGINT NOT NULL,
	sent_5_at BIGINT NOT NULL,
	PRIMARY KEY (tenant_id, purpose, address)
);
CREATE INDEX email_codes_age ON email_codes (sent_1_at);

-- Password attempts that were not right: of a name as typed (name:<digest>) or of an account (user:<id>), from one
-- address, or with ip '' over all addresses.
CREATE TABLE login_failures (
	tenant_id TEXT NOT NULL,
	subject TEXT NOT NULL,
	ip TEXT NOT NULL,
	failures INTEGER NOT NULL,
	blocked_until BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (tenant_id, subject, ip)
);
CREATE INDEX login_failures_age ON login_failures (updated_at);

CREATE TABLE third_party_accounts (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	provider TEXT NOT NULL,
	provider_user_id TEXT NOT NULL,
	linked_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX third_party_accounts_identity ON third_party_accounts (tenant_id, provider, provider_user_id);
CREATE INDEX third_party_accounts_user ON third_party_accounts (user_id, linked_at, id);

CREATE TABLE applications (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	name TEXT NOT NULL,
	slug TEXT NOT NULL,
	description TEXT NOT NULL,
	homepage_url TEXT NOT NULL,
	logo_url TEXT NOT NULL,
	redirect_uris TEXT NOT NULL,
	access_policy TEXT NOT NULL,
	status TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX applications_slug ON applications (tenant_id, slug);
CREATE INDEX applications_newest ON applications (tenant_id, created_at, id);

CREATE TABLE application_roles (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	app_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
	name TEXT NOT NULL,
	description TEXT NOT NULL,
	permissions TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX application_roles_name ON application_roles (app_id, name);
CREATE INDEX application_roles_newest ON application_roles (app_id, created_at, id);

CREATE TABLE grants (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	app_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX grants_subject ON grants (app_id, user_id);
CREATE INDEX grants_user ON grants (user_id);
CREATE INDEX grants_newest ON grants (app_id, created_at, id);

CREATE TABLE grant_roles (
	grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
	role_id TEXT NOT NULL REFERENCES application_roles (id) ON DELETE CASCADE,
	PRIMARY KEY (grant_id, role_id)
);
CREATE INDEX grant_roles_role ON grant_roles (role_id);

CREATE TABLE access_requests (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	applicant_name TEXT NOT NULL,
	email TEXT NOT NULL,
	company TEXT NOT NULL,
	project_name TEXT NOT NULL,
	purpose TEXT NOT NULL,
	locale TEXT NOT NULL,
	status TEXT NOT NULL,
	review_note TEXT NOT NULL,
	reviewed_by TEXT,
	reviewed_at BIGINT,
	api_client_id TEXT,
	withdraw_digest TEXT NOT NULL UNIQUE,
	claim_digest TEXT UNIQUE,
	claim_expires_at BIGINT,
	claimed_at BIGINT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX access_requests_one_pending ON access_requests (tenant_id, email) WHERE status = 'pending';
CREATE INDEX access_requests_newest ON access_requests (tenant_id, created_at, id);
CREATE INDEX access_requests_status ON access_requests (tenant_id, status, created_at, id);

-- The Secret is sealed, since the HMAC needs it; an unclaimed client has none.
CREATE TABLE api_clients (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	app_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
	name TEXT NOT NULL,
	api_key TEXT NOT NULL UNIQUE,
	secret_sealed TEXT,
	secret_hint TEXT NOT NULL,
	secret_created_at BIGINT,
	previous_secret_sealed TEXT,
	previous_secret_expires_at BIGINT,
	status TEXT NOT NULL,
	scopes TEXT NOT NULL,
	ip_allowlist TEXT NOT NULL,
	expires_at BIGINT,
	last_used_at BIGINT,
	last_used_ip TEXT NOT NULL,
	access_request_id TEXT,
	created_by TEXT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE INDEX api_clients_newest ON api_clients (tenant_id, created_at, id);
CREATE INDEX api_clients_app ON api_clients (app_id, created_at, id);
CREATE INDEX api_clients_status ON api_clients (tenant_id, status, created_at, id);

-- signed_at is the request's X-Timestamp, in seconds. Rows and ages are appended; only the key's index is written all over.
CREATE TABLE nonces (
	client_id TEXT NOT NULL,
	nonce TEXT NOT NULL,
	signed_at BIGINT NOT NULL,
	PRIMARY KEY (client_id, nonce)
);
CREATE INDEX nonces_age ON nonces (signed_at);

-- payload_sealed holds recipient and content while the mail is due, and nothing once it is sent: it may carry a token.
CREATE TABLE mail_outbox (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	status TEXT NOT NULL,
	payload_sealed TEXT NOT NULL,
	attempts INTEGER NOT NULL,
	next_attempt_at BIGINT NOT NULL,
	last_error TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	finished_at BIGINT
);
CREATE INDEX mail_outbox_due ON mail_outbox (next_attempt_at) WHERE status = 'due';

CREATE TABLE audit_heads (
	tenant_id TEXT PRIMARY KEY,
	sequence BIGINT NOT NULL,
	hash TEXT NOT NULL
);

CREATE TABLE audit_events (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	sequence BIGINT NOT NULL,
	at BIGINT NOT NULL,
	actor TEXT NOT NULL,
	action TEXT NOT NULL,
	target TEXT NOT NULL,
	ip TEXT NOT NULL,
	request_id TEXT NOT NULL,
	details TEXT NOT NULL,
	hash TEXT NOT NULL
);
CREATE UNIQUE INDEX audit_events_chain ON audit_events (tenant_id, sequence);
CREATE INDEX audit_events_actor ON audit_events (tenant_id, actor, sequence);
CREATE INDEX audit_events_action ON audit_events (tenant_id, action, sequence);
CREATE INDEX audit_events_target ON audit_events (tenant_id, target, sequence);
CREATE INDEX audit_events_time ON audit_events (tenant_id, at, sequence);
`;
