// Adds many users, for tests that need a large database.

import type { Engine } from "../../../src/adapters/sql/engine.ts";

/** Writes users who never signed in directly to the database, in the tenant `default`. */
export async function addManyUsers(engine: Engine, count: number): Promise<void> {
	await engine.transaction(async (queries) => {
		const tenant = await queries.one<{ id: string }>("SELECT id FROM tenants WHERE slug = 'default'");
		if (tenant === undefined) throw new Error("there is no tenant default");
		for (let number = 0; number < count; number++)
			await queries.run(
				`INSERT INTO users (id, tenant_id, username, username_key, email, email_verified, display_name, display_name_folded, avatar_url, status, roles, password_hash, created_at, updated_at)
				 VALUES ($1, $2, $1, $1, $3, 1, $4, lower($4), '', 'active', '', $5, 1, 1)`,
				`person-${number}`,
				tenant.id,
				`person-${number}@people.example`,
				`Person Number ${number}`,
				"x".repeat(60),
			);
	});
}
