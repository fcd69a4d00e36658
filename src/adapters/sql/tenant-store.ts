// Tenants in SQL.

import type { Tenant, TenantStore } from "../../features/tenants/model.ts";
import { UniqueViolation } from "../../kernel/transaction.ts";
import type { Queries } from "./engine.ts";
import { Filter, listPage } from "./page.ts";
import { setClause } from "./set-clause.ts";

interface TenantRow {
	id: string;
	name: string;
	slug: string;
	require_mfa: number;
	created_at: number;
	updated_at: number;
}

const COLUMNS = "id, name, slug, require_mfa, created_at, updated_at";

export function createTenantStore(queries: Queries): TenantStore {
	return {
		async insert(tenant) {
			const changed = await queries.run(
				"INSERT INTO tenants (id, name, slug, created_at, updated_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
				tenant.id,
				tenant.name,
				tenant.slug,
				tenant.createdAtMs,
				tenant.updatedAtMs,
			);
			return changed === 1;
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
		list({ q }, page) {
			const filter = new Filter().contains(["name", "slug"], q);
			return listPage<TenantRow, Tenant>(
				queries,
				{ columns: COLUMNS, from: "tenants", order: "created_at DESC, id DESC", filter },
				page,
				toTenant,
			);
		},
		async update(id, { name, slug, requireMfa }, nowMs) {
			const { assignments, values } = setClause(
				{
					name,
					slug,
					require_mfa: requireMfa === undefined ? undefined : Number(requireMfa),
					updated_at: nowMs,
				},
				2,
			);
			try {
				const changed = await queries.run(`UPDATE tenants SET ${assignments} WHERE id = $1`, id, ...values);
				return changed === 1 ? "updated" : "missing";
			} catch (error) {
				if (error instanceof UniqueViolation) return "slug_taken";
				throw error;
			}
		},
	};
}

function toTenant(row: TenantRow): Tenant {
	return {
		id: row.id,
		name: row.name,
		slug: row.slug,
		requireMfa: row.require_mfa === 1,
		createdAtMs: row.created_at,
		updatedAtMs: row.updated_at,
	};
}
