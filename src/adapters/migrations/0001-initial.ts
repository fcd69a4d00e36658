// The schema of the first release, grouped by noun.

/**
 * The tables of a kind of grant. The foreign keys of the roles include the tenant: a grant cannot have a role of another
 * one. What is over stays for at most an hour: every statement that decides compares the end with the clock.
 */
/** noticed_end is the end that was announced by mail. */
function grantTables(kind: "user" | "group" | "client" | "program", holders: string): string {
	const grant = kind === "user" ? "grant" : `${kind}_grant`;
	return `CREATE TABLE ${grant}s (
	id TEXT NOT NULL,
	tenant_id TEXT NOT NULL,
	app_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
	${kind}_id TEXT NOT NULL REFERENCES ${holders} (id) ON DELETE CASCADE,
	expires_at BIGINT,
	reason TEXT NOT NULL DEFAULT '',
	request_id TEXT,
	granted_by TEXT,
	last_used_at BIGINT,
	noticed_end BIGINT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (id, tenant_id)
);
CREATE UNIQUE INDEX ${grant}s_subject ON ${grant}s (app_id, ${kind}_id);
CREATE INDEX ${grant}s_${kind} ON ${grant}s (${kind}_id);
CREATE INDEX ${grant}s_newest ON ${grant}s (app_id, created_at, id);
CREATE INDEX ${grant}s_expiry ON ${grant}s (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE ${grant}_roles (
	tenant_id TEXT NOT NULL,
	grant_id TEXT NOT NULL,
	role_id TEXT NOT NULL,
	PRIMARY KEY (grant_id, role_id),
	FOREIGN KEY (grant_id, tenant_id) REFERENCES ${grant}s (id, tenant_id) ON DELETE CASCADE,
	FOREIGN KEY (role_id, tenant_id) REFERENCES application_roles (id, tenant_id) ON DELETE CASCADE
);
CREATE INDEX ${grant}_roles_role ON ${grant}_roles (role_id);
`;
}

/**
 * Portable SQL: times are BIGINT milliseconds since the epoch, flags are INTEGER 0 or 1, and lists are JSON or separated
 * by commas. `…_sealed` columns are encrypted with the master key. `…_digest` columns hold digests of tokens and codes:
 * the service never stores the values themselves.
 */
