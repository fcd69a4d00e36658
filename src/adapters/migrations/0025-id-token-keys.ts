// RSA keys, which sign ID tokens for clients that ask for RS256, and nothing else.

/** Apart from `signing_keys`: an access token is never held against one, and a program of before does not take one for its own. */
export const idTokenKeys = `
-- number counts them from 1: nodes that make the same one at the same time collide.
CREATE TABLE id_token_keys (
	kid TEXT PRIMARY KEY,
	number INTEGER NOT NULL UNIQUE,
	public_jwk TEXT NOT NULL,
	private_sealed TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	signs_from BIGINT NOT NULL,
	withdrawn_at BIGINT
);
`;
