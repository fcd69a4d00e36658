// Mails that administrators list and send again.

/**
 * Recipient and subject are stored beside the sealed content, which is erased when the mail is sent; mails that were
 * written before have neither. Attempts before `earlier_attempts` belong to an earlier round.
 */
export const listedMails = `
ALTER TABLE mail_outbox ADD COLUMN recipient TEXT NOT NULL DEFAULT '';
ALTER TABLE mail_outbox ADD COLUMN subject TEXT NOT NULL DEFAULT '';
ALTER TABLE mail_outbox ADD COLUMN earlier_attempts INTEGER NOT NULL DEFAULT 0;
CREATE INDEX mail_outbox_listed ON mail_outbox (tenant_id, created_at, id) WHERE status <> 'dropped';
CREATE INDEX mail_outbox_states ON mail_outbox (tenant_id, status, created_at, id) WHERE status <> 'dropped';
CREATE INDEX mail_outbox_recipients ON mail_outbox (tenant_id, recipient, created_at, id) WHERE status <> 'dropped';
CREATE INDEX mail_outbox_finished ON mail_outbox (finished_at);
`;
