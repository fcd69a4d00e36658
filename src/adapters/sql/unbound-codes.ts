// Finds the OAuth clients whose codes are bound by neither a challenge nor a nonce.

export interface UnboundClientRow {
	/** `tenant/application`, by slug. */
	readonly application: string;
}

export const FIND_UNBOUND_CLIENTS = `SELECT t.slug || '/' || a.slug AS application
	FROM oauth_clients c JOIN applications a ON a.id = c.application_id JOIN tenants t ON t.id = a.tenant_id
	WHERE c.pkce = 'off' ORDER BY 1 LIMIT 20`;
