// Deletes signing keys that prove nothing any more: no token, and not the newest checkpoint of any audit trail.

import { checkpointKeyIds } from "../features/audit/checkpoint.ts";
import type { AuditLog, CheckpointStore } from "../features/audit/model.ts";
import type { SigningKeyStore } from "../features/auth/model.ts";
import { livesOf } from "../features/auth/signing-key-life.ts";
import { DEFAULT_TENANT_SLUG, type TenantStore } from "../features/tenants/model.ts";
import { type Clock, DAY_MS, MINUTE_MS } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { SYSTEM_ORIGIN } from "../kernel/origin.ts";
import type { Persistence } from "../kernel/transaction.ts";

export interface SigningKeyJobOptions {
	readonly db: Persistence<{
		readonly signingKeys: SigningKeyStore;
		readonly checkpoints: CheckpointStore;
		readonly tenants: TenantStore;
		readonly audit: AuditLog;
	}>;
	readonly clock: Clock;
	readonly log: Log;
}

/** Longer than any `audit prune` takes: one that began with the key may still write a checkpoint. */
const KEPT_AFTER_MS = DAY_MS;

/** For the list of jobs. */
export function createSigningKeyJob(options: SigningKeyJobOptions) {
	return {
		name: "remove-signing-keys",
		everyMs: 10 * MINUTE_MS,
		run: () => removeSigningKeys(options),
	};
}

async function removeSigningKeys({ db, clock, log }: SigningKeyJobOptions): Promise<void> {
	const now = clock();
	const ended = livesOf(await db.stores.signingKeys.listAll(), now).filter(
		({ state, publishedUntilMs }) =>
			(state === "gone" || state === "withdrawn") && now - (publishedUntilMs ?? now) > KEPT_AFTER_MS,
	);
	if (ended.length === 0) return;
	const needed = checkpointKeyIds(await db.stores.checkpoints.listNewest());
	const tenant = await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG);
	if (tenant === undefined) return;
	for (const { key } of ended) {
		if (needed.has(key.kid)) continue;
		const removed = await db.transaction(async ({ signingKeys, audit }) => {
			if (!(await signingKeys.remove(key.kid))) return false;
			await audit.append({
				tenantId: tenant.id,
				actor: "system",
				action: "signing_key.removed",
				target: `signing_key:${key.kid}`,
				origin: SYSTEM_ORIGIN,
				details: {},
			});
			return true;
		});
		if (removed) log.info({ kid: key.kid }, "signing key removed");
	}
}
