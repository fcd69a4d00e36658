// API clients in SQL.

import {
	type AllowlistMode,
	type ApiClient,
	type ApiClientChanges,
	type ApiClientStatus,
	type ApiClientStore,
	DORMANT_AFTER_MS,
	type Scope,
	type SealedSecrets,
	type StoredClient,
} from "../../features/api-clients/model.ts";
import type { Locale } from "../../features/mail/model.ts";
import type { Queries, SqlValue } from "./engine.ts";
import { Filter, listPage } from "./page.ts";
import { setClause } from "./set-clause.ts";

interface ApiClientRow {
	id: string;
	tenant_id: string;
	app_id: string;
	name: string;
	api_key: string;
	secret_hint: string;
	secret_created_at: number | null;
	previous_secret_expires_at: number | null;
	status: ApiClientStatus;
	scopes: string;
	ip_allowlist: string;
	ip_allowlist_mode: AllowlistMode;
	expires_at: number | null;
	last_used_at: number | null;
	last_used_ip: string;
	access_request_id: string | null;
	owner_name: string | null;
	owner_email: string | null;
	owner_purpose: string | null;
	owner_locale: string | null;
	created_by: string | null;
	created_at: number;
	updated_at: number;
}

type WithSecretsRow = ApiClientRow & { secret_sealed: string | null; previous_secret_sealed: string | null };

const STORED = [
	"id",
	"tenant_id",
	"app_id",
	"name",
	"api_key",
	"secret_hint",
	"secret_created_at",
	"previous_secret_expires_at",
	"status",
	"scopes",
	"ip_allowlist",
	"ip_allowlist_mode",
	"expires_at",
	"last_used_at",
	"last_used_ip",
	"access_request_id",
	"created_by",
	"created_at",
	"updated_at",
];
const SECRETS = ["secret_sealed", "previous_secret_sealed"];
const INSERTED = [...STORED, ...SECRETS];
const PLACEHOLDERS = INSERTED.map((_, index) => `$${index + 1}`).join(", ");

const COLUMNS = `${STORED.map((column) => `c.${column}`).join(", ")}, r.applicant_name AS owner_name, r.email AS owner_email, r.purpose AS owner_purpose, r.locale AS owner_locale`;
const WITH_SECRETS = `${COLUMNS}, ${SECRETS.map((column) => `c.${column}`).join(", ")}`;
const FROM =
	"api_clients AS c LEFT JOIN access_requests AS r ON r.id = c.access_request_id AND r.tenant_id = c.tenant_id";
/** As `isDormant` has it. */
const LAST_SIGN_OF_LIFE = "COALESCE(c.last_used_at, c.secret_created_at, c.created_at)";

export function createApiClientStore(queries: Queries): ApiClientStore {
	return {
		async insert(client) {
			await queries.run(
				`INSERT INTO api_clients (${INSERTED.join(", ")}) VALUES (${PLACEHOLDERS})`,
				...values(client),
			);
		},
		async findById(tenantId, id) {
			const row = await queries.one<WithSecretsRow>(
				`SELECT ${WITH_SECRETS} FROM ${FROM} WHERE c.id = $1 AND c.tenant_id = $2`,
				id,
				tenantId,
			);
			return row && withSecrets(row);
		},
		async findByApiKey(apiKey) {
			const row = await queries.one<WithSecretsRow>(
				`SELECT ${WITH_SECRETS} FROM ${FROM} WHERE c.api_key = $1`,
				apiKey,
			);
			return row && withSecrets(row);
		},
		list({ tenantId, appId, status, dormant }, page) {
			const filter = new Filter()
				.add("c.tenant_id = ?", tenantId)
				.maybe("c.app_id = ?", appId)
				.maybe("c.status = ?", status);
			if (dormant !== undefined) {
				const compared = dormant.is ? "<=" : ">";
				filter.add(`${LAST_SIGN_OF_LIFE} ${compared} ?`, dormant.nowMs - DORMANT_AFTER_MS);
			}
			return listPage<ApiClientRow, ApiClient>(
				queries,
				{ columns: COLUMNS, from: FROM, order: "c.created_at DESC, c.id DESC", filter },
				page,
				toApiClient,
			);
		},
		update: (tenantId, id, changes, nowMs) => update(queries, tenantId, id, changes, nowMs),
		async replaceSecret(tenantId, id, expected, secret, nowMs) {
			const replaced =
				expected === null ? "secret_sealed IS NULL AND status = 'unclaimed'" : "secret_sealed = $9";
			const changed = await queries.run(
				`UPDATE api_clients SET secret_sealed = $3, previous_secret_sealed = $4, previous_secret_expires_at = $5,
				   secret_hint = $6, secret_created_at = $7, updated_at = $8
				   ${expected === null ? ", status = 'active'" : ""}
				 WHERE id = $1 AND tenant_id = $2 AND ${replaced}`,
				id,
				tenantId,
				secret.secretSealed,
				secret.previousSecretSealed,
				secret.previousSecretExpiresAtMs,
				secret.secretHint,
				secret.secretCreatedAtMs,
				nowMs,
				...(expected === null ? [] : [expected]),
			);
			return changed === 1;
		},
		async remove(tenantId, id) {
			const sql = "DELETE FROM api_clients WHERE id = $1 AND tenant_id = $2";
			return (await queries.run(sql, id, tenantId)) === 1;
		},
		async noteUse(uses) {
			// In one order, so that no two nodes wait for each other.
			for (const { id, atMs, ip } of uses.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
				await queries.run(
					"UPDATE api_clients SET last_used_at = $2, last_used_ip = $3 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $2)",
					id,
					atMs,
					ip,
				);
			}
		},
	};
}

