// Verifies the audit trails of all tenants, and removes their oldest events.

import { type OpenedSigningKey, requireSigner } from "../app/stored-keys.ts";
import { DEFAULT_TENANT_SLUG, type Tenant } from "../domain/tenant.ts";
import type { Needs } from "../features/platform.ts";
import { verifyCheckpoint } from "../features/record/audit/checkpoint.ts";
import { pruneMonths } from "../features/record/audit/prune-months.ts";
import { pruneTrail } from "../features/record/audit/prune-trail.ts";
import { type ChainReport, verifyChain } from "../features/record/audit/verify-chain.ts";
import { StartError } from "../kernel/start-error.ts";
import { cliCaller } from "./cli-caller.ts";

export interface TrailReport extends ChainReport {
	/** Slug. */
	readonly tenant: string;
}

type Needed = Needs<"audit" | "checkpoints" | "tenants"> & {
	/** Keys in every state: a checkpoint outlives the key that signed it. */
	readonly keys: readonly OpenedSigningKey[];
};

/** Yields one report per tenant. Continues after a broken trail. */
export async function* verifyAudit(
	{ db, keys }: Needed,
	onProgress: (tenant: string, events: number) => void,
): AsyncGenerator<TrailReport> {
	for (const tenant of await db.stores.tenants.listAll())
		yield verifyTenant({ db, keys }, tenant, (events) => onProgress(tenant.slug, events));
}

async function verifyTenant(
	{ db, keys }: Needed,
	tenant: Tenant,
	onProgress: (events: number) => void,
): Promise<TrailReport> {
	const { audit, checkpoints } = db.stores;
	const reader = {
		listChain: audit.listChain,
		findHead: audit.findHead,
		findCheckpoint: checkpoints.findNewest,
		verifyCheckpoint: verifyCheckpoint.bind(undefined, keys),
	};
	const report = await verifyChain(reader, tenant.id, onProgress);
	return { ...report, broken: report.broken ?? missedStart(tenant, report), tenant: tenant.slug };
}

/** The default tenant's trail begins at the first start, so an empty one was removed. */
function missedStart({ slug }: Tenant, { events, prunedUpTo }: ChainReport): ChainReport["broken"] {
	if (slug !== DEFAULT_TENANT_SLUG || events > 0 || prunedUpTo > 0) return undefined;
	return { kind: "removed", sequence: 1, message: "the whole trail was removed" };
}

/**
 * Removes older events from every trail. Verifies all trails first: a checkpoint must not confirm a broken one.
 *
 * @throws StartError when a trail is broken; nothing is removed then.
 */
export async function* pruneAudit(
	{ db, keys, clock }: Needed & Needs<never, "clock">,
	beforeMs: number,
): AsyncGenerator<Pick<TrailReport, "tenant" | "events">> {
	const key = requireSigner(keys, clock());
	for await (const { tenant, broken } of verifyAudit({ db, keys }, () => undefined))
		if (broken !== undefined)
			throw new StartError(
				`the trail of ${tenant} is broken at event ${broken.sequence}, ${broken.kind}: ${broken.message}; nothing was removed`,
				{ kind: "damaged" },
			);
	const dropped = await pruneMonths({ db, clock, key }, cliCaller, beforeMs);
	for (const { id, slug } of await db.stores.tenants.listAll()) {
		const deleted = await pruneTrail({ db, clock, key }, cliCaller(id), beforeMs);
		yield { tenant: slug, events: (dropped.get(id) ?? 0) + deleted };
	}
}
