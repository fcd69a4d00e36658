// The keys that sign access tokens, in SQL.

import type { SigningKeyStore } from "../../features/auth/model.ts";
import type { Queries } from "./engine.ts";

interface SigningKeyRow {
	kid: string;
	public_jwk: string;
	private_sealed: string;
	created_at: number;
	signs_from: number;
	withdrawn_at: number | null;
}

const COLUMNS = "kid, public_jwk, private_sealed, created_at, signs_from, withdrawn_at";

/** The keys are the platform's, no tenant's. */
export function createSigningKeyStore(queries: Queries): SigningKeyStore {
	return {
		async insert(key) {
			await queries.run(
				`INSERT INTO signing_keys (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)`,
				key.kid,
				JSON.stringify(key.publicJwk),
				key.privateSealed,
				key.createdAtMs,
				key.signsFromMs,
				key.withdrawnAtMs,
			);
		},
		async listAll() {
			const rows = await queries.all<SigningKeyRow>(
				`SELECT ${COLUMNS} FROM signing_keys ORDER BY created_at DESC, kid DESC`,
			);
			return rows.map((row) => ({
				kid: row.kid,
				publicJwk: JSON.parse(row.public_jwk),
				privateSealed: row.private_sealed,
				createdAtMs: row.created_at,
				signsFromMs: row.signs_from,
				withdrawnAtMs: row.withdrawn_at,
			}));
		},
		async withdraw(kid, nowMs) {
			const sql = "UPDATE signing_keys SET withdrawn_at = $2 WHERE kid = $1 AND withdrawn_at IS NULL";
			return (await queries.run(sql, kid, nowMs)) === 1;
		},
		async remove(kid) {
			return (await queries.run("DELETE FROM signing_keys WHERE kid = $1", kid)) === 1;
		},
	};
}
