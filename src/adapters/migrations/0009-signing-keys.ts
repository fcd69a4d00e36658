// Keys get a life: those that sign are published before and after they do; what derived keys come from outlives the master key.

/**
 * A key signs from `signs_from` until the next one does. `withdrawn_at` is set when one is dropped before its time.
 * There is one derivation root: keys for what is stored as a keyed digest are derived from it, on all nodes alike.
 */
export const signingKeys = `
ALTER TABLE signing_keys ADD COLUMN signs_from BIGINT NOT NULL DEFAULT 0;
ALTER TABLE signing_keys ADD COLUMN withdrawn_at BIGINT;
UPDATE signing_keys SET signs_from = created_at;
CREATE TABLE derivation_roots (
	id TEXT PRIMARY KEY,
	root_sealed TEXT NOT NULL,
	created_at BIGINT NOT NULL
);
`;
