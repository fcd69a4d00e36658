// Signing keys get a life: published before they sign, published for a while after, or withdrawn at once.

/** A key signs from `signs_from` until the next one does. `withdrawn_at` is set when one is dropped before its time. */
export const signingKeys = `
ALTER TABLE signing_keys ADD COLUMN signs_from BIGINT NOT NULL DEFAULT 0;
ALTER TABLE signing_keys ADD COLUMN withdrawn_at BIGINT;
UPDATE signing_keys SET signs_from = created_at;
`;
