// API clients in SQL, and what a signed request needs of its client.

import {
	type ApiClient,
	type ApiClientOrder,
	type ApiClientStore,
	DORMANT_AFTER_MS,
	TEST_APP_ID,
} from "../../domain/api-client.ts";
import type { SealedSecrets } from "../../domain/client-secret.ts";
import type { Locale } from "../../domain/locale.ts";
import type { SigningClient, SigningClientStore } from "../../domain/signing-client.ts";
import { Filter, listPage } from "../sql/page.ts";
import { type Queries, statement } from "../sql/queries.ts";
import { totalOf } from "../sql/row-counts.ts";
import { apiClients, apiClientsWithSecrets } from "../sql/tables/partner-tables.ts";
import { noteUsesIn } from "./credential-uses.ts";

interface OwnerRow {
	readonly ownerName: string | null;
	readonly ownerEmail: string | null;
	readonly ownerCompany: string | null;
	readonly ownerPurpose: string | null;
	readonly ownerLocale: Locale | null;
}

/** The owner is the applicant of the access request. */
const OWNER =
	'r.applicant_name AS "ownerName", r.email AS "ownerEmail", r.company AS "ownerCompany", r.purpose AS "ownerPurpose", r.locale AS "ownerLocale"';
const FROM =
	"api_clients AS c LEFT JOIN requests AS r ON r.id = c.access_request_id AND r.tenant_id = c.tenant_id";
const SELECT_WITH_SECRETS = `SELECT ${apiClientsWithSecrets.as("c").columns}, ${OWNER} FROM ${FROM}`;
const LISTED = `${apiClients.as("c").columns}, ${OWNER}`;
const NEWEST = "c.created_at DESC, c.id DESC";
/** Later than any expiry: a client that does not expire is the last one. */
const NEVER = Number.MAX_SAFE_INTEGER;
const ORDERS: Readonly<Record<ApiClientOrder, string>> = {
	newest: NEWEST,
	name: `c.name_folded ASC, ${NEWEST}`,
	expires_at: `COALESCE(c.expires_at, ${NEVER}) ASC, ${NEWEST}`,
	calls_24h: `COALESCE(s.calls, 0) DESC, ${NEWEST}`,
	refused_24h: `COALESCE(s.calls, 0) DESC, ${NEWEST}`,
};
/** What counts as a call. The second has an index of its own. */
const COUNTED: Partial<Record<ApiClientOrder, string>> = {
	calls_24h: "measure IN ('signed_call', 'signed_call_refused')",
	refused_24h: "measure = 'signed_call_refused'",
};
const SEARCHED = [
	"c.name_folded",
	"lower(c.api_key)",
	"r.applicant_name_folded",
	"r.email",
	"r.company_folded",
];
/** As `isDormant` decides. */
const LAST_USE = "COALESCE(c.last_used_at, c.secret_created_at, c.created_at)";
/** With the value that the partial index needs. */
const ENDED = "access_request_id = $1 AND mode = 'test' AND tenant_id = $2";
/** The expression makes the planner use the index over expiries: few of the tenant's clients expire soon. */
const EXPIRING = `('' || tenant_id) = $1 AND expires_at >= $2 AND expires_at < $3 AND ('' || status) = 'active' AND mode = 'live'`;
const noteUse = noteUsesIn("api_clients");

