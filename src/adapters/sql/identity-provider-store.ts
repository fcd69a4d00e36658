// Identity providers in SQL.

import type {
	IdentityProvider,
	IdentityProviderChanges,
	IdentityProviderStore,
	ProviderKind,
	SealedIdentityProvider,
} from "../../features/third-party/model.ts";
import type { Queries, SqlValue } from "./engine.ts";
import { Filter, listPage } from "./page.ts";
import { setClause } from "./set-clause.ts";

interface ProviderRow {
	id: string;
	tenant_id: string;
	provider: string;
	kind: ProviderKind;
	display_name: string;
	client_id: string;
	client_secret_set_at: number;
	issuer: string;
	enabled: number;
	sign_up: number;
	created_by: string | null;
	created_at: number;
	updated_at: number;
}

type SealedRow = ProviderRow & { client_secret_sealed: string };

const COLUMNS =
	"id, tenant_id, provider, kind, display_name, client_id, client_secret_set_at, issuer, enabled, sign_up, created_by, created_at, updated_at";
const SEALED = `${COLUMNS}, client_secret_sealed`;

export function createIdentityProviderStore(queries: Queries): IdentityProviderStore {
	return {
		insert: (provider, max) => insert(queries, provider, max),
		async findById(tenantId, id) {
			const row = await queries.one<SealedRow>(
				`SELECT ${SEALED} FROM identity_providers WHERE id = $1 AND tenant_id = $2`,
				id,
				tenantId,
			);
			return row && toSealed(row);
		},
		async findEnabled(tenantId, provider) {
			const row = await queries.one<SealedRow>(
				`SELECT ${SEALED} FROM identity_providers WHERE tenant_id = $1 AND provider = $2 AND enabled = 1`,
				tenantId,
				provider,
			);
			return row && toSealed(row);
		},
		list(tenantId, page) {
			const filter = new Filter().add("tenant_id = ?", tenantId);
			return listPage<ProviderRow, IdentityProvider>(
				queries,
				{ columns: COLUMNS, from: "identity_providers", order: "created_at DESC, id DESC", filter },
				page,
				toProvider,
			);
		},
		async listEnabled(tenantId) {
			const rows = await queries.all<ProviderRow>(
				`SELECT ${COLUMNS} FROM identity_providers WHERE tenant_id = $1 AND enabled = 1 ORDER BY lower(display_name), id`,
				tenantId,
			);
			return rows.map(toProvider);
		},
		update: (tenantId, id, changes, nowMs) => update(queries, tenantId, id, changes, nowMs),
		async hold(tenantId, id) {
			const sql = "UPDATE identity_providers SET updated_at = updated_at WHERE id = $1 AND tenant_id = $2";
			return (await queries.run(sql, id, tenantId)) === 1;
		},
		async hasAccounts(tenantId, provider) {
			const row = await queries.one(
				"SELECT 1 AS found FROM third_party_accounts WHERE tenant_id = $1 AND provider = $2 LIMIT 1",
				tenantId,
				provider,
			);
			return row !== undefined;
		},
		async standsForPlatformAdmin(tenantId, provider) {
			const row = await queries.one(
				`SELECT 1 AS found FROM third_party_accounts a JOIN users u ON u.id = a.user_id AND u.tenant_id = a.tenant_id
				 WHERE a.tenant_id = $1 AND a.provider = $2 AND (',' || u.roles || ',') LIKE '%,platform_admin,%' LIMIT 1`,
				tenantId,
				provider,
			);
			return row !== undefined;
		},
		async remove(tenantId, id) {
			const sql = "DELETE FROM identity_providers WHERE id = $1 AND tenant_id = $2";
			return (await queries.run(sql, id, tenantId)) === 1;
		},
	};
}

async function insert(
	queries: Queries,
	provider: SealedIdentityProvider,
	max: number,
): Promise<"inserted" | "taken" | "too_many"> {
	const values: SqlValue[] = [
		provider.id,
		provider.tenantId,
		provider.provider,
		provider.kind,
		provider.displayName,
		provider.clientId,
		provider.clientSecretSetAtMs,
		provider.issuer ?? "",
		Number(provider.enabled),
		Number(provider.signUp),
		provider.createdBy,
		provider.createdAtMs,
		provider.updatedAtMs,
		provider.clientSecretSealed,
	];
	// Writing the tenant's own row takes its lock on every engine, so that providers are counted one by one.
	await queries.run("UPDATE tenants SET updated_at = updated_at WHERE id = $1", provider.tenantId);
	const counted = await queries.one<{ total: number }>(
		"SELECT count(*) AS total FROM identity_providers WHERE tenant_id = $1",
		provider.tenantId,
	);
	if ((counted?.total ?? 0) >= max) return "too_many";
	const inserted = await queries.run(
		`INSERT INTO identity_providers (${SEALED})
		 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING`,
		...values,
	);
	return inserted === 1 ? "inserted" : "taken";
}

async function update(
	queries: Queries,
	tenantId: string,
	id: string,
	changes: IdentityProviderChanges,
	nowMs: number,
): Promise<boolean> {
	const { assignments, values } = setClause(
		{
			display_name: changes.displayName,
			client_id: changes.clientId,
			issuer: changes.issuer === null ? "" : changes.issuer,
			enabled: changes.enabled === undefined ? undefined : Number(changes.enabled),
			sign_up: changes.signUp === undefined ? undefined : Number(changes.signUp),
			client_secret_sealed: changes.clientSecretSealed,
			client_secret_set_at: changes.clientSecretSetAtMs,
			updated_at: nowMs,
		},
		3,
	);
	const sql = `UPDATE identity_providers SET ${assignments} WHERE id = $1 AND tenant_id = $2`;
	return (await queries.run(sql, id, tenantId, ...values)) === 1;
}

function toProvider(row: ProviderRow): IdentityProvider {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		provider: row.provider,
		kind: row.kind,
		displayName: row.display_name,
		clientId: row.client_id,
		clientSecretSetAtMs: row.client_secret_set_at,
		issuer: row.issuer === "" ? null : row.issuer,
		enabled: row.enabled === 1,
		signUp: row.sign_up === 1,
		createdBy: row.created_by,
		createdAtMs: row.created_at,
		updatedAtMs: row.updated_at,
	};
}

function toSealed(row: SealedRow): SealedIdentityProvider {
	return { ...toProvider(row), clientSecretSealed: row.client_secret_sealed };
}
