// Fills a database with hundreds of thousands of users and access requests, with bulk statements.

import pg from "pg";

export interface Rows {
	readonly users: number;
	readonly accessRequests: number;
}

/** Adds rows up to these totals and updates the planner's statistics. */
export async function fillUp(url: string, tenantId: string, rows: Rows, from: Rows): Promise<void> {
	const client = new pg.Client({ connectionString: url });
	await client.connect();
	try {
		await client.query(
			`INSERT INTO users (id, tenant_id, username, username_key, email, email_verified, display_name, display_name_folded, avatar_url, status, roles, password_hash, last_login_at, created_at, updated_at)
			 SELECT lower(gen_random_uuid()::text), $1, 'seed-' || i, 'seed-' || i, 'seed-' || i || '@seed.example', 1, 'Person ' || i, 'person ' || i, '',
			   CASE WHEN i % 10 = 0 THEN 'disabled' ELSE 'active' END, '', '', NULL, 1700000000000 + i, 1700000000000 + i
			 FROM generate_series($2::int, $3::int) AS i`,
			[tenantId, from.users + 1, rows.users],
		);
		await client.query(
			`INSERT INTO requests (id, tenant_id, kind, applicant_name, applicant_name_folded, email, company, company_folded, project_name, project_name_folded, purpose, locale, status, review_note, created_at, updated_at, withdraw_digest, test_calls_ok, test_calls_refused)
			 SELECT lower(gen_random_uuid()::text), $1, 'partner', 'Applicant ' || i, 'applicant ' || i, 'seed-' || i || '@partner.example', 'Company ' || i, 'company ' || i, 'Project ' || i, 'project ' || i, 'To compute.', 'en',
			   (ARRAY['pending', 'approved', 'rejected', 'withdrawn'])[1 + i % 4], '', 1700000000000 + i, 1700000000000 + i, 'seed-' || i, 0, 0
			 FROM generate_series($2::int, $3::int) AS i`,
			[tenantId, from.accessRequests + 1, rows.accessRequests],
		);
		await client.query("VACUUM ANALYZE users, requests, row_counts");
	} finally {
		await client.end();
	}
}
