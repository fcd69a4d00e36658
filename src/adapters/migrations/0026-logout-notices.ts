// Logout tokens that wait to be sent to relying parties (OpenID Connect Back-Channel Logout 1.0).

/**
 * One row for each ended session and client, written in the transaction that ends the session, and deleted when the client was
 * told. It outlives session and user. Without a reference to the client: a row of a client that is gone is deleted unsent.
 */
export const logoutNotices = `
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
`;