async function update(
	queries: Queries,
	tenantId: string,
	id: string,
	{ status, ...changes }: ApiClientChanges,
	nowMs: number,
): Promise<"updated" | "missing" | "unclaimed"> {
	const { assignments, values } = setClause(
		{
			name: changes.name,
			scopes: changes.scopes && JSON.stringify(changes.scopes),
			ip_allowlist: changes.ipAllowlist && JSON.stringify(changes.ipAllowlist),
			ip_allowlist_mode: changes.ipAllowlistMode,
			expires_at: changes.expiresAtMs,
			updated_at: nowMs,
		},
		3,
	);
	const changed = await queries.run(
		`UPDATE api_clients SET ${assignments}${status === undefined ? "" : STATUS_TO[status].assignment}
		 WHERE id = $1 AND tenant_id = $2${status === undefined ? "" : STATUS_TO[status].condition}`,
		id,
		tenantId,
		...values,
	);
	if (changed === 1) return "updated";
	const row = await queries.one(
		"SELECT 1 AS found FROM api_clients WHERE id = $1 AND tenant_id = $2",
		id,
		tenantId,
	);
	return row === undefined ? "missing" : "unclaimed";
}

const STATUS_TO = {
	active: {
		assignment: ", status = CASE WHEN secret_sealed IS NULL THEN 'unclaimed' ELSE 'active' END",
		condition: " AND status <> 'unclaimed'",
	},
	disabled: { assignment: ", status = 'disabled'", condition: "" },
} as const;

/** In the order of `INSERTED`. */
function values(client: StoredClient): SqlValue[] {
	return [
		client.id,
		client.tenantId,
		client.appId,
		client.name,
		client.apiKey,
		client.secretHint,
		client.secretCreatedAtMs,
		client.previousSecretExpiresAtMs,
		client.status,
		JSON.stringify(client.scopes),
		JSON.stringify(client.ipAllowlist),
		client.ipAllowlistMode,
		client.expiresAtMs,
		client.lastUsedAtMs,
		client.lastUsedIp,
		client.accessRequestId,
		client.createdBy,
		client.createdAtMs,
		client.updatedAtMs,
		client.secretSealed,
		client.previousSecretSealed,
	];
}

function toApiClient(row: ApiClientRow): ApiClient {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		appId: row.app_id,
		name: row.name,
		apiKey: row.api_key,
		secretHint: row.secret_hint,
		status: row.status,
		scopes: JSON.parse(row.scopes) as Scope[],
		ipAllowlist: JSON.parse(row.ip_allowlist) as string[],
		ipAllowlistMode: row.ip_allowlist_mode,
		expiresAtMs: row.expires_at,
		lastUsedAtMs: row.last_used_at,
		lastUsedIp: row.last_used_ip,
		secretCreatedAtMs: row.secret_created_at,
		previousSecretExpiresAtMs: row.previous_secret_expires_at,
		accessRequestId: row.access_request_id,
		owner: toOwner(row),
		createdBy: row.created_by,
		createdAtMs: row.created_at,
		updatedAtMs: row.updated_at,
	};
}

function toOwner(row: ApiClientRow): ApiClient["owner"] {
	if (row.owner_email === null) return null;
	return {
		name: row.owner_name ?? "",
		email: row.owner_email,
		purpose: row.owner_purpose ?? "",
		locale: row.owner_locale as Locale,
	};
}

function withSecrets(row: WithSecretsRow): ApiClient & SealedSecrets {
	return {
		...toApiClient(row),
		secretSealed: row.secret_sealed,
		previousSecretSealed: row.previous_secret_sealed,
	};
}
