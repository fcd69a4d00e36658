// What a signed request needs of its API client: one point read.

import type { SigningClient, SigningClientStore } from "../../features/external/model.ts";
import type { Queries } from "./engine.ts";

const FIND = `SELECT id, tenant_id AS "tenantId", app_id AS "appId", status, expires_at AS "expiresAtMs", scopes,
	ip_allowlist AS "ipAllowlist", ip_allowlist_mode AS "ipAllowlistMode", secret_sealed AS "secretSealed", previous_secret_sealed AS "previousSecretSealed",
	previous_secret_expires_at AS "previousSecretExpiresAtMs"
	FROM api_clients WHERE api_key = $1`;

export function createSigningClientStore(queries: Queries): SigningClientStore {
	return { findByApiKey: (apiKey) => queries.one<SigningClient>(FIND, apiKey) };
}
