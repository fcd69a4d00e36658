// The audit trail is not overwritten: `INSERT OR REPLACE` of SQLite deletes the old row without asking delete triggers.

/** PostgreSQL needs nothing more: `ON CONFLICT DO UPDATE` and `MERGE` ask the triggers of migration 5. */
export const auditNotReplaced = `
{{never overwrite audit_events by id; tenant_id, sequence}};
{{never overwrite audit_heads by tenant_id}};
{{never overwrite audit_checkpoints by tenant_id, sequence}};
`;
