// Checks the audit trails of all tenants.

import type { Stores } from "../adapters/sql/stores.ts";
import { type ChainReport, verifyChain } from "../features/audit/verify-chain.ts";
import { DEFAULT_TENANT_SLUG, type Tenant } from "../features/tenants/model.ts";

export interface TrailReport extends ChainReport {
	/** Slug of the tenant. */
	readonly tenant: string;
}

/** One report a tenant, as each is done; all are walked, also after a broken one. */
export async function* verifyAudit(
	{ tenants, audit }: Pick<Stores, "tenants" | "audit">,
	onProgress: (tenant: string, events: number) => void,
): AsyncGenerator<TrailReport> {
	for (const tenant of await tenants.listAll()) {
		const report = await verifyChain(audit, tenant.id, (events) => onProgress(tenant.slug, events));
		yield { ...report, broken: report.broken ?? missedStart(tenant, report), tenant: tenant.slug };
	}
}

/** The default tenant's trail begins with the first start itself, so there is never nothing. */
function missedStart({ slug }: Tenant, { events }: ChainReport): ChainReport["broken"] {
	if (slug !== DEFAULT_TENANT_SLUG || events > 0) return undefined;
	return { kind: "removed", sequence: 1, message: "the whole trail was removed" };
}
