// Identity providers, sign-ins under way with them, tickets, and further ids of linked accounts.

export const identityProviders = `
-- The client secret is sealed, since the provider wants it in clear. issuer is '' where the kind has its own address.
CREATE TABLE identity_providers (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	provider TEXT NOT NULL,
	kind TEXT NOT NULL,
	display_name TEXT NOT NULL,
	client_id TEXT NOT NULL,
	client_secret_sealed TEXT NOT NULL,
	client_secret_set_at BIGINT NOT NULL,
	issuer TEXT NOT NULL,
	enabled INTEGER NOT NULL,
	sign_up INTEGER NOT NULL,
	created_by TEXT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX identity_providers_provider ON identity_providers (tenant_id, provider);
CREATE INDEX identity_providers_newest ON identity_providers (tenant_id, created_at, id);

-- A sign-in on its way: begun by an application (begin_digest), then bound to a browser and sent on (state_digest).
-- protocol_sealed holds nonce and PKCE verifier while it is at the provider. user_id: link to this user instead.
-- What it names may go away meanwhile: all of it is looked up again when the browser returns.
CREATE TABLE third_party_attempts (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	provider_id TEXT NOT NULL,
	app_id TEXT,
	redirect_uri TEXT NOT NULL,
	code_challenge TEXT NOT NULL,
	user_id TEXT,
	session_id TEXT,
	begin_digest TEXT NOT NULL UNIQUE,
	browser_digest TEXT,
	state_digest TEXT UNIQUE,
	protocol_sealed TEXT,
	expires_at BIGINT NOT NULL
);
CREATE INDEX third_party_attempts_expiry ON third_party_attempts (expires_at);

-- What an application exchanges for tokens, once. ip and so on are those of the browser that came back.
CREATE TABLE third_party_tickets (
	digest TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	account_id TEXT NOT NULL,
	app_id TEXT,
	code_challenge TEXT NOT NULL,
	ip TEXT NOT NULL,
	user_agent TEXT NOT NULL,
	accept_language TEXT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX third_party_tickets_expiry ON third_party_tickets (expires_at);

-- Further ids of the person behind a linked account at the same provider (WeChat: openid beside unionid).
CREATE TABLE third_party_aliases (
	tenant_id TEXT NOT NULL,
	provider TEXT NOT NULL,
	provider_user_id TEXT NOT NULL,
	account_id TEXT NOT NULL REFERENCES third_party_accounts (id) ON DELETE CASCADE,
	PRIMARY KEY (tenant_id, provider, provider_user_id)
);
CREATE INDEX third_party_aliases_account ON third_party_aliases (account_id);
`;
