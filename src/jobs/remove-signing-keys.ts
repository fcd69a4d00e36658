// Deletes signing keys that verify neither a token nor the newest checkpoint of an audit trail.

import { named } from "../domain/audit.ts";
import { systemCaller } from "../domain/caller.ts";
import type { KeyLifeStore, StoredKey } from "../domain/signing-key.ts";
import { DEFAULT_TENANT_SLUG } from "../domain/tenant.ts";
import { livesOf } from "../features/identity/auth/signing-key-life.ts";
import type { Needs } from "../features/platform.ts";
import { checkpointKeyIds } from "../features/record/audit/checkpoint.ts";
import { DAY_MS, MINUTE_MS } from "../kernel/clock.ts";

type Needed = Needs<"signingKeys" | "idTokenKeys" | "checkpoints" | "tenants" | "audit", "clock" | "log">;

/** Longer than any `audit prune`: one that started with the key may still write a checkpoint. */
const KEPT_AFTER_MS = DAY_MS;

const NAME = "remove-signing-keys";

export function createSigningKeyJob(options: Needed) {
	return {
		name: NAME,
		everyMs: 10 * MINUTE_MS,
		run: () => removeSigningKeys(options),
	};
}

async function removeSigningKeys({ db, clock, log }: Needed): Promise<void> {
	const { signingKeys, idTokenKeys } = db.stores;
	const ended = await Promise.all([signingKeys, idTokenKeys].map((store) => endedKeys(store, clock())));
	const kids = ended.flat();
	if (kids.length === 0) return;
	const needed = checkpointKeyIds(await db.stores.checkpoints.listNewest());
	const tenant = await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG);
	if (tenant === undefined) return;
	for (const kid of kids) {
		if (needed.has(kid)) continue;
		const removed = await db.transaction(async (stores) => {
			const wasThere = (await stores.signingKeys.remove(kid)) || (await stores.idTokenKeys.remove(kid));
			if (!wasThere) return false;
			const target = named("signing_key", kid, "");
			await stores.audit.append(systemCaller(tenant.id), "signing_key.removed", target);
			return true;
		});
		if (removed) log.info({ job: NAME, kid }, "signing key removed");
	}
}

async function endedKeys(store: Pick<KeyLifeStore<StoredKey>, "listAll">, nowMs: number): Promise<string[]> {
	const ended = livesOf(await store.listAll(), nowMs).filter(
		({ state, publishedUntilMs }) =>
			(state === "gone" || state === "withdrawn") && nowMs - (publishedUntilMs ?? nowMs) > KEPT_AFTER_MS,
	);
	return ended.map(({ key }) => key.kid);
}
