// OAuth clients: applications that sign people in with OpenID Connect, or get tokens with OAuth.

/** One row an application. What is issued to a client refers to its row with ON DELETE CASCADE, and ends with it. */
export const oauthClients = `
CREATE TABLE oauth_clients (
	application_id TEXT PRIMARY KEY REFERENCES applications (id) ON DELETE CASCADE,
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	type TEXT NOT NULL,
	auth_method TEXT NOT NULL,
	post_logout_redirect_uris TEXT NOT NULL,
	backchannel_logout_uri TEXT,
	first_party INTEGER NOT NULL,
	id_token_alg TEXT NOT NULL,
	jwks TEXT,
	jwks_uri TEXT,
	resource TEXT,
	allowed_resources TEXT NOT NULL,
	secret_digest TEXT,
	secret_hint TEXT NOT NULL,
	secret_created_at BIGINT,
	previous_secret_digest TEXT,
	previous_secret_expires_at BIGINT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX oauth_clients_resource ON oauth_clients (tenant_id, resource);
`;
