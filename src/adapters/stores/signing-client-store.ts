// What a signed request needs of its API client: one statement, its application joined.

import type { SigningClient, SigningClientStore } from "../../domain/signing-client.ts";
import type { Queries } from "../sql/engine.ts";
import { statement } from "../sql/queries.ts";

const FIND = statement(
	`SELECT c.id, c.tenant_id AS "tenantId", c.app_id AS "appId", a.status AS "appStatus", c.status, c.expires_at AS "expiresAtMs",
	c.scopes, c.ip_allowlist AS "ipAllowlist", c.ip_allowlist_mode AS "ipAllowlistMode", c.secret_sealed AS "secretSealed",
	c.previous_secret_sealed AS "previousSecretSealed", c.previous_secret_expires_at AS "previousSecretExpiresAtMs"
	FROM api_clients c JOIN applications a ON a.id = c.app_id AND a.tenant_id = c.tenant_id WHERE c.api_key = $1`,
	{ reads: "cached" },
);

export function createSigningClientStore(queries: Queries): SigningClientStore {
	return { findByApiKey: (apiKey) => queries.one<SigningClient>(FIND, apiKey) };
}
