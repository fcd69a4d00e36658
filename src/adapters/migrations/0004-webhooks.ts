// Webhooks and their deliveries.

export const webhooks = `
-- event_types holds each subscribed type between commas: ,user.*,grant.created,
-- Secrets are sealed, since signing needs them.
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
	last_delivered_at BIGINT,
	created_by TEXT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE INDEX webhooks_newest ON webhooks (tenant_id, created_at, id);

-- id is the audit event's. round_attempts and give_up_at begin anew with a replay, attempts does not.
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
	PRIMARY KEY (webhook_id, id)
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;
`;