export function createApiClientStore(queries: Queries): ApiClientStore {
	const findWithSecrets = async (
		condition: string,
		...parameters: string[]
	): Promise<(ApiClient & SealedSecrets) | undefined> => {
		const row = await queries.one<OwnerRow>(`${SELECT_WITH_SECRETS} WHERE ${condition}`, ...parameters);
		return row && { ...apiClientsWithSecrets.read(row), owner: ownerOf(row) };
	};
	return {
		insert: (client) => apiClientsWithSecrets.insert(queries, client),
		findById: (tenantId, id) => findWithSecrets("c.id = $1 AND c.tenant_id = $2", id, tenantId),
		async findForUpdate(tenantId, id) {
			if ((await apiClients.lock(queries, { id, tenantId })) === 0) return undefined;
			return findWithSecrets("c.id = $1 AND c.tenant_id = $2", id, tenantId);
		},
		findByApiKey: (apiKey) => findWithSecrets("c.api_key = $1", apiKey),
		list({ tenantId, sort, q, appId, status, mode, dormant, expiresAfterMs, expiresBeforeMs }, page) {
			const by = page.after === undefined ? (sort?.by ?? "newest") : "newest";
			const counted = COUNTED[by];
			const filter = new Filter()
				// With an application, the expression makes the planner use the index over its clients.
				.add(appId === undefined ? "c.tenant_id = ?" : "('' || c.tenant_id) = ?", tenantId)
				.maybe("c.app_id = ?", appId)
				.maybe("c.status = ?", status)
				.maybe("c.mode = ?", mode)
				.maybe("c.expires_at >= ?", expiresAfterMs)
				.maybe("c.expires_at < ?", expiresBeforeMs)
				.contains(SEARCHED, q);
			if (dormant !== undefined)
				filter.add(`${LAST_USE} ${dormant.is ? "<=" : ">"} ?`, dormant.nowMs - DORMANT_AFTER_MS);
			const isFiltered =
				Boolean(q) ||
				[appId, mode, dormant, expiresAfterMs, expiresBeforeMs].some((value) => value !== undefined);
			// Another order has no index, so a long list runs separately.
			const total = isFiltered || by !== "newest" ? undefined : totalOf("api_clients", tenantId, status);
			// The only other index for a filter has the clients of an application.
			if (isFiltered && filter.parameters.length > (appId === undefined ? 1 : 2)) filter.separately();
			// Accepted calls have no index.
			if (by === "calls_24h") filter.separately();
			const order = ORDERS[by];
			const from =
				counted === undefined
					? FROM
					: `${FROM} LEFT JOIN (SELECT subject_id, CAST(sum(total) AS BIGINT) AS calls FROM statistics
						WHERE tenant_id = ${filter.bind(tenantId)} AND step = 'hour' AND at >= ${filter.bind(sort?.sinceMs ?? 0)}
						AND ${counted} GROUP BY subject_id) AS s ON s.subject_id = c.id`;
			return listPage<OwnerRow, ApiClient>(
				queries,
				{ columns: LISTED, from, order, filter, total },
				page,
				(row) => ({
					...apiClients.read(row),
					owner: ownerOf(row),
				}),
			);
		},
		countExpiring: (tenantId, fromMs, toMs) => apiClients.count(queries, EXPIRING, tenantId, fromMs, toMs),
		async update(tenantId, id, { status, ...changes }, nowMs) {
			const enabling = status === "active" && { enabledAtMs: nowMs };
			const ofStatus = status === undefined ? {} : { disabledReason: null, ...enabling };
			const { sql, values } = apiClients.set({ ...changes, ...ofStatus, updatedAtMs: nowMs }, 3);
			const { assignment, condition } = STATUS_TO[status ?? "unchanged"];
			const update = `UPDATE api_clients SET ${sql}${assignment} WHERE id = $1 AND tenant_id = $2${condition}`;
			if ((await queries.run(update, id, tenantId, ...values)) === 1) return "updated";
			return (await apiClients.exists(queries, { id, tenantId })) ? "unclaimed" : "missing";
		},
		replaceSecret(tenantId, id, secretSealed, secret, nowMs) {
			const row = { ...secret, updatedAtMs: nowMs };
			const current = { id, tenantId, secretSealed };
			return secretSealed === null
				? apiClients.updateOne(queries, { ...row, status: "active" }, { ...current, status: "unclaimed" })
				: apiClients.updateOne(queries, row, current);
		},
		async setPublicKeys(tenantId, id, publicKeys, ended, nowMs) {
			const { sql, values } = apiClients.set({ publicKeys, ...ended, updatedAtMs: nowMs }, 3);
			await queries.run(
				`UPDATE api_clients SET ${sql}${CLAIMED} WHERE id = $1 AND tenant_id = $2`,
				id,
				tenantId,
				...values,
			);
		},
		remove: (tenantId, id) => apiClients.deleteOne(queries, { id, tenantId }),
		async endTest(tenantId, accessRequestId, expiresAtMs) {
			await apiClients.update(queries, { expiresAtMs }, ENDED, accessRequestId, tenantId);
		},
		purge: (nowMs, limit) => apiClients.purge(queries, "mode = 'test' AND expires_at <= $1", nowMs, limit),
		noteUse: (uses) => noteUse(queries, uses),
	};
}

const CLAIMED = ", status = CASE WHEN status = 'unclaimed' THEN 'active' ELSE status END";
const STATUS_TO = {
	active: {
		assignment:
			", status = CASE WHEN secret_sealed IS NULL AND public_keys = '[]' THEN 'unclaimed' ELSE 'active' END",
		condition: " AND status <> 'unclaimed'",
	},
	disabled: { assignment: ", status = 'disabled'", condition: "" },
	unchanged: { assignment: "", condition: "" },
} as const;

function ownerOf(row: OwnerRow): ApiClient["owner"] {
	if (row.ownerEmail === null || row.ownerLocale === null) return null;
	return {
		name: row.ownerName ?? "",
		email: row.ownerEmail,
		company: row.ownerCompany ?? "",
		purpose: row.ownerPurpose ?? "",
		locale: row.ownerLocale,
	};
}

/** The client and its application, in one statement. A test client has none; its tenant must allow test clients. */
export const FIND_SIGNING_CLIENT = statement(
	`SELECT c.id, c.name, c.tenant_id AS "tenantId", c.mode, COALESCE(c.app_id, '${TEST_APP_ID}') AS "appId",
	CASE WHEN c.mode = 'live' THEN a.status WHEN EXISTS (SELECT 1 FROM tenants t WHERE t.id = c.tenant_id AND t.test_clients = 1)
		THEN 'active' ELSE 'disabled' END AS "appStatus", c.status, c.expires_at AS "expiresAtMs",
	c.scopes, c.public_keys AS "publicKeys", c.ip_allowlist AS "ipAllowlist", c.ip_allowlist_mode AS "ipAllowlistMode", c.secret_sealed AS "secretSealed",
	c.previous_secret_sealed AS "previousSecretSealed", c.previous_secret_expires_at AS "previousSecretExpiresAtMs"
	FROM api_clients c LEFT JOIN applications a ON a.id = c.app_id AND a.tenant_id = c.tenant_id WHERE c.api_key = $1`,
	{ reads: "cached" },
);

export function createSigningClientStore(queries: Queries): SigningClientStore {
	return { findByApiKey: (apiKey) => queries.one<SigningClient>(FIND_SIGNING_CLIENT, apiKey) };
}
