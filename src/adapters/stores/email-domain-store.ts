// Domains of email addresses in SQL.

import { DOMAINS_MAX, type DomainRoute, type EmailDomainStore } from "../../domain/email-domain.ts";
import { perShared } from "../../kernel/per-shared.ts";
import { type Queries, statement } from "../sql/queries.ts";
import { tenants } from "../sql/tables/platform-tables.ts";
import { domains } from "../sql/tables/third-party-tables.ts";

/** Every sign-in reads this. */
const FIND_ROUTE = statement(
	`SELECT d.domain, d.enforce, p.id AS "issuerId", p.provider, p.display_name AS "displayName", p.enabled, p.uses
	FROM domains d JOIN identity_providers p ON p.id = d.issuer_id
	WHERE d.domain = $1 AND (d.tenant_id || '') = $2 AND d.verified_at IS NOT NULL`,
	{ reads: "cached" },
);

interface RouteRow extends Omit<DomainRoute, "enforce" | "isOpen"> {
	readonly enforce: number;
	readonly enabled: number;
	readonly uses: string;
}

const routeOf = perShared(
	({ enforce, enabled, uses, ...route }: RouteRow): DomainRoute => ({
		...route,
		enforce: enforce === 1,
		isOpen: enabled === 1 && uses.includes(",sign_in,"),
	}),
);

export function createEmailDomainStore(queries: Queries): EmailDomainStore {
	return {
		async insert(domain) {
			const { tenantId } = domain;
			await tenants.lock(queries, { id: tenantId });
			if ((await domains.count(queries, { tenantId })) >= DOMAINS_MAX) return "too_many";
			return (await domains.insertUnlessTaken(queries, domain)) ? "inserted" : "taken";
		},
		find: (tenantId, domain) => domains.find(queries, { tenantId, domain }),
		list: (tenantId, page) => domains.list(queries, { filter: domains.matching({ tenantId }) }, page),
		update: (tenantId, id, changes, nowMs) =>
			domains.updateUnlessTaken(queries, { ...changes, updatedAtMs: nowMs }, { id, tenantId }, "taken"),
		remove: (tenantId, id) => domains.deleteOne(queries, { id, tenantId }),
		async findRoute(tenantId, domain) {
			const row = await queries.one<RouteRow>(FIND_ROUTE, domain, tenantId);
			return row && routeOf(row);
		},
		listOfIssuer: (tenantId, issuerId) =>
			domains.all(queries, "issuer_id = $1 AND (tenant_id || '') = $2 ORDER BY domain", issuerId, tenantId),
		async claimDue(nowMs, nextCheckAtMs) {
			for (;;) {
				const [due] = await domains.all(queries, "next_check_at <= $1 ORDER BY next_check_at LIMIT 1", nowMs);
				if (due === undefined) return undefined;
				// Of several nodes, one changes the row; the others take the next one.
				const { id, tenantId, nextCheckAtMs: dueAtMs } = due;
				const where = { id, tenantId, nextCheckAtMs: dueAtMs };
				const claimed = await domains.updateReturning(queries, { nextCheckAtMs }, where);
				if (claimed !== undefined) return claimed;
			}
		},
	};
}
