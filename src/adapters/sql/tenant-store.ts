// Tenants in SQL.

import type { Tenant, TenantStore } from "../../features/tenants/model.ts";
import type { Queries } from "./engine.ts";

interface TenantRow {
	id: string;
	name: string;
	slug: string;
	created_at: number;
	updated_at: number;
}

const COLUMNS = "id, name, slug, created_at, updated_at";

export function createTenantStore(queries: Queries): TenantStore {
	return {
		async insert(tenant) {
			await queries.run(
				`INSERT INTO tenants (${COLUMNS}) VALUES ($1, $2, $3, $4, $5)`,
				tenant.id,
				tenant.name,
				tenant.slug,
				tenant.createdAtMs,
				tenant.updatedAtMs,
			);
		},
		async findById(id) {
			const row = await queries.one<TenantRow>(`SELECT ${COLUMNS} FROM tenants WHERE id = $1`, id);
			return row && toTenant(row);
		},
		async findBySlug(slug) {
			const row = await queries.one<TenantRow>(`SELECT ${COLUMNS} FROM tenants WHERE slug = $1`, slug);
			return row && toTenant(row);
		},
		async listAll() {
			return (await queries.all<TenantRow>(`SELECT ${COLUMNS} FROM tenants ORDER BY created_at, id`)).map(
				toTenant,
			);
		},
	};
}

function toTenant(row: TenantRow): Tenant {
	return {
		id: row.id,
		name: row.name,
		slug: row.slug,
		createdAtMs: row.created_at,
		updatedAtMs: row.updated_at,
	};
}
