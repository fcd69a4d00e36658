// Limits that count by address, over all tenants: mails asked for, mails sent, wrong passwords; and which refusals are audited.

/** Counts of before are kept: of several tenants the strictest. */
export const limitsPerAddress = `
-- What a client address may do is earned bit by bit; earned_at is when all it spent will be earned again.
CREATE TABLE address_allowances (
	kind TEXT NOT NULL,
	ip TEXT NOT NULL,
	earned_at BIGINT NOT NULL,
	PRIMARY KEY (kind, ip)
);
CREATE INDEX address_allowances_age ON address_allowances (earned_at);
INSERT INTO address_allowances (kind, ip, earned_at)
	SELECT 'mail', ip, max(earned_at) FROM mail_allowances GROUP BY ip;
DROP TABLE mail_allowances;

-- When an e-mail address was last mailed to, by what for.
CREATE TABLE address_mails (
	purpose TEXT NOT NULL,
	address TEXT NOT NULL,
	sent_1_at BIGINT NOT NULL,
	sent_2_at BIGINT NOT NULL,
	sent_3_at BIGINT NOT NULL,
	sent_4_at BIGINT NOT NULL,
	sent_5_at BIGINT NOT NULL,
	PRIMARY KEY (purpose, address)
);
CREATE INDEX address_mails_age ON address_mails (sent_1_at);
INSERT INTO address_mails (purpose, address, sent_1_at, sent_2_at, sent_3_at, sent_4_at, sent_5_at)
	SELECT purpose, address, max(sent_1_at), max(sent_2_at), max(sent_3_at), max(sent_4_at), max(sent_5_at)
	FROM email_codes WHERE purpose NOT LIKE 'email_change:%' GROUP BY purpose, address;

DELETE FROM email_codes WHERE code_digest = '';
DROP INDEX email_codes_age;
ALTER TABLE email_codes DROP COLUMN sent_1_at;
ALTER TABLE email_codes DROP COLUMN sent_2_at;
ALTER TABLE email_codes DROP COLUMN sent_3_at;
ALTER TABLE email_codes DROP COLUMN sent_4_at;
ALTER TABLE email_codes DROP COLUMN sent_5_at;
CREATE INDEX email_codes_age ON email_codes (expires_at);

-- A refused sign-in is in the audit trail already; further ones of the same subject and address are not, until then.
CREATE TABLE refusal_notes (
	tenant_id TEXT NOT NULL,
	subject TEXT NOT NULL,
	ip TEXT NOT NULL,
	noted_until BIGINT NOT NULL,
	PRIMARY KEY (tenant_id, subject, ip)
);
CREATE INDEX refusal_notes_age ON refusal_notes (noted_until);
`;
