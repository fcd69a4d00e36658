// Audit events hold names beside ids, and old and new values; they are found by name, request and address.

/**
 * Events of before have the defaults; `chain_version` 1 says that their hash covers neither names nor changes. The new
 * indexes leave out rows without a value: most events of a trail from before have no name.
 */
export const auditNames = `
ALTER TABLE audit_events ADD COLUMN chain_version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE audit_events ADD COLUMN actor_name TEXT NOT NULL DEFAULT '';
ALTER TABLE audit_events ADD COLUMN target_name TEXT NOT NULL DEFAULT '';
ALTER TABLE audit_events ADD COLUMN changes TEXT NOT NULL DEFAULT '{}';
CREATE INDEX audit_events_actor_name ON audit_events (tenant_id, actor_name, sequence) WHERE actor_name <> '';
CREATE INDEX audit_events_target_name ON audit_events (tenant_id, target_name, sequence) WHERE target_name <> '';
CREATE INDEX audit_events_request ON audit_events (tenant_id, request_id, sequence) WHERE request_id <> '';
CREATE INDEX audit_events_ip ON audit_events (tenant_id, ip, sequence) WHERE ip <> '';
`;
