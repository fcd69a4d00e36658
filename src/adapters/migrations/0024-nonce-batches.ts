// Nonces of the embedded database: one row holds what one commit claimed.

/** Empty in PostgreSQL, which has a row a nonce: several processes write there, and an index must decide. */
export const nonceBatches = `
-- id is the greatest signed_at of the batch, times 2^20, and a number; claims is JSON: [[client_id, signed_at, nonce, …], …].
CREATE TABLE nonce_batches (
	id INTEGER PRIMARY KEY,
	claims TEXT NOT NULL
);
`;
