// Generates rows for every table from its description: one large tenant with a large application and group.

import type { SqlValue } from "../../src/adapters/sql/queries.ts";
import type { TableDescription } from "../../src/adapters/sql/table.ts";
import { TABLES } from "../../src/adapters/sql/tables/all-tables.ts";
import type { ProviderTest } from "../../src/domain/provider-test.ts";

export const TENANT = "tenants-0";
/** Has a row in every grant table. */
export const APP = "applications-0";
export const USER = "users-7";
export const CLIENT = "api_clients-7";
export const GROUP = "user_groups-7";
export const TOKEN = "new";
export const PAGE = { page: 1, pageSize: 20 };
/** A part of an export, in the middle of the list. */
export const EXPORTED = { ...PAGE, after: { createdAtMs: 300, id: "z" } };
/** Later than the times of all rows, which are 1, 2, 3 … */
export const NOW = 1_000_000;

/** The number of rows in each table that grows. */
export const ROWS = 400;
/** The number of rows in the tables that stay small regardless of the number of users and partners. */
export const SMALL: Readonly<Record<string, number>> = {
	meta: 1,
	tenants: 1,
	tenant_brands: 1,
	signing_keys: 1,
	derivation_roots: 1,
	acme_certificates: 1,
	id_token_keys: 1,
	audit_heads: 1,
	audit_checkpoints: 1,
	identity_providers: 1,
	// At most a hundred in a tenant.
	domains: 100,
	set_up_links: 1,
	webhooks: 1,
	directories: 1,
	directory_groups: 399,
	row_counts: 0,
	// The migration inserts its only row.
	nonce_ring: 0,
};

/** The table that a column refers to, unless its table declares another. */
const PARENTS: Readonly<Record<string, string>> = {
	user_id: "users",
	created_by: "users",
	granted_by: "users",
	domain_id: "domains",
	reviewed_by: "users",
	app_id: "applications",
	application_id: "applications",
	session_id: "sessions",
	client_id: "api_clients",
	group_id: "user_groups",
	request_id: "requests",
	requestable_reviewers: "user_groups",
	reviewers: "user_groups",
	review_id: "reviews",
	role_id: "application_roles",
	grant_id: "grants",
	account_id: "third_party_accounts",
	supporter_id: "users",
	"user_keys.id": "users",
	"group_grant_roles.grant_id": "group_grants",
	"client_grant_roles.grant_id": "client_grants",
	"program_grant_roles.grant_id": "program_grants",
	program_id: "applications",
	"oauth_consents.client_id": "applications",
	"logout_notices.client_id": "applications",
	"logout_notices.session_id": "ended",
	"oauth_grants.client_id": "applications",
	"oauth_records.client_id": "applications",
	"refusals.api_client_id": "api_clients",
	"oauth_records.grant_id": "oauth_grants",
	"oauth_actors.grant_id": "oauth_grants",
	"oauth_actors.actor_id": "applications",
	"oauth_actors.api_id": "applications",
};
export const PROVIDER_TEST: ProviderTest = {
	atMs: 1,
	step: "sign_in",
	outcome: "passed",
	message: "",
	hasEmail: true,
	emailVerified: true,
};
const DOCUMENT = JSON.stringify({
	url: "https://agent.example/client.json",
	name: "Example Agent",
	redirectUris: [],
	authMethod: "none",
	jwks: null,
	jwksUri: null,
	published: {},
});
/** Values that all or nearly all rows of a table share. */
const COMMON: Readonly<Record<string, SqlValue>> = {
	tenant_id: TENANT,
	webhook_id: "webhooks-0",
	provider_id: "identity_providers-0",
	provider: "github",
	action: "user.signed_in",
	"audit_events.ip": "192.0.2.1",
	locale: "en",
	company: "Company",
	purpose: "Purpose",
	"address_allowances.kind": "registration",
	"programs.document": DOCUMENT,
	"identity_providers.last_test": JSON.stringify(PROVIDER_TEST),
	"requests.document": DOCUMENT,
	"requests.kind": "partner",
	"grants.app_id": APP,
	"group_grants.app_id": APP,
	"client_grants.app_id": APP,
	"program_grants.app_id": APP,
	"group_members.group_id": "user_groups-0",
	"managers.app_id": APP,
	"domains.issuer_id": "identity_providers-0",
	"set_up_links.issuer_id": "identity_providers-0",
	"managers.group_id": null,
	"grants.expires_at": null,
	"group_grants.expires_at": null,
	"client_grants.expires_at": null,
	"program_grants.expires_at": null,
	"group_members.expires_at": null,
	"support_sessions.made_in": "sessions-7",
	"users.roles": "",
	"users.status": "active",
	"applications.status": "active",
	"applications.access_policy": "assigned",
	"api_clients.status": "active",
	"api_clients.mode": "live",
	"api_clients.ip_allowlist_mode": "enforce",
	"requests.status": "pending",
	"mail_outbox.status": "sent",
	"webhooks.status": "active",
	"webhook_deliveries.status": "delivered",
	"webhook_deliveries.event_type": "user.created",
	"totp_factors.status": "active",
	"statistics.step": "hour",
	"statistics.measure": "sign_ins",
	"login_failures.failures": 1,
	"refusals.subject": "api_client",
	"oauth_clients.jwks": null,
	"oauth_clients.workloads": "[]",
	"oauth_clients.assertion_audiences": "[]",
	"identity_providers.mfa_acr": "[]",
	"identity_providers.jwks": null,
	"review_items.sources": "[]",
	"identity_providers.uses": ",sign_in,",
	"directories.issuer_id": "identity_providers-0",
	"directory_people.issuer_id": "identity_providers-0",
	"directory_emails.issuer_id": "identity_providers-0",
	"directory_groups.issuer_id": "identity_providers-0",
	"directory_events.issuer_id": "identity_providers-0",
	"directories.default_grants": "[]",
	"directories.client_id": null,
	"directory_people.attributes": "{}",
	"audit_heads.sequence": 100_000,
	"mail_outbox.payload_sealed": "{}",
	"oauth_consents.api_scopes": "{}",
	"tenants.slug": "default",
	"signing_keys.public_jwk": '{"kty":"OKP","crv":"Ed25519","x":"","y":""}',
	"id_token_keys.public_jwk": '{"kty":"RSA","n":"","e":""}',
	"oauth_grants.payload": "{}",
	"oauth_grants.issuer_id": null,
	"audit_events.details": "{}",
	"audit_events.changes": "{}",
	"nonce_batches.claims": "[]",
};
/** Values of one row in a hundred. */
const RARE: Readonly<Record<string, SqlValue>> = {
	"users.roles": "admin,reviewer",
	"mail_outbox.status": "due",
	"requests.kind": "program",
	"reviews.status": "preparing",
	"webhook_deliveries.status": "pending",
	"totp_factors.status": "pending",
	"oauth_grants.issuer_id": "identity_providers-0",
};

