// Deletes signing keys that verify no token and no newest checkpoint of an audit trail.

import { named } from "../domain/audit-target.ts";
import { systemCaller } from "../domain/caller.ts";
import { DEFAULT_TENANT_SLUG } from "../domain/tenant.ts";
import { livesOf } from "../features/identity/auth/signing-key-life.ts";
import type { Needs } from "../features/platform.ts";
import { checkpointKeyIds } from "../features/record/audit/checkpoint.ts";
import { DAY_MS, MINUTE_MS } from "../kernel/clock.ts";

type Needed = Needs<"signingKeys" | "checkpoints" | "tenants" | "audit", "clock" | "log">;

/** Longer than any `audit prune` takes: one that started with the key may still write a checkpoint. */
const KEPT_AFTER_MS = DAY_MS;

export function createSigningKeyJob(options: Needed) {
	return {
		name: "remove-signing-keys",
		everyMs: 10 * MINUTE_MS,
		run: () => removeSigningKeys(options),
	};
}

async function removeSigningKeys({ db, clock, log }: Needed): Promise<void> {
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
			await audit.append(systemCaller(tenant.id), "signing_key.removed", named("signing_key", key.kid, ""));
			return true;
		});
		if (removed) log.info({ kid: key.kid }, "signing key removed");
	}
}
