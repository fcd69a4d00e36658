// What the OpenID provider issues: grants, codes and tokens, sign-ins under way, and what people consented to.

/**
 * `oauth_grants`: one for each sign-in of a person to a client; its codes and tokens end with it, and it ends with the
 * session, the person and the client. `oauth_records`: by digest, never by value. `oauth_consents`: one for each person and client.
 */
export const oauthRecords = `
CREATE TABLE oauth_grants (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	client_id TEXT NOT NULL REFERENCES oauth_clients (application_id) ON DELETE CASCADE,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	payload TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX oauth_grants_client ON oauth_grants (client_id, user_id);
CREATE INDEX oauth_grants_user ON oauth_grants (user_id);
CREATE INDEX oauth_grants_session ON oauth_grants (session_id);
CREATE INDEX oauth_grants_expiry ON oauth_grants (expires_at);

CREATE TABLE oauth_records (
	digest TEXT PRIMARY KEY,
	kind TEXT NOT NULL,
	client_id TEXT REFERENCES oauth_clients (application_id) ON DELETE CASCADE,
	grant_id TEXT REFERENCES oauth_grants (id) ON DELETE CASCADE,
	user_code_digest TEXT,
	payload_sealed TEXT NOT NULL,
	consumed_at BIGINT,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX oauth_records_client ON oauth_records (client_id);
CREATE INDEX oauth_records_grant ON oauth_records (grant_id);
CREATE INDEX oauth_records_expiry ON oauth_records (expires_at);
CREATE UNIQUE INDEX oauth_records_user_code ON oauth_records (user_code_digest);

CREATE TABLE oauth_consents (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	client_id TEXT NOT NULL REFERENCES oauth_clients (application_id) ON DELETE CASCADE,
	scopes TEXT NOT NULL,
	resources TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX oauth_consents_client ON oauth_consents (user_id, client_id);
CREATE INDEX oauth_consents_of_client ON oauth_consents (client_id);
`;
