import assert from "node:assert/strict";
import { it } from "node:test";
import { storeClient } from "../../../test/harness/access/api-client-row.ts";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { TABLES } from "./tables/all-tables.ts";

const OF_INSTALLATION = [
	"meta",
	"tenants",
	"signing_keys",
	"id_token_keys",
	"derivation_roots",
	"acme_certificates",
	// Limits that count an IP address or an email address over all tenants.
	"address_allowances",
	"address_mails",
	// Digests of a client or of no tenant, which live for hours.
	/^nonce/,
	// Its grant or client has the tenant; used proofs have none.
	"oauth_records",
];

onEachEngine("the tenant of a row", (database) => {
	it("is in every table but those of the installation", () => {
		const without = TABLES.filter(({ fields }) => !fields.some(({ column }) => column === "tenant_id"));
		assert.deepEqual(
			without
				.map(({ name }) => name)
				.filter(
					(name) =>
						!OF_INSTALLATION.some((known) => (typeof known === "string" ? known === name : known.test(name))),
				),
			[],
		);
	});

	it("is that of the row it refers to: the database refuses another one", async () => {
		const { id } = await storeClient(database, database.tenantId, {});
		const run = (sql: string, tenantId: string): Promise<number> =>
			database.engine.queries.run(sql, tenantId, id);
		for (const sql of [
			"INSERT INTO allowlist_misses (tenant_id, client_id, ip, requests, first_seen_at, last_seen_at) VALUES ($1, $2, '192.0.2.1', 1, 1, 1)",
			"INSERT INTO api_client_notices (tenant_id, client_id, expires_at, days_before, noticed_at) VALUES ($1, $2, 1, 7, 1)",
		]) {
			await assert.rejects(run(sql, "other"), /foreign key/i);
			assert.equal(await run(sql, database.tenantId), 1);
		}
	});

	it("is that of the grant and of its role", async () => {
		const { queries } = database.engine;
		const application = (id: string, tenantId: string): Promise<number> =>
			queries.run(
				`INSERT INTO applications (id, tenant_id, name, name_folded, slug, description, homepage_url, logo_url, redirect_uris,
				 access_policy, status, created_at, updated_at) VALUES ($1, $2, '', '', $1, '', '', '', '[]', 'assigned', 'active', 1, 1)`,
				id,
				tenantId,
			);
		const role = (id: string, tenantId: string): Promise<number> =>
			queries.run(
				`INSERT INTO application_roles (id, tenant_id, app_id, name, description, permissions, permission_descriptions, created_at, updated_at)
				 VALUES ($1, $2, $3, 'role', '', '[]', '[]', 1, 1)`,
				id,
				tenantId,
				`app-${tenantId}`,
			);
		await queries.run(
			"INSERT INTO tenants (id, name, name_folded, slug, created_at, updated_at) VALUES ('other', '', '', 'other', 1, 1)",
		);
		const { id: userId } = await database.addUser({ username: "ada" });
		for (const tenantId of ["other", database.tenantId]) {
			await application(`app-${tenantId}`, tenantId);
			await role(`role-${tenantId}`, tenantId);
		}
		await queries.run(
			"INSERT INTO grants (id, tenant_id, app_id, user_id, created_at, updated_at) VALUES ('grant', $1, $2, $3, 1, 1)",
			database.tenantId,
			`app-${database.tenantId}`,
			userId,
		);
		const insert = (tenantId: string, roleId: string): Promise<number> =>
			queries.run(
				"INSERT INTO grant_roles (tenant_id, grant_id, role_id) VALUES ($1, 'grant', $2)",
				tenantId,
				roleId,
			);
		await assert.rejects(insert(database.tenantId, "role-other"), /foreign key/i);
		await assert.rejects(insert("other", "role-other"), /foreign key/i);
		assert.equal(await insert(database.tenantId, `role-${database.tenantId}`), 1);
	});
});