export const initial = `
-- Installation and tenants

CREATE TABLE meta (
	key TEXT PRIMARY KEY,
	value TEXT NOT NULL
);

-- Columns that end with _folded contain a name without case and accents, for searches. The service writes both together.
CREATE TABLE tenants (
	id TEXT PRIMARY KEY,
	name TEXT NOT NULL,
	name_folded TEXT NOT NULL,
	slug TEXT NOT NULL UNIQUE,
	require_mfa INTEGER NOT NULL DEFAULT 0,
	sender_addresses TEXT NOT NULL DEFAULT '[]',
	program_requests INTEGER NOT NULL DEFAULT 0,
	mailed_code INTEGER NOT NULL DEFAULT 0,
	test_clients INTEGER NOT NULL DEFAULT 0,
	managed_by TEXT,
	branding_managed_by TEXT,
	dormant_after_days INTEGER,
	client_dormant_after_days INTEGER,
	partner_keys_need_review INTEGER NOT NULL DEFAULT 0,
	second_factor_help INTEGER NOT NULL DEFAULT 0,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);

-- An empty text means that the tenant uses the setting of the installation.
CREATE TABLE tenant_brands (
	tenant_id TEXT PRIMARY KEY REFERENCES tenants (id),
	product_name TEXT NOT NULL,
	logo_url TEXT NOT NULL,
	logo_dark_url TEXT NOT NULL,
	icon_url TEXT NOT NULL,
	accent_color TEXT NOT NULL,
	support_email TEXT NOT NULL,
	sender_name TEXT NOT NULL,
	sender_address TEXT NOT NULL,
	sign_in_text TEXT NOT NULL,
	footer_links TEXT NOT NULL,
	corner_radius INTEGER,
	updated_at BIGINT NOT NULL
);

-- Uploaded logos. subject_id is the id of a tenant or of an application. content is PNG in base64; digest is its SHA-256.
CREATE TABLE images (
	subject_id TEXT NOT NULL,
	variant TEXT NOT NULL,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	digest TEXT NOT NULL,
	content TEXT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (subject_id, variant)
);
CREATE INDEX images_by_digest ON images (digest);

-- Keys

-- A key signs from signs_from until that of the next key. withdrawn_at is set when a key is revoked early.
CREATE TABLE signing_keys (
	kid TEXT PRIMARY KEY,
	public_jwk TEXT NOT NULL,
	private_sealed TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	signs_from BIGINT NOT NULL DEFAULT 0,
	withdrawn_at BIGINT
);

-- RSA keys for ID tokens with RS256 or PS256. They have their own table so that no access token is ever verified with one.
-- number counts from 1 for each alg: two nodes that create the same key at the same time collide.
CREATE TABLE id_token_keys (
	kid TEXT PRIMARY KEY,
	alg TEXT NOT NULL,
	number INTEGER NOT NULL,
	public_jwk TEXT NOT NULL,
	private_sealed TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	signs_from BIGINT NOT NULL,
	withdrawn_at BIGINT,
	UNIQUE (alg, number)
);

-- One row. The keys of keyed digests are derived from it: they are the same on every node and survive a new master key.
CREATE TABLE derivation_roots (
	id TEXT PRIMARY KEY,
	root_sealed TEXT NOT NULL,
	created_at BIGINT NOT NULL
);

-- The certificate of the public host from an ACME server, and its order. leased_until keeps two nodes from ordering at once.
CREATE TABLE acme_certificates (
	domain TEXT PRIMARY KEY,
	directory TEXT NOT NULL,
	account_key_sealed TEXT NOT NULL,
	account_url TEXT,
	certificate TEXT,
	key_sealed TEXT,
	valid_from BIGINT,
	valid_to BIGINT,
	challenge_token TEXT,
	key_authorization TEXT,
	leased_until BIGINT NOT NULL,
	next_attempt_at BIGINT NOT NULL,
	failures INTEGER NOT NULL,
	last_error TEXT
);

-- Users and sessions

-- username_key is the lowercase username, for lookups and uniqueness. roles lists system roles, separated by commas.
-- mfa_enabled is updated with every change of a second factor, because every request shows it.
-- disabled_reason and disabled_at are set if the service disabled the account: 'dormant'. last_seen_at is the last use besides
-- sign-ins, to within a day.
CREATE TABLE users (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	username TEXT NOT NULL,
	username_key TEXT NOT NULL,
	email TEXT NOT NULL,
	email_verified INTEGER NOT NULL,
	display_name TEXT NOT NULL,
	display_name_folded TEXT NOT NULL,
	avatar_url TEXT NOT NULL,
	locale TEXT,
	status TEXT NOT NULL,
	roles TEXT NOT NULL,
	password_hash TEXT NOT NULL,
	mfa_enabled INTEGER NOT NULL DEFAULT 0,
	last_login_at BIGINT,
	last_seen_at BIGINT,
	dormancy_warned_at BIGINT,
	disabled_reason TEXT,
	disabled_at BIGINT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX users_username ON users (tenant_id, username_key);
CREATE UNIQUE INDEX users_email ON users (tenant_id, email);
CREATE INDEX users_newest ON users (tenant_id, created_at, id);
CREATE INDEX users_status ON users (tenant_id, status, created_at, id);
CREATE INDEX users_with_roles ON users (tenant_id, created_at, id) WHERE roles <> '';
-- The expression tenant_id || '' hides these indexes from the planner, except for queries that use the same expression.
-- Users who never signed in count from their creation in users_last_seen, and sort first in users_by_last_login.
CREATE INDEX users_last_seen ON users ((tenant_id || ''), status, (COALESCE(last_login_at, created_at)));
CREATE INDEX users_by_name ON users ((tenant_id || ''), (COALESCE(NULLIF(display_name_folded, ''), username_key)), id);
CREATE INDEX users_by_last_login ON users ((tenant_id || ''), (COALESCE(last_login_at, 0)), id);

-- The key of a user seals what the audit trail says about the user. Without it, the events show ids only. id is that of the user.
CREATE TABLE user_keys (
	id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	tenant_id TEXT NOT NULL,
	key_sealed TEXT NOT NULL
);

-- Every username that a user has or had, to find the sealed name in the audit trail.
CREATE TABLE user_names (
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	tenant_id TEXT NOT NULL,
	name TEXT NOT NULL,
	PRIMARY KEY (user_id, name)
);
CREATE INDEX user_names_name ON user_names (tenant_id, name);

-- Deleting the row revokes the session. A refresh token contains id, generation, and a secret. A refresh increments generation,
-- and changes no indexed column: with room on the page of the row, PostgreSQL writes no index (HOT). So purge_at, when the purge
-- next reads refresh_expires_at, is at most that time.
CREATE TABLE sessions (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	app_id TEXT,
	generation BIGINT NOT NULL,
	secret_digest TEXT NOT NULL,
	rotated_at BIGINT NOT NULL,
	refresh_expires_at BIGINT NOT NULL,
	absolute_expires_at BIGINT NOT NULL,
	authenticated_at BIGINT NOT NULL,
	amr TEXT NOT NULL,
	provider TEXT,
	ip TEXT NOT NULL,
	user_agent TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	last_used_at BIGINT NOT NULL,
	purge_at BIGINT NOT NULL
) WITH (fillfactor = 85);
CREATE INDEX sessions_user ON sessions (user_id, created_at, id);
CREATE INDEX sessions_purge ON sessions (purge_at);

-- A supporter reads what the user sees: an open row has a session of the same id. The row outlives it, for the user to see.
CREATE TABLE support_sessions (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	supporter_id TEXT REFERENCES users (id) ON DELETE SET NULL,
	made_in TEXT NOT NULL,
	token_digest TEXT NOT NULL,
	app_id TEXT,
	reason TEXT NOT NULL,
	ticket TEXT NOT NULL,
	opened_at BIGINT,
	ended_at BIGINT,
	expires_at BIGINT NOT NULL,
	created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX support_sessions_token ON support_sessions (token_digest);
CREATE INDEX support_sessions_newest ON support_sessions (tenant_id, created_at, id);
CREATE INDEX support_sessions_user ON support_sessions (user_id, created_at, id);
CREATE INDEX support_sessions_supporter ON support_sessions (supporter_id, expires_at);
CREATE INDEX support_sessions_purge ON support_sessions (created_at);

-- Sign-in with identity providers

-- issuer is empty for kinds with a fixed URL. The client secret is sealed, not digested: the provider needs its value.
-- Without the use sign_in, client_id is empty, and the sealed secret is an empty text.
CREATE TABLE identity_providers (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	provider TEXT NOT NULL,
	kind TEXT NOT NULL,
	display_name TEXT NOT NULL,
	uses TEXT NOT NULL,
	client_id TEXT NOT NULL,
	client_secret_sealed TEXT NOT NULL,
	client_secret_set_at BIGINT,
	issuer TEXT NOT NULL,
	jwks_uri TEXT,
	jwks TEXT,
	jwks_set_at BIGINT,
	audience TEXT,
	subject_claim TEXT NOT NULL,
	mfa_acr TEXT NOT NULL,
	email_domains TEXT NOT NULL,
	enabled INTEGER NOT NULL,
	sign_up INTEGER NOT NULL,
	last_test TEXT,
	created_by TEXT,
	managed_by TEXT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX identity_providers_provider ON identity_providers (tenant_id, provider);
CREATE INDEX identity_providers_newest ON identity_providers (tenant_id, created_at, id);
-- An assertion names its issuer by URL only.
CREATE UNIQUE INDEX identity_providers_asserting ON identity_providers (tenant_id, issuer)
	WHERE enabled = 1 AND uses LIKE '%,assertions,%';

-- Domains of email addresses. Any tenant may have a row; one of the installation may have it verified.
CREATE TABLE domains (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	domain TEXT NOT NULL,
	issuer_id TEXT REFERENCES identity_providers (id) ON DELETE SET NULL,
	record_value TEXT NOT NULL,
	enforce INTEGER NOT NULL,
	verified_at BIGINT,
	record_seen_at BIGINT,
	next_check_at BIGINT,
	noticed_at BIGINT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX domains_domain ON domains (tenant_id, domain);
CREATE UNIQUE INDEX domains_verified ON domains (domain) WHERE verified_at IS NOT NULL;
CREATE INDEX domains_newest ON domains (tenant_id, created_at, id);
CREATE INDEX domains_issuer ON domains (issuer_id);
CREATE INDEX domains_check ON domains (next_check_at) WHERE next_check_at IS NOT NULL;

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

-- Further ids of a linked account at the same provider (WeChat: openid in addition to unionid).
CREATE TABLE third_party_aliases (
	tenant_id TEXT NOT NULL,
	provider TEXT NOT NULL,
	provider_user_id TEXT NOT NULL,
	account_id TEXT NOT NULL REFERENCES third_party_accounts (id) ON DELETE CASCADE,
	PRIMARY KEY (tenant_id, provider, provider_user_id)
);
CREATE INDEX third_party_aliases_account ON third_party_aliases (account_id);

-- Bound to the browser that began it. protocol_sealed holds the nonce and the PKCE verifier until the browser returns.
-- user_id is set when the sign-in links an account.
-- Without foreign keys: everything is looked up again when the browser returns.
CREATE TABLE third_party_attempts (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	provider_id TEXT NOT NULL,
	return_to TEXT NOT NULL,
	user_id TEXT,
	session_id TEXT,
	is_test INTEGER NOT NULL,
	browser_digest TEXT NOT NULL,
	state_digest TEXT NOT NULL UNIQUE,
	protocol_sealed TEXT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX third_party_attempts_expiry ON third_party_attempts (expires_at);

-- Users whom a provider has authenticated, until the page in the same browser finishes the sign-in.
CREATE TABLE third_party_sign_ins (
	browser_digest TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	account_id TEXT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX third_party_sign_ins_expiry ON third_party_sign_ins (expires_at);

-- Groups, applications, their roles and grants

-- name_key is the lowercase name, for uniqueness.
CREATE TABLE user_groups (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	name TEXT NOT NULL,
	name_key TEXT NOT NULL,
	name_folded TEXT NOT NULL,
	description TEXT NOT NULL,
	description_folded TEXT NOT NULL,
	managed_by TEXT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX user_groups_name ON user_groups (tenant_id, name_key);
CREATE INDEX user_groups_newest ON user_groups (tenant_id, created_at, id);

CREATE TABLE applications (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	kind TEXT NOT NULL DEFAULT 'application',
	name TEXT NOT NULL,
	name_folded TEXT NOT NULL,
	slug TEXT NOT NULL,
	description TEXT NOT NULL,
	homepage_url TEXT NOT NULL,
	logo_url TEXT NOT NULL,
	redirect_uris TEXT NOT NULL,
	access_policy TEXT NOT NULL,
	require_mfa INTEGER NOT NULL DEFAULT 0,
	support_sessions INTEGER NOT NULL DEFAULT 0,
	status TEXT NOT NULL,
	last_sign_in_at BIGINT,
	access_request_id TEXT,
	requestable_role_ids TEXT,
	requestable_longest TEXT,
	requestable_reviewers TEXT REFERENCES user_groups (id) ON DELETE SET NULL,
	managed_by TEXT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE INDEX applications_reviewers ON applications (requestable_reviewers) WHERE requestable_reviewers IS NOT NULL;
CREATE UNIQUE INDEX applications_slug ON applications (tenant_id, slug);
CREATE INDEX applications_newest ON applications (tenant_id, created_at, id);

-- Links with which customers set up the issuer of their domain.
CREATE TABLE set_up_links (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	domain_id TEXT NOT NULL UNIQUE REFERENCES domains (id) ON DELETE CASCADE,
	issuer_id TEXT REFERENCES identity_providers (id) ON DELETE CASCADE,
	application_id TEXT REFERENCES applications (id) ON DELETE SET NULL,
	token_digest TEXT NOT NULL UNIQUE,
	tested_by TEXT NOT NULL,
	tested_at BIGINT,
	finished_at BIGINT,
	expires_at BIGINT NOT NULL,
	created_by TEXT,
	created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX set_up_links_issuer ON set_up_links (issuer_id);
CREATE INDEX set_up_links_application ON set_up_links (application_id);

CREATE TABLE application_roles (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	app_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
	name TEXT NOT NULL,
	description TEXT NOT NULL,
	permissions TEXT NOT NULL,
	permission_descriptions TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX application_roles_name ON application_roles (app_id, name);
CREATE INDEX application_roles_newest ON application_roles (app_id, created_at, id);
CREATE UNIQUE INDEX application_roles_tenant ON application_roles (id, tenant_id);

${grantTables("user", "users")}
-- Requests and API clients

-- Requests that reviewers decide, of every kind. Columns of another kind are NULL. The API client or the program that an
-- approval creates is its result; a change of a program has it from the start.
CREATE TABLE requests (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	kind TEXT NOT NULL,
	status TEXT NOT NULL,
	review_note TEXT NOT NULL,
	reviewed_by TEXT,
	reviewed_at BIGINT,
	result_id TEXT,
	applicant_name TEXT,
	applicant_name_folded TEXT,
	email TEXT,
	company TEXT,
	company_folded TEXT,
	project_name TEXT,
	project_name_folded TEXT,
	purpose TEXT,
	locale TEXT,
	withdraw_digest TEXT UNIQUE,
	claim_digest TEXT UNIQUE,
	claim_expires_at BIGINT,
	claimed_at BIGINT,
	test_digest TEXT UNIQUE,
	test_calls_ok BIGINT,
	test_calls_refused BIGINT,
	is_change BIGINT,
	url TEXT,
	document TEXT,
	redirect_uri TEXT,
	resources TEXT,
	user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
	app_id TEXT REFERENCES applications (id) ON DELETE CASCADE,
	roles TEXT,
	reason TEXT,
	until BIGINT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX requests_one_partner ON requests (tenant_id, email) WHERE status = 'pending' AND email IS NOT NULL;
CREATE UNIQUE INDEX requests_one_program ON requests (tenant_id, url) WHERE status = 'pending' AND url IS NOT NULL;
CREATE UNIQUE INDEX requests_one_person ON requests (user_id, app_id) WHERE status = 'pending' AND user_id IS NOT NULL;
CREATE INDEX requests_person ON requests (tenant_id, user_id, created_at, id) WHERE user_id IS NOT NULL;
CREATE INDEX requests_user ON requests (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX requests_app ON requests (app_id) WHERE app_id IS NOT NULL;
CREATE INDEX requests_url ON requests (tenant_id, url, created_at, id) WHERE url IS NOT NULL;
CREATE INDEX requests_newest ON requests (tenant_id, created_at, id);
CREATE INDEX requests_status ON requests (tenant_id, status, created_at, id);
CREATE INDEX requests_kind ON requests (tenant_id, kind, created_at, id);
CREATE INDEX requests_kind_status ON requests (tenant_id, kind, status, created_at, id);

-- The Secret is sealed, not digested: verifying an HMAC needs it. A client that is not yet claimed has none. Only a test
-- client has no application. enabled_at is when it was enabled again.
CREATE TABLE api_clients (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	app_id TEXT REFERENCES applications (id) ON DELETE CASCADE,
	mode TEXT NOT NULL DEFAULT 'live',
	name TEXT NOT NULL,
	name_folded TEXT NOT NULL,
	api_key TEXT NOT NULL UNIQUE,
	secret_sealed TEXT,
	secret_hint TEXT NOT NULL,
	secret_created_at BIGINT,
	previous_secret_sealed TEXT,
	previous_secret_expires_at BIGINT,
	status TEXT NOT NULL,
	scopes TEXT NOT NULL,
	ip_allowlist TEXT NOT NULL,
	ip_allowlist_mode TEXT NOT NULL DEFAULT 'enforce',
	public_keys TEXT NOT NULL DEFAULT '[]',
	expires_at BIGINT,
	last_used_at BIGINT,
	last_used_ip TEXT NOT NULL,
	dormancy_warned_at BIGINT,
	disabled_reason TEXT,
	enabled_at BIGINT,
	access_request_id TEXT,
	created_by TEXT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	CHECK ((mode = 'test') = (app_id IS NULL))
);
CREATE UNIQUE INDEX api_clients_one_test ON api_clients (access_request_id) WHERE mode = 'test';
CREATE INDEX api_clients_newest ON api_clients (tenant_id, created_at, id);
CREATE UNIQUE INDEX api_clients_tenant ON api_clients (id, tenant_id);
CREATE INDEX api_clients_app ON api_clients (app_id, created_at, id);
CREATE INDEX api_clients_status ON api_clients (tenant_id, status, created_at, id);
CREATE INDEX api_clients_expiry ON api_clients (expires_at) WHERE expires_at IS NOT NULL;

-- Expiry notices already sent: one for each expiry and number of days before it.
CREATE TABLE api_client_notices (
	tenant_id TEXT NOT NULL,
	client_id TEXT NOT NULL,
	expires_at BIGINT NOT NULL,
	days_before INTEGER NOT NULL,
	noticed_at BIGINT NOT NULL,
	PRIMARY KEY (client_id, expires_at, days_before),
	FOREIGN KEY (client_id, tenant_id) REFERENCES api_clients (id, tenant_id) ON DELETE CASCADE
);

-- IP addresses that an allowlist in report mode would have refused.
CREATE TABLE allowlist_misses (
	tenant_id TEXT NOT NULL,
	client_id TEXT NOT NULL,
	ip TEXT NOT NULL,
	requests BIGINT NOT NULL,
	first_seen_at BIGINT NOT NULL,
	last_seen_at BIGINT NOT NULL,
	PRIMARY KEY (client_id, ip),
	FOREIGN KEY (client_id, tenant_id) REFERENCES api_clients (id, tenant_id) ON DELETE CASCADE
);

-- PostgreSQL only: claimed nonces by the hour of X-Timestamp modulo 6. Each table is truncated before it gets another hour, so
-- vacuuming its inserts is useless. A digest is the first half of SHA-256(client_id, line feed, nonce).
CREATE TABLE nonces_0 (digest UUID PRIMARY KEY) WITH (autovacuum_vacuum_insert_threshold = -1);
CREATE TABLE nonces_1 (digest UUID PRIMARY KEY) WITH (autovacuum_vacuum_insert_threshold = -1);
CREATE TABLE nonces_2 (digest UUID PRIMARY KEY) WITH (autovacuum_vacuum_insert_threshold = -1);
CREATE TABLE nonces_3 (digest UUID PRIMARY KEY) WITH (autovacuum_vacuum_insert_threshold = -1);
CREATE TABLE nonces_4 (digest UUID PRIMARY KEY) WITH (autovacuum_vacuum_insert_threshold = -1);
CREATE TABLE nonces_5 (digest UUID PRIMARY KEY) WITH (autovacuum_vacuum_insert_threshold = -1);
-- Claims need floor < X-Timestamp, and the hours of their tables up to ceiling, in seconds.
CREATE TABLE nonce_ring (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	floor BIGINT NOT NULL,
	ceiling BIGINT NOT NULL
);
INSERT INTO nonce_ring (id, floor, ceiling) VALUES (1, 0, -1);

-- SQLite only: each row holds the nonces that one commit claimed, as JSON: [[client_id, signed_at, nonce, …], …].
-- id is the largest signed_at of the batch times 2^20, plus a counter.
CREATE TABLE nonce_batches (
	id INTEGER PRIMARY KEY,
	claims TEXT NOT NULL
);

-- Members of groups, and grants to groups

CREATE TABLE group_members (
	group_id TEXT NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	tenant_id TEXT NOT NULL,
	added_at BIGINT NOT NULL,
	expires_at BIGINT,
	last_used_at BIGINT,
	noticed_end BIGINT,
	PRIMARY KEY (group_id, user_id)
);
CREATE INDEX group_members_user ON group_members (user_id, group_id);
CREATE INDEX group_members_newest ON group_members (group_id, added_at, user_id);
CREATE INDEX group_members_expiry ON group_members (expires_at) WHERE expires_at IS NOT NULL;

-- Users who decide about access to one application, or to one group.
CREATE TABLE managers (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	app_id TEXT REFERENCES applications (id) ON DELETE CASCADE,
	group_id TEXT REFERENCES user_groups (id) ON DELETE CASCADE,
	added_at BIGINT NOT NULL,
	CHECK ((app_id IS NULL) <> (group_id IS NULL))
);
CREATE UNIQUE INDEX managers_application ON managers (app_id, user_id);
CREATE UNIQUE INDEX managers_group ON managers (group_id, user_id);
CREATE INDEX managers_application_newest ON managers (app_id, added_at, id);
CREATE INDEX managers_group_newest ON managers (group_id, added_at, id);
CREATE INDEX managers_user ON managers (user_id, added_at, id);

-- Directories: the people and groups that an identity provider fills

-- An identity provider cannot be deleted while it has a directory.
CREATE TABLE directories (
	issuer_id TEXT PRIMARY KEY REFERENCES identity_providers (id),
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	domains TEXT NOT NULL,
	group_prefix TEXT NOT NULL,
	default_grants TEXT NOT NULL,
	on_remove TEXT NOT NULL,
	adopt TEXT NOT NULL,
	client_id TEXT,
	token_digest TEXT NOT NULL,
	token_hint TEXT NOT NULL,
	previous_token_digest TEXT,
	previous_token_expires_at BIGINT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);

-- attributes is JSON as the directory sent it. The linked account makes external_id unique. Names ending with _key are in lower case, for uniqueness and searches.
CREATE TABLE directory_people (
	user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	tenant_id TEXT NOT NULL,
	issuer_id TEXT NOT NULL REFERENCES directories (issuer_id) ON DELETE CASCADE,
	user_name_key TEXT NOT NULL,
	display_name_key TEXT NOT NULL,
	external_id TEXT NOT NULL,
	active INTEGER NOT NULL,
	attributes TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX directory_people_name ON directory_people (issuer_id, user_name_key);
CREATE INDEX directory_people_external ON directory_people (issuer_id, external_id);
CREATE INDEX directory_people_oldest ON directory_people (issuer_id, user_id);
CREATE INDEX directory_people_shown ON directory_people (issuer_id, display_name_key);
CREATE INDEX directory_people_active ON directory_people (issuer_id, active, user_id);
CREATE INDEX directory_people_changed ON directory_people (issuer_id, updated_at);

CREATE TABLE directory_emails (
	user_id TEXT NOT NULL REFERENCES directory_people (user_id) ON DELETE CASCADE,
	place BIGINT NOT NULL,
	tenant_id TEXT NOT NULL,
	issuer_id TEXT NOT NULL,
	value_key TEXT NOT NULL,
	type TEXT NOT NULL,
	is_primary INTEGER NOT NULL,
	PRIMARY KEY (user_id, place)
);
CREATE INDEX directory_emails_value ON directory_emails (issuer_id, value_key, user_id);

CREATE TABLE directory_groups (
	group_id TEXT PRIMARY KEY REFERENCES user_groups (id) ON DELETE CASCADE,
	tenant_id TEXT NOT NULL,
	issuer_id TEXT NOT NULL REFERENCES directories (issuer_id) ON DELETE CASCADE,
	display_name TEXT NOT NULL,
	display_name_key TEXT NOT NULL,
	external_id TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE INDEX directory_groups_oldest ON directory_groups (issuer_id, group_id);
CREATE INDEX directory_groups_shown ON directory_groups (issuer_id, display_name_key);
CREATE INDEX directory_groups_external ON directory_groups (issuer_id, external_id);
CREATE INDEX directory_groups_changed ON directory_groups (issuer_id, updated_at);

-- Deleted with the user they concern, after 30 days, or when the directory has newer ones.
CREATE TABLE directory_events (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	issuer_id TEXT NOT NULL REFERENCES directories (issuer_id) ON DELETE CASCADE,
	at BIGINT NOT NULL,
	method TEXT NOT NULL,
	path TEXT NOT NULL,
	status BIGINT NOT NULL,
	detail TEXT NOT NULL,
	sent TEXT NOT NULL,
	answered TEXT NOT NULL,
	user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
	request_id TEXT NOT NULL
);
CREATE INDEX directory_events_newest ON directory_events (issuer_id, at, id);
CREATE INDEX directory_events_user ON directory_events (user_id, at, id) WHERE user_id IS NOT NULL;
CREATE INDEX directory_events_age ON directory_events (at);

${grantTables("group", "user_groups")}
-- Grants to API clients, and to applications whose OAuth client acts for itself

${grantTables("client", "api_clients")}
${grantTables("program", "applications")}
-- Second factors

-- status is pending until the first code confirms the factor, then active; expires_at is set while it is pending.
-- last_used_step is the 30-second step of the last accepted code: codes of this step and earlier ones are refused.
CREATE TABLE totp_factors (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	status TEXT NOT NULL,
	secret_sealed TEXT NOT NULL,
	last_used_step BIGINT NOT NULL,
	expires_at BIGINT,
	created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX totp_factors_user ON totp_factors (user_id, status);
CREATE INDEX totp_factors_expiry ON totp_factors (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE recovery_codes (
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	code_digest TEXT NOT NULL,
	tenant_id TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	used_at BIGINT,
	PRIMARY KEY (user_id, code_digest)
);

-- user_handle identifies the user to authenticators. It is random, so it reveals nothing about the user.
-- declined is 1 after the user removed an automatic passkey.
CREATE TABLE passkey_users (
	user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	tenant_id TEXT NOT NULL,
	user_handle TEXT NOT NULL UNIQUE,
	declined INTEGER NOT NULL
);

-- credential_id and public_key (COSE) are base64url; transports is a comma-separated list. automatic is 1 for a passkey that
-- the browser created without a question; it makes no second factor required.
CREATE TABLE passkeys (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	name TEXT NOT NULL,
	credential_id TEXT NOT NULL UNIQUE,
	public_key TEXT NOT NULL,
	sign_count BIGINT NOT NULL,
	transports TEXT NOT NULL,
	aaguid TEXT NOT NULL,
	synced INTEGER NOT NULL,
	automatic INTEGER NOT NULL,
	created_at BIGINT NOT NULL,
	last_used_at BIGINT
);
CREATE INDEX passkeys_user ON passkeys (user_id, created_at, id);

-- subject is the id of the user who enrolls, the digest of the mfa_token, or empty for a sign-in with only a passkey.
CREATE TABLE passkey_challenges (
	challenge_digest TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	purpose TEXT NOT NULL,
	subject TEXT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX passkey_challenges_expiry ON passkey_challenges (expires_at);

-- Sign-ins that wait for the second factor. enrolment is 1 when one is required and the user has none yet.
CREATE TABLE pending_sign_ins (
	token_digest TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	app_id TEXT,
	amr TEXT NOT NULL,
	provider TEXT,
	enrolment INTEGER NOT NULL,
	tries_left INTEGER NOT NULL,
	expires_at BIGINT NOT NULL,
	created_at BIGINT NOT NULL
);
CREATE INDEX pending_sign_ins_user ON pending_sign_ins (user_id);
CREATE INDEX pending_sign_ins_expiry ON pending_sign_ins (expires_at);

-- Mailed codes and links, known devices

-- Each email has at most one valid code per purpose.
CREATE TABLE email_codes (
	tenant_id TEXT NOT NULL,
	purpose TEXT NOT NULL,
	address TEXT NOT NULL,
	code_digest TEXT NOT NULL,
	tries_left INTEGER NOT NULL,
	expires_at BIGINT NOT NULL,
	PRIMARY KEY (tenant_id, purpose, address)
);
CREATE INDEX email_codes_age ON email_codes (expires_at);

-- Deleting the row invalidates the link. A row without a user is written for an unknown email, so that the response
-- takes as long as for a known one; its link does nothing.
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

-- device_digest combines the kind of browser or application with the network of a sign-in.
CREATE TABLE known_devices (
	tenant_id TEXT NOT NULL,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	device_digest TEXT NOT NULL,
	last_seen_at BIGINT NOT NULL,
	PRIMARY KEY (user_id, device_digest)
);
CREATE INDEX known_devices_age ON known_devices (last_seen_at);

-- When a reviewer who chose is mailed about new requests; due_at is NULL while there is no new one.
CREATE TABLE request_mails (
	user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	tenant_id TEXT NOT NULL,
	frequency TEXT NOT NULL,
	due_at BIGINT
);
CREATE INDEX request_mails_due ON request_mails (due_at) WHERE due_at IS NOT NULL;

-- Limits of sign-in and mail

-- Failed password attempts. subject is a username as entered (name:<digest>) or an account (user:<id>); an empty ip
-- counts the attempts of all IP addresses.
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
-- 100 consecutive failures lock an account.
CREATE INDEX login_failures_locked ON login_failures (tenant_id, subject) WHERE ip = '' AND failures >= 100;

-- A refused sign-in of the subject from this IP address is in the audit trail; others are left out until noted_until.
CREATE TABLE refusal_notes (
	tenant_id TEXT NOT NULL,
	subject TEXT NOT NULL,
	ip TEXT NOT NULL,
	noted_until BIGINT NOT NULL,
	PRIMARY KEY (tenant_id, subject, ip)
);
CREATE INDEX refusal_notes_age ON refusal_notes (noted_until);

-- Allowances of an IP address across all tenants refill over time; earned_at is when one is full again.
CREATE TABLE address_allowances (
	kind TEXT NOT NULL,
	ip TEXT NOT NULL,
	earned_at BIGINT NOT NULL,
	PRIMARY KEY (kind, ip)
);
CREATE INDEX address_allowances_age ON address_allowances (earned_at);

-- The last five mails to an email across all tenants, newest first; 0 means none.
CREATE TABLE address_mails (
	purpose TEXT NOT NULL,
	address TEXT NOT NULL,
	sent_1_at BIGINT NOT NULL,
	sent_2_at BIGINT NOT NULL,
	sent_3_at BIGINT NOT NULL,
	sent_4_at BIGINT NOT NULL,
	sent_5_at BIGINT NOT NULL,
	PRIMARY KEY (purpose, address)
);
CREATE INDEX address_mails_age ON address_mails (sent_1_at);

-- Admin keys

-- The service also deletes a key when its creator's roles or status change.
CREATE TABLE admin_keys (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	name TEXT NOT NULL,
	key_digest TEXT NOT NULL UNIQUE,
	roles TEXT NOT NULL,
	ip_allowlist TEXT NOT NULL,
	workloads TEXT NOT NULL,
	expires_at BIGINT NOT NULL,
	last_used_at BIGINT,
	last_used_ip TEXT NOT NULL,
	created_by TEXT REFERENCES users (id) ON DELETE CASCADE,
	created_at BIGINT NOT NULL
);
CREATE INDEX admin_keys_page ON admin_keys (tenant_id, created_at DESC, id DESC);
CREATE INDEX admin_keys_creator ON admin_keys (created_by);
CREATE INDEX admin_keys_expiry ON admin_keys (expires_at);

-- OpenID Connect and OAuth

-- At most one for each application. Everything issued to a client refers to this row and is deleted with it.
CREATE TABLE oauth_clients (
	application_id TEXT PRIMARY KEY REFERENCES applications (id) ON DELETE CASCADE,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	type TEXT NOT NULL,
	auth_method TEXT NOT NULL,
	post_logout_redirect_uris TEXT NOT NULL,
	backchannel_logout_uri TEXT,
	first_party INTEGER NOT NULL,
	id_token_alg TEXT NOT NULL,
	pkce TEXT NOT NULL,
	device_flow INTEGER NOT NULL,
	response_modes TEXT NOT NULL,
	jwks TEXT,
	jwks_uri TEXT,
	resource TEXT,
	allowed_resources TEXT NOT NULL,
	acts_for_people TEXT NOT NULL,
	workloads TEXT NOT NULL,
	assertion_audiences TEXT NOT NULL,
	profile TEXT NOT NULL DEFAULT 'none',
	claims TEXT NOT NULL DEFAULT '[]',
	secret_digest TEXT,
	secret_hint TEXT NOT NULL,
	secret_created_at BIGINT,
	previous_secret_digest TEXT,
	previous_secret_expires_at BIGINT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX oauth_clients_resource ON oauth_clients (tenant_id, resource);
CREATE INDEX oauth_clients_workloads ON oauth_clients (tenant_id) WHERE auth_method = 'workload';

-- Applications whose client_id is the URL of a document. document is the one that was reviewed.
CREATE TABLE programs (
	application_id TEXT PRIMARY KEY REFERENCES applications (id) ON DELETE CASCADE,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	url TEXT NOT NULL,
	status TEXT NOT NULL,
	suspended_by TEXT,
	document TEXT NOT NULL,
	expires_at BIGINT,
	reviewed_by TEXT,
	reviewed_at BIGINT NOT NULL,
	read_at BIGINT NOT NULL,
	next_read_at BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX programs_url ON programs (url, tenant_id);
CREATE INDEX programs_due ON programs (next_read_at);
CREATE INDEX programs_newest ON programs (tenant_id, created_at, application_id);

-- document is NULL if the document of a reviewed program cannot be read any more.
CREATE TABLE program_askers (
	request_id TEXT NOT NULL REFERENCES requests (id) ON DELETE CASCADE,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	tenant_id TEXT NOT NULL,
	reason TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (request_id, user_id)
);
CREATE INDEX program_askers_user ON program_askers (user_id);

-- The tenant for whose API each resource (RFC 8707) gets tokens. Other tenants may store the same resource.
CREATE TABLE resource_names (
	resource TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	assigned_at BIGINT NOT NULL
);

-- One for each sign-in of a user to a client. issuer_id is the issuer of the assertion that signed the user in.
CREATE TABLE oauth_grants (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	client_id TEXT NOT NULL REFERENCES oauth_clients (application_id) ON DELETE CASCADE,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	issuer_id TEXT REFERENCES identity_providers (id) ON DELETE CASCADE,
	payload TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX oauth_grants_asserted ON oauth_grants (issuer_id, user_id, client_id) WHERE issuer_id IS NOT NULL;
CREATE INDEX oauth_grants_client ON oauth_grants (client_id, user_id);
CREATE INDEX oauth_grants_user ON oauth_grants (user_id);
CREATE INDEX oauth_grants_session ON oauth_grants (session_id);
CREATE INDEX oauth_grants_expiry ON oauth_grants (expires_at);

-- Clients that acted at an API for the user of a grant (RFC 8693).
CREATE TABLE oauth_actors (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
	actor_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
	api_id TEXT NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
	created_at BIGINT NOT NULL,
	last_used_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX oauth_actors_grant ON oauth_actors (grant_id, actor_id, api_id);
CREATE INDEX oauth_actors_user ON oauth_actors (user_id, last_used_at DESC, id DESC);
CREATE INDEX oauth_actors_actor ON oauth_actors (actor_id);
CREATE INDEX oauth_actors_api ON oauth_actors (api_id);

-- Codes, tokens and sign-ins in progress. The client of those with a grant is that of the grant. polled_at is when a device last asked for its token (RFC 8628, section 3.5).
CREATE TABLE oauth_records (
	digest TEXT PRIMARY KEY,
	kind TEXT NOT NULL,
	client_id TEXT REFERENCES oauth_clients (application_id) ON DELETE CASCADE,
	grant_id TEXT REFERENCES oauth_grants (id) ON DELETE CASCADE,
	user_code_digest TEXT,
	payload_sealed TEXT NOT NULL,
	consumed_at BIGINT,
	polled_at BIGINT,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX oauth_records_client ON oauth_records (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX oauth_records_grant ON oauth_records (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oauth_records_expiry ON oauth_records (expires_at);
CREATE UNIQUE INDEX oauth_records_user_code ON oauth_records (user_code_digest) WHERE user_code_digest IS NOT NULL;

-- The gate of an application. The key digests authenticate its proxy.
CREATE TABLE gates (
	application_id TEXT PRIMARY KEY REFERENCES applications (id) ON DELETE CASCADE,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	rules TEXT NOT NULL,
	accept TEXT NOT NULL,
	browser_origin TEXT,
	statement INTEGER NOT NULL,
	own_tokens INTEGER NOT NULL,
	cors_origins TEXT NOT NULL,
	key_digest TEXT NOT NULL,
	key_hint TEXT NOT NULL,
	previous_key_digest TEXT,
	previous_key_expires_at BIGINT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX gates_origin ON gates (tenant_id, browser_origin);

CREATE TABLE oauth_consents (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	client_id TEXT NOT NULL REFERENCES oauth_clients (application_id) ON DELETE CASCADE,
	scopes TEXT NOT NULL,
	resources TEXT NOT NULL,
	api_scopes TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX oauth_consents_client ON oauth_consents (user_id, client_id);
CREATE INDEX oauth_consents_of_client ON oauth_consents (client_id);

-- Back-channel logout tokens to send, one for each revoked session and client. A row is written in the transaction that
-- revokes the session and deleted after delivery. Without foreign keys: it outlives the session and the user.
CREATE TABLE logout_notices (
	session_id TEXT NOT NULL,
	client_id TEXT NOT NULL,
	tenant_id TEXT NOT NULL,
	user_id TEXT NOT NULL,
	attempts INTEGER NOT NULL,
	next_attempt_at BIGINT NOT NULL,
	give_up_at BIGINT NOT NULL,
	last_error TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (session_id, client_id)
);
CREATE INDEX logout_notices_due ON logout_notices (client_id, next_attempt_at);
CREATE INDEX logout_notices_failing ON logout_notices (client_id) WHERE last_error <> '';

-- Webhooks

-- event_types lists the subscribed types with a comma before and after each: ,user.*,grant.created,
-- The secret is sealed, not digested: signing needs it.
CREATE TABLE webhooks (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	url TEXT NOT NULL,
	description TEXT NOT NULL,
	event_types TEXT NOT NULL,
	status TEXT NOT NULL,
	disabled_reason TEXT NOT NULL,
	secret_sealed TEXT NOT NULL,
	secret_hint TEXT NOT NULL,
	secret_created_at BIGINT NOT NULL,
	previous_secret_sealed TEXT,
	previous_secret_expires_at BIGINT,
	failing_since BIGINT,
	recent_since BIGINT,
	recent_attempts INTEGER NOT NULL,
	recent_failures INTEGER NOT NULL,
	last_delivered_at BIGINT,
	created_by TEXT,
	managed_by TEXT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE INDEX webhooks_newest ON webhooks (tenant_id, created_at, id);

-- id is that of the audit event. A replay resets round_attempts and give_up_at, but not attempts. history lists the last attempts.
CREATE TABLE webhook_deliveries (
	webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
	id TEXT NOT NULL,
	tenant_id TEXT NOT NULL,
	event_type TEXT NOT NULL,
	payload TEXT NOT NULL,
	status TEXT NOT NULL,
	attempts INTEGER NOT NULL,
	round_attempts INTEGER NOT NULL,
	next_attempt_at BIGINT NOT NULL,
	give_up_at BIGINT NOT NULL,
	last_attempt_at BIGINT,
	last_status_code INTEGER,
	last_error TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	finished_at BIGINT,
	history TEXT NOT NULL DEFAULT '[]',
	PRIMARY KEY (webhook_id, id)
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;

-- Mail

-- payload_sealed is emptied when the mail is sent: it may contain a token. recipient and subject are kept, for lists.
-- A mail that is sent again has a new round of attempts: earlier_attempts counts those of earlier rounds.
CREATE TABLE mail_outbox (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	recipient TEXT NOT NULL DEFAULT '',
	subject TEXT NOT NULL DEFAULT '',
	status TEXT NOT NULL,
	payload_sealed TEXT NOT NULL,
	attempts INTEGER NOT NULL,
	earlier_attempts INTEGER NOT NULL DEFAULT 0,
	next_attempt_at BIGINT NOT NULL,
	last_error TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	finished_at BIGINT
);
CREATE INDEX mail_outbox_due ON mail_outbox (next_attempt_at) WHERE status = 'due';
CREATE INDEX mail_outbox_listed ON mail_outbox (tenant_id, created_at, id) WHERE status <> 'dropped';
CREATE INDEX mail_outbox_states ON mail_outbox (tenant_id, status, created_at, id) WHERE status <> 'dropped';
CREATE INDEX mail_outbox_recipients ON mail_outbox (tenant_id, recipient, created_at, id) WHERE status <> 'dropped';
CREATE INDEX mail_outbox_finished ON mail_outbox (finished_at);
-- Counts a tenant's waiting mails without reading their rows.
CREATE INDEX mail_outbox_waiting ON mail_outbox (tenant_id) WHERE status = 'due';

-- Audit trail

-- The newest event of each trail. latest_at is the latest time of any: a clock that is set back does not change it.
CREATE TABLE audit_heads (
	tenant_id TEXT PRIMARY KEY,
	sequence BIGINT NOT NULL,
	hash TEXT NOT NULL,
	at BIGINT NOT NULL,
	latest_at BIGINT NOT NULL DEFAULT 0
);

-- chain_version says what the hash covers. No statement looks up an event by its id. PostgreSQL keeps a table for each month,
-- with the time in the key: there, the lock of the head makes sequences unique.
CREATE TABLE audit_events (
	tenant_id TEXT NOT NULL,
	sequence BIGINT NOT NULL,
	at BIGINT NOT NULL,
	id TEXT NOT NULL,
	actor TEXT NOT NULL,
	actor_name TEXT NOT NULL DEFAULT '',
	action TEXT NOT NULL,
	target TEXT NOT NULL,
	target_name TEXT NOT NULL DEFAULT '',
	ip TEXT NOT NULL,
	request_id TEXT NOT NULL,
	details TEXT NOT NULL,
	changes TEXT NOT NULL DEFAULT '{}',
	chain_version INTEGER NOT NULL,
	hash TEXT NOT NULL,
	PRIMARY KEY (tenant_id, sequence)
) {{by month of at}};
-- Lists are ordered by time. Names of users are found by their ids.
CREATE INDEX audit_events_time ON audit_events (tenant_id, at, sequence);
CREATE INDEX audit_events_actor ON audit_events (tenant_id, actor, at, sequence);
CREATE INDEX audit_events_action ON audit_events (tenant_id, action, at, sequence);
CREATE INDEX audit_events_target ON audit_events (tenant_id, target, at, sequence);
CREATE INDEX audit_events_request ON audit_events (tenant_id, request_id, at, sequence) WHERE request_id <> '';
CREATE INDEX audit_events_ip ON audit_events (tenant_id, ip, at, sequence) WHERE ip <> '';
CREATE INDEX audit_events_actor_name ON audit_events (tenant_id, actor_name, at, sequence)
	WHERE actor_name <> '' AND actor NOT LIKE 'user:%';
CREATE INDEX audit_events_target_name ON audit_events (tenant_id, target_name, at, sequence)
	WHERE target_name <> '' AND target NOT LIKE 'user:%';

-- A signed statement of where the trail begins after older events were removed.
CREATE TABLE audit_checkpoints (
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	sequence BIGINT NOT NULL,
	hash TEXT NOT NULL,
	statement TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (tenant_id, sequence)
);

-- The database itself refuses to change the trail: events can only be deleted up to a checkpoint, and a head only moves
-- forward. INSERT OR REPLACE of SQLite deletes rows without delete triggers, so it needs a guard of its own.
{{keep audit_checkpoints}};
{{keep audit_events, delete when OLD.sequence <= (SELECT coalesce(max(c.sequence), 0) FROM audit_checkpoints c WHERE c.tenant_id = OLD.tenant_id)}};
{{keep audit_heads, update when NEW.sequence >= OLD.sequence AND NEW.tenant_id = OLD.tenant_id}};
{{never overwrite audit_events by tenant_id, sequence}};
{{never overwrite audit_heads by tenant_id}};
{{never overwrite audit_checkpoints by tenant_id, sequence}};
{{append audit_events}};

-- Reviews of access, and their items. A preparing review has not all of its items yet. Names of users are not stored.
CREATE TABLE reviews (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	name TEXT NOT NULL,
	subject TEXT NOT NULL,
	app_id TEXT,
	group_id TEXT,
	status TEXT NOT NULL,
	unanswered TEXT NOT NULL,
	reviewers TEXT REFERENCES user_groups (id) ON DELETE SET NULL,
	due_at BIGINT NOT NULL,
	total INTEGER NOT NULL,
	kept INTEGER NOT NULL,
	ended INTEGER NOT NULL,
	created_by TEXT,
	reminded_at BIGINT,
	closed_at BIGINT,
	close_audit_id TEXT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE INDEX reviews_newest ON reviews (tenant_id, created_at, id);
CREATE INDEX reviews_status ON reviews (status, due_at);
CREATE INDEX reviews_closed ON reviews (closed_at) WHERE status = 'closed';
CREATE INDEX reviews_reviewers ON reviews (reviewers) WHERE reviewers IS NOT NULL;

-- applied_at is set when an ended item lost what it names. notice_due: the partner is to be mailed before the end.
CREATE TABLE review_items (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	review_id TEXT NOT NULL REFERENCES reviews (id) ON DELETE CASCADE,
	subject_id TEXT NOT NULL,
	subject_name TEXT NOT NULL,
	subject_name_folded TEXT NOT NULL,
	owner_id TEXT,
	app_id TEXT,
	app_name TEXT NOT NULL,
	roles TEXT NOT NULL,
	permissions TEXT NOT NULL,
	scopes TEXT NOT NULL,
	sources TEXT NOT NULL,
	last_used_at BIGINT,
	created_at BIGINT NOT NULL,
	owner_left INTEGER NOT NULL,
	never_used INTEGER NOT NULL,
	unused INTEGER NOT NULL,
	risk INTEGER NOT NULL,
	version TEXT NOT NULL,
	state TEXT NOT NULL,
	note TEXT NOT NULL,
	decided_by TEXT,
	decided_at BIGINT,
	decided_for TEXT,
	audit_id TEXT,
	applied_at BIGINT,
	failure TEXT NOT NULL,
	notice_due INTEGER NOT NULL,
	noticed_at BIGINT,
	answer_digest TEXT UNIQUE,
	partner_answer TEXT,
	partner_reason TEXT NOT NULL,
	partner_answered_at BIGINT
);
CREATE INDEX review_items_risk ON review_items (review_id, risk DESC, id);
CREATE INDEX review_items_state ON review_items (review_id, state, risk DESC, id);
CREATE INDEX review_items_ending ON review_items (review_id, id) WHERE applied_at IS NULL AND state <> 'kept';
CREATE INDEX review_items_notices ON review_items (review_id, id) WHERE notice_due = 1 AND state <> 'kept';
CREATE INDEX review_items_kept ON review_items (review_id, subject_id) WHERE state = 'kept';

-- Refused calls of API clients and OAuth clients, and at gates. api_client_id is the client that called, if it is known;
-- application_id the application of the client or gate.
CREATE TABLE refusals (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	subject TEXT NOT NULL,
	api_client_id TEXT REFERENCES api_clients (id) ON DELETE CASCADE,
	application_id TEXT REFERENCES applications (id) ON DELETE CASCADE,
	at BIGINT NOT NULL,
	code TEXT NOT NULL,
	reason TEXT,
	method TEXT NOT NULL,
	path TEXT NOT NULL,
	rule BIGINT,
	caller TEXT NOT NULL,
	ip TEXT NOT NULL,
	request_id TEXT NOT NULL
);
CREATE INDEX refusals_newest ON refusals (tenant_id, at, id);
CREATE INDEX refusals_subject ON refusals (tenant_id, subject, at, id);
CREATE INDEX refusals_code ON refusals (tenant_id, code, at, id);
CREATE INDEX refusals_request ON refusals (tenant_id, request_id, at, id);
CREATE INDEX refusals_client ON refusals (api_client_id, at, id) WHERE api_client_id IS NOT NULL;
CREATE INDEX refusals_application ON refusals (application_id, at, id) WHERE application_id IS NOT NULL;
CREATE INDEX refusals_age ON refusals (at);

-- Counts and statistics

-- Exact totals of long lists, by tenant and value. On PostgreSQL, each transaction writes a part of its own, so that
-- none waits for another, and a job adds the parts to part 0. SQLite has one writer and only uses part 0.
CREATE TABLE row_counts (
	tenant_id TEXT NOT NULL,
	table_name TEXT NOT NULL,
	value TEXT NOT NULL,
	part BIGINT NOT NULL,
	total BIGINT NOT NULL,
	PRIMARY KEY (tenant_id, table_name, value, part)
);
CREATE INDEX row_counts_parts ON row_counts (part) WHERE part <> 0;
{{count users by status}};
{{count requests by status}};
{{count api_clients by status}};

-- step is the period that a total covers, an hour or a day, and at its start. subject_id is empty for totals of the
-- tenant; otherwise, it is the API client, the webhook, or the application of the gate that a total is about.
CREATE TABLE statistics (
	tenant_id TEXT NOT NULL,
	subject_id TEXT NOT NULL,
	step TEXT NOT NULL,
	at BIGINT NOT NULL,
	measure TEXT NOT NULL,
	code TEXT NOT NULL,
	total BIGINT NOT NULL,
	PRIMARY KEY (tenant_id, subject_id, step, at, measure, code)
);
CREATE INDEX statistics_age ON statistics (step, at);
CREATE INDEX statistics_calls_refused ON statistics (tenant_id, at, subject_id)
	WHERE step = 'hour' AND measure = 'signed_call_refused';
`;
