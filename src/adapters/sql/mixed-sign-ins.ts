// Finds applications with an OAuth client that also have sessions which were opened without it.

/**
 * Rows with `application`, as `<tenant>/<application>` in slugs, at most `MIXED_SIGN_INS_MAX`. Reads every session once,
 * because no index leads from an application to its sessions.
 */
export const FIND_MIXED_SIGN_INS = `SELECT t.slug || '/' || a.slug AS application
	FROM oauth_clients c JOIN applications a ON a.id = c.application_id JOIN tenants t ON t.id = a.tenant_id
	WHERE c.type <> 'service' AND a.id IN (SELECT app_id FROM sessions WHERE app_id IS NOT NULL)
	ORDER BY application LIMIT 20`;

export interface MixedSignInRow {
	readonly application: string;
}
