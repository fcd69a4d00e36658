// OAuth clients in SQL.

import {
	type ContestedResource,
	type OAuthClientStore,
	type PresentedOAuthClient,
	PUBLISHED_RESOURCES_MAX,
	type StoredOAuthClient,
} from "../../domain/oauth-client.ts";
import { parseId } from "../../kernel/id.ts";
import { perShared } from "../../kernel/per-shared.ts";
import { Filter, listRows } from "../sql/page.ts";
import { places } from "../sql/parameter-lists.ts";
import { columnOf, type Queries, type Statement, statement } from "../sql/queries.ts";
import { applications } from "../sql/tables/access-tables.ts";
import {
	oauthClients,
	resourceNames,
	oauthClientsWithDigests as stored,
} from "../sql/tables/oauth-tables.ts";

const application = applications.pick("kind", "name", "status", "redirectUris", "homepageUrl", "logoUrl");
const FIND_PRESENTED = `SELECT ${stored.as("c").columns}, ${application.as("a").columns}
	FROM oauth_clients c JOIN applications a ON a.id = c.application_id AND a.tenant_id = c.tenant_id`;
/** All that a token of the client reads about it. */
export const FIND_BY_ID = statement(`${FIND_PRESENTED} WHERE c.application_id = $1`, { reads: "cached" });
const FIND_BY_RESOURCE = statement(
	`${FIND_PRESENTED} WHERE c.tenant_id = $1 AND c.resource = $2 AND EXISTS (
	SELECT 1 FROM resource_names n WHERE n.resource = c.resource AND n.tenant_id = c.tenant_id)`,
	{ reads: "cached" },
);
const resources = oauthClients.pick("resource");
const assign = resourceNames.insertWith({
	onConflict: "(resource) DO UPDATE SET tenant_id = excluded.tenant_id, assigned_at = excluded.assigned_at",
});
/** Every client that has not cached discovery reads this. */
const PUBLISHED = statement(
	`SELECT c.resource FROM tenants t
	JOIN oauth_clients c ON c.tenant_id = t.id
	JOIN resource_names n ON n.resource = c.resource AND n.tenant_id = c.tenant_id
	WHERE t.program_requests = 1 ORDER BY c.resource LIMIT ${PUBLISHED_RESOURCES_MAX}`,
	{ reads: "cached" },
);
const USING_ISSUER = `SELECT a.name FROM oauth_clients c JOIN applications a ON a.id = c.application_id
	WHERE c.tenant_id = $1 AND c.auth_method = 'workload' AND c.workloads LIKE $2 ORDER BY a.name LIMIT 5`;
const CONTESTED = {
	columns: `${oauthClients.pick("resource", "applicationId", "tenantId", "createdAtMs").as("c").columns},
		waiting.name AS "tenantName", n.tenant_id AS "assignedTenantId", assigned.name AS "assignedTenantName"`,
	from: `oauth_clients c JOIN resource_names n ON n.resource = c.resource
		JOIN tenants waiting ON waiting.id = c.tenant_id JOIN tenants assigned ON assigned.id = n.tenant_id`,
	order: "c.created_at DESC, c.application_id DESC",
};

/** Requests share a cached row, and therefore the frozen client. */
const presented = perShared((row: object) => ({ ...stored.read(row), application: application.read(row) }));

export function createOAuthClientStore(queries: Queries): OAuthClientStore {
	const findPresented = async (
		sql: string | Statement,
		...parameters: string[]
	): Promise<PresentedOAuthClient | undefined> => {
		const row = await queries.one<object>(sql, ...parameters);
		return row && presented(row);
	};
	/** The first tenant keeps the name. */
	const claimName = async (tenantId: string, resource: string | null | undefined, nowMs: number) => {
		if (resource != null)
			await resourceNames.insertUnlessTaken(queries, { resource, tenantId, assignedAtMs: nowMs });
	};
	const insert = async (client: StoredOAuthClient): Promise<boolean> => {
		if (!(await stored.insertUnlessTaken(queries, client))) return false;
		await claimName(client.tenantId, client.resource, client.updatedAtMs);
		return true;
	};
	return {
		insert,
		find: (tenantId, applicationId) => oauthClients.find(queries, { applicationId, tenantId }),
		findForUpdate: (tenantId, applicationId) => stored.findLocked(queries, { applicationId, tenantId }),
		/** Text that is not an id may contain characters that PostgreSQL refuses. */
		findPresented: async (clientId) =>
			parseId(clientId) === undefined ? undefined : findPresented(FIND_BY_ID, clientId),
		findByResource: (tenantId, resource) => findPresented(FIND_BY_RESOURCE, tenantId, resource),
		listPublished: () => columnOf(queries, PUBLISHED),
		async knownResources(tenantId, requested) {
			if (requested.length === 0) return [];
			const condition = `tenant_id = $1 AND resource IN (${places(requested, 2)})`;
			const rows = await resources.all(queries, condition, tenantId, ...requested);
			return rows.flatMap(({ resource }) => resource ?? []);
		},
		namesUsingIssuer: (tenantId, issuerId) => columnOf(queries, USING_ISSUER, tenantId, `%"${issuerId}"%`),
		async assignResource(tenantId, resource, nowMs) {
			await assign(queries, { resource, tenantId, assignedAtMs: nowMs });
		},
		listContested(page) {
			const filter = new Filter().separately().add("n.tenant_id <> c.tenant_id");
			return listRows<ContestedResource>(queries, { ...CONTESTED, filter }, page);
		},
		isAny: () => oauthClients.exists(queries, "1 = 1"),
		async update(tenantId, applicationId, changes, nowMs) {
			const outcome = await oauthClients.updateUnlessTaken<"resource_taken">(
				queries,
				{ ...changes, updatedAtMs: nowMs },
				{ applicationId, tenantId },
				"resource_taken",
			);
			if (outcome === "updated") await claimName(tenantId, changes.resource, nowMs);
			return outcome;
		},
		async replace(client) {
			const { applicationId, tenantId } = client;
			await stored.deleteOne(queries, { applicationId, tenantId });
			return (await insert(client)) ? "updated" : "resource_taken";
		},
		setSecret: (tenantId, applicationId, secret, nowMs) =>
			stored.updateOne(queries, { ...secret, updatedAtMs: nowMs }, { applicationId, tenantId }),
		remove: (tenantId, applicationId) => oauthClients.deleteReturning(queries, { applicationId, tenantId }),
	};
}