/** The row number `number` of a table, as the stores insert it. */
export function row(tableName: string, number: number): Record<string, unknown> {
	const table = TABLES.find(({ name }) => name === tableName);
	if (table === undefined) throw new Error(`no table ${tableName}`);
	return Object.fromEntries(
		table.fields.map(({ field, column, description }) => {
			const cell = cellOf(tableName, column, description.type, number);
			if (cell.isSet) return [field, description.read?.(cell.value) ?? cell.value];
			const written = description.write?.([]);
			const refers = `${tableName}.${column}` in PARENTS || column in PARENTS;
			if (written === undefined || refers) return [field, cell.value];
			if (typeof written === "number") return [field, true];
			return [field, typeof written === "string" ? [] : null];
		}),
	);
}

function cellOf(
	table: string,
	column: string,
	type: "TEXT" | "BIGINT",
	number: number,
): { readonly value: SqlValue; readonly isSet: boolean } {
	const name = `${table}.${column}`;
	for (const values of [...(number % 100 === 1 ? [RARE] : []), COMMON])
		for (const key of [name, column]) {
			const value = values[key];
			if (value !== undefined) return { value, isSet: true };
		}
	const parent = PARENTS[name] ?? PARENTS[column];
	if (parent !== undefined) return { value: `${parent}-${number % ROWS}`, isSet: false };
	if (table.startsWith("nonces_"))
		return { value: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`, isSet: true };
	const text = column === "id" ? `${table}-${number}` : `${column}-${number}`;
	return { value: type === "TEXT" ? text : number, isSet: false };
}

/** The cells of a row, in the order of the table's fields. */
export function cells({ name, fields }: TableDescription, number: number): SqlValue[] {
	const values = row(name, number);
	return fields.map(({ field, description: { write } }) => {
		const value = values[field];
		return write === undefined ? (value as SqlValue) : write(value);
	});
}
