// The audit trail is kept: the database itself refuses to change it, and to forget more than a signed checkpoint allows.

/**
 * A checkpoint says with a signature where a trail may begin when all before it was removed. What is at or below one
 * may be deleted; a head may only go forward.
 */
export const auditKept = `
CREATE TABLE audit_checkpoints (
	tenant_id TEXT NOT NULL REFERENCES tenants (id),
	sequence BIGINT NOT NULL,
	hash TEXT NOT NULL,
	statement TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (tenant_id, sequence)
);
{{keep audit_checkpoints}};
{{keep audit_events, delete when OLD.sequence <= (SELECT coalesce(max(c.sequence), 0) FROM audit_checkpoints c WHERE c.tenant_id = OLD.tenant_id)}};
{{keep audit_heads, update when NEW.sequence >= OLD.sequence AND NEW.tenant_id = OLD.tenant_id}};
`;
