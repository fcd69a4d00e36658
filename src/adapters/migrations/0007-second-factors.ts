// Second factors: TOTP, recovery codes, passkeys, and sign-ins that wait for one.

export const secondFactors = `
-- Whether a second factor is enrolled: kept with every change of one, since each request shows it.
ALTER TABLE users ADD COLUMN mfa_enabled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE applications ADD COLUMN require_mfa INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tenants ADD COLUMN require_mfa INTEGER NOT NULL DEFAULT 0;

-- status: pending until a first code confirms it (expires_at then says how long it waits), active afterwards.
-- last_used_step is the 30-second step of the newest code that was taken: none is taken twice, nor one before it.
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

-- Who a person is to authenticators: random, so that it tells nothing.
CREATE TABLE passkey_users (
	user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	tenant_id TEXT NOT NULL,
	user_handle TEXT NOT NULL UNIQUE
);

-- credential_id and public_key (COSE) in base64url; transports is a comma-separated list.
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
	created_at BIGINT NOT NULL,
	last_used_at BIGINT
);
CREATE INDEX passkeys_user ON passkeys (user_id, created_at, id);

-- subject: the user who enrols, the digest of the mfa_token that is answered, or empty for a sign-in by passkey alone.
CREATE TABLE passkey_challenges (
	challenge_digest TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	purpose TEXT NOT NULL,
	subject TEXT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX passkey_challenges_expiry ON passkey_challenges (expires_at);

-- A first factor was proved, the second is due; enrolment 1: there is none yet, and one is required.
CREATE TABLE pending_sign_ins (
	token_digest TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	app_id TEXT,
	amr TEXT NOT NULL,
	enrolment INTEGER NOT NULL,
	tries_left INTEGER NOT NULL,
	expires_at BIGINT NOT NULL,
	created_at BIGINT NOT NULL
);
CREATE INDEX pending_sign_ins_user ON pending_sign_ins (user_id);
CREATE INDEX pending_sign_ins_expiry ON pending_sign_ins (expires_at);
`;
