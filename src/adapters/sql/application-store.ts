// Applications in SQL.

import type {
	AccessPolicy,
	Application,
	ApplicationChanges,
	ApplicationStatus,
	ApplicationStore,
	RemovedWithApplication,
} from "../../features/applications/model.ts";
import { UniqueViolation } from "../../kernel/transaction.ts";
import type { Queries } from "./engine.ts";
import { Filter, listPage } from "./page.ts";
import { setClause } from "./set-clause.ts";

interface ApplicationRow {
	id: string;
	tenant_id: string;
	name: string;
	slug: string;
	description: string;
	homepage_url: string;
	logo_url: string;
	redirect_uris: string;
	access_policy: AccessPolicy;
	status: ApplicationStatus;
	require_mfa: number;
	created_at: number;
	updated_at: number;
}

const COLUMNS =
	"id, tenant_id, name, slug, description, homepage_url, logo_url, redirect_uris, access_policy, status, require_mfa, created_at, updated_at";
const NEWEST = "created_at DESC, id DESC";
const USABLE_BY = `status = 'active' AND (access_policy = 'open'
	OR id IN (SELECT app_id FROM grants WHERE user_id = ? AND tenant_id = ?)
	OR id IN (SELECT gg.app_id FROM group_members m JOIN group_grants gg ON gg.group_id = m.group_id AND gg.tenant_id = m.tenant_id
		WHERE m.user_id = ? AND m.tenant_id = ?))`;

export function createApplicationStore(queries: Queries): ApplicationStore {
	return {
		async insert(application) {
			const changed = await queries.run(
				`INSERT INTO applications (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING`,
				application.id,
				application.tenantId,
				application.name,
				application.slug,
				application.description,
				application.homepageUrl,
				application.logoUrl,
				JSON.stringify(application.redirectUris),
				application.accessPolicy,
				application.status,
				application.requireMfa === true ? 1 : 0,
				application.createdAtMs,
				application.updatedAtMs,
			);
			return changed === 1;
		},
		async findById(tenantId, id) {
			const row = await queries.one<ApplicationRow>(
				`SELECT ${COLUMNS} FROM applications WHERE id = $1 AND tenant_id = $2`,
				id,
				tenantId,
			);
			return row && toApplication(row);
		},
		list({ tenantId, q, status, usableBy }, page) {
			const filter = new Filter().add("tenant_id = ?", tenantId).maybe("status = ?", status);
			if (usableBy !== undefined) filter.add(USABLE_BY, usableBy, tenantId, usableBy, tenantId);
			filter.contains(["name", "slug"], q);
			return listPage<ApplicationRow, Application>(
				queries,
				{ columns: COLUMNS, from: "applications", order: NEWEST, filter },
				page,
				toApplication,
			);
		},
		async hasRedirectUri(tenantId, redirectUri, appId) {
			// LIKE knows no case on one of the engines, so what it finds is compared again.
			const part = JSON.stringify(redirectUri).replaceAll(/[\\%_]/g, "\\$&");
			const filter = new Filter()
				.add("tenant_id = ? AND status = 'active'", tenantId)
				.maybe("id = ?", appId ?? undefined)
				.add("redirect_uris LIKE CAST(? AS TEXT) ESCAPE '\\'", `%${part}%`);
			const rows = await queries.all<{ redirect_uris: string }>(
				`SELECT redirect_uris FROM applications ${filter.where}`,
				...filter.parameters,
			);
			return rows.some((row) => (JSON.parse(row.redirect_uris) as string[]).includes(redirectUri));
		},
		update: (tenantId, id, changes, nowMs) => update(queries, tenantId, id, changes, nowMs),
		remove: (tenantId, id) => remove(queries, tenantId, id),
	};
}

async function update(
	queries: Queries,
	tenantId: string,
	id: string,
	changes: ApplicationChanges,
	nowMs: number,
): Promise<"updated" | "missing" | "slug_taken"> {
	const { assignments, values } = setClause(
		{
			name: changes.name,
			slug: changes.slug,
			description: changes.description,
			homepage_url: changes.homepageUrl,
			logo_url: changes.logoUrl,
			redirect_uris: changes.redirectUris && JSON.stringify(changes.redirectUris),
			access_policy: changes.accessPolicy,
			status: changes.status,
			require_mfa: changes.requireMfa === undefined ? undefined : Number(changes.requireMfa),
			updated_at: nowMs,
		},
		3,
	);
	try {
		const sql = `UPDATE applications SET ${assignments} WHERE id = $1 AND tenant_id = $2`;
		return (await queries.run(sql, id, tenantId, ...values)) === 1 ? "updated" : "missing";
	} catch (error) {
		if (error instanceof UniqueViolation) return "slug_taken";
		throw error;
	}
}

/** The children first, though the foreign keys would take them too: so they are counted. */
async function remove(
	queries: Queries,
	tenantId: string,
	id: string,
): Promise<RemovedWithApplication | undefined> {
	const from = (table: string): Promise<number> =>
		queries.run(`DELETE FROM ${table} WHERE app_id = $1 AND tenant_id = $2`, id, tenantId);
	const apiClients = await from("api_clients");
	const grants = (await from("grants")) + (await from("group_grants"));
	const roles = await from("application_roles");
	const removed = await queries.run(
		"DELETE FROM applications WHERE id = $1 AND tenant_id = $2",
		id,
		tenantId,
	);
	return removed === 1 ? { roles, grants, apiClients } : undefined;
}

function toApplication(row: ApplicationRow): Application {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		name: row.name,
		slug: row.slug,
		description: row.description,
		homepageUrl: row.homepage_url,
		logoUrl: row.logo_url,
		redirectUris: JSON.parse(row.redirect_uris) as string[],
		accessPolicy: row.access_policy,
		status: row.status,
		requireMfa: row.require_mfa === 1,
		createdAtMs: row.created_at,
		updatedAtMs: row.updated_at,
	};
}
