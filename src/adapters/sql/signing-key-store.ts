// The keys that sign access tokens, in SQL.

import type { SigningKeyStore } from "../../features/auth/model.ts";
import type { Queries } from "./engine.ts";

interface SigningKeyRow {
	kid: string;
	public_jwk: string;
	private_sealed: string;
	created_at: number;
}

export function createSigningKeyStore(queries: Queries): SigningKeyStore {
	return {
		async insert(key) {
			await queries.run(
				"INSERT INTO signing_keys (kid, public_jwk, private_sealed, created_at) VALUES ($1, $2, $3, $4)",
				key.kid,
				JSON.stringify(key.publicJwk),
				key.privateSealed,
				key.createdAtMs,
			);
		},
		async listAll() {
			const rows = await queries.all<SigningKeyRow>(
				"SELECT kid, public_jwk, private_sealed, created_at FROM signing_keys ORDER BY created_at DESC, kid DESC",
			);
			return rows.map((row) => ({
				kid: row.kid,
				publicJwk: JSON.parse(row.public_jwk),
				privateSealed: row.private_sealed,
				createdAtMs: row.created_at,
			}));
		},
	};
}
