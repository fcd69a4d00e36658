// Checks the audit trails of all tenants, and lets their oldest events go.

import type { Stores } from "../adapters/sql/stores.ts";
import { proveCheckpoint } from "../features/audit/checkpoint.ts";
import { pruneTrail } from "../features/audit/prune-trail.ts";
import { type ChainReport, verifyChain } from "../features/audit/verify-chain.ts";
import { DEFAULT_TENANT_SLUG, type Tenant } from "../features/tenants/model.ts";
import type { Clock } from "../kernel/clock.ts";
import { StartError } from "../kernel/start-error.ts";
import type { Persistence } from "../kernel/transaction.ts";
import { type OpenedSigningKey, requireSigner } from "./signing-keys.ts";

export interface TrailReport extends ChainReport {
	/** Slug of the tenant. */
	readonly tenant: string;
}

export interface AuditDeps {
	readonly db: Persistence<Stores>;
	/** Of every state: a checkpoint outlives the key's own days. */
	readonly keys: readonly OpenedSigningKey[];
}

/** One report a tenant, as each is done; all are walked, also after a broken one. */
export async function* verifyAudit(
	{ db, keys }: AuditDeps,
	onProgress: (tenant: string, events: number) => void,
): AsyncGenerator<TrailReport> {
	for (const tenant of await db.stores.tenants.listAll())
		yield verifyTenant({ db, keys }, tenant, (events) => onProgress(tenant.slug, events));
}

async function verifyTenant(
	{ db, keys }: AuditDeps,
	tenant: Tenant,
	onProgress: (events: number) => void,
): Promise<TrailReport> {
	const { audit, checkpoints } = db.stores;
	const reader = {
		listChain: audit.listChain,
		findHead: audit.findHead,
		findCheckpoint: checkpoints.findNewest,
		proveCheckpoint: proveCheckpoint.bind(undefined, keys),
	};
	const report = await verifyChain(reader, tenant.id, onProgress);
	return { ...report, broken: report.broken ?? missedStart(tenant, report), tenant: tenant.slug };
}

/** The default tenant's trail begins with the first start itself, so there is never nothing. */
function missedStart({ slug }: Tenant, { events, prunedUpTo }: ChainReport): ChainReport["broken"] {
	if (slug !== DEFAULT_TENANT_SLUG || events > 0 || prunedUpTo > 0) return undefined;
	return { kind: "removed", sequence: 1, message: "the whole trail was removed" };
}

export interface Pruned {
	/** Slug of the tenant. */
	readonly tenant: string;
	readonly events: number;
}

/**
 * Removes what is older from every trail. All are verified first: a checkpoint must not vouch for a broken one.
 *
 * @throws StartError when one is broken; nothing was removed then.
 */
export async function* pruneAudit(
	{ db, keys, clock }: AuditDeps & { readonly clock: Clock },
	beforeMs: number,
): AsyncGenerator<Pruned> {
	const key = requireSigner(keys, clock());
	for await (const { tenant, broken } of verifyAudit({ db, keys }, () => undefined))
		if (broken !== undefined)
			throw new StartError(
				`the trail of ${tenant} is broken at event ${broken.sequence}, ${broken.kind}: ${broken.message}; nothing was removed`,
			);
	for (const tenant of await db.stores.tenants.listAll())
		yield { tenant: tenant.slug, events: await pruneTrail({ db, clock, key }, tenant.id, beforeMs) };
}
