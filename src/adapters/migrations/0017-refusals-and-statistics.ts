// Refused calls of API clients, and statistics by hour and day.

export const refusalsAndStatistics = `
CREATE TABLE refused_calls (
	id TEXT PRIMARY KEY,
	tenant_id TEXT NOT NULL,
	client_id TEXT NOT NULL REFERENCES api_clients (id) ON DELETE CASCADE,
	at BIGINT NOT NULL,
	code TEXT NOT NULL,
	reason TEXT,
	method TEXT NOT NULL,
	path TEXT NOT NULL,
	ip TEXT NOT NULL,
	request_id TEXT NOT NULL,
	signature_valid INTEGER NOT NULL
);
CREATE INDEX refused_calls_client ON refused_calls (client_id, at, id);
CREATE INDEX refused_calls_age ON refused_calls (at);

CREATE TABLE statistics (
	tenant_id TEXT NOT NULL,
	step TEXT NOT NULL,
	at BIGINT NOT NULL,
	measure TEXT NOT NULL,
	code TEXT NOT NULL,
	total BIGINT NOT NULL,
	PRIMARY KEY (tenant_id, step, at, measure, code)
);
CREATE INDEX statistics_age ON statistics (step, at);
-- Counts waiting mails by tenant without reading the mails.
CREATE INDEX mail_outbox_waiting ON mail_outbox (tenant_id) WHERE status = 'due';
`;
