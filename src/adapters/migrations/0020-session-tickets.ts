// Tickets for applications of people who are signed in at the service's own page, and tickets that one browser may use.

/** They end with their session. `browser_digest`: set where the service's own page gets the ticket. */
export const sessionTickets = `
CREATE TABLE session_tickets (
	digest TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	app_id TEXT NOT NULL,
	code_challenge TEXT NOT NULL,
	ip TEXT NOT NULL,
	user_agent TEXT NOT NULL,
	accept_language TEXT NOT NULL,
	expires_at BIGINT NOT NULL
);
CREATE INDEX session_tickets_expiry ON session_tickets (expires_at);
CREATE INDEX session_tickets_session ON session_tickets (session_id);

ALTER TABLE third_party_tickets ADD COLUMN browser_digest TEXT;
`;
