// The RSA keys of a running node. The first ones, one for each algorithm, are created on first use, so that a service
// without OpenID Connect sign-in has none.

import type { KeySource } from "../crypto/access-token.ts";
import { publishedRsaKey, RSA_ALGORITHMS, type RsaAlgorithm, type RsaKey } from "../crypto/rsa-key.ts";
import { named } from "../domain/audit.ts";
import { systemCaller } from "../domain/caller.ts";
import type { IdTokenKeys } from "../domain/signing-key.ts";
import { DEFAULT_TENANT_SLUG } from "../domain/tenant.ts";
import type { Needs } from "../features/platform.ts";
import { isoTime } from "../kernel/clock.ts";
import type { KeyRing } from "./key-ring.ts";
import { createIdTokenKey } from "./stored-keys.ts";

export type IdTokenKeyRing = Pick<KeyRing<RsaKey>, "read" | "current" | "freshen">;

type Needed = Needs<"idTokenKeys" | "tenants" | "audit", "clock" | "secretBox"> & {
	readonly ring: IdTokenKeyRing;
};

export interface IdTokenSigners extends IdTokenKeys {
	/** Like `KeySource.current`, with a key for each algorithm: reads another node's first keys, or creates them. */
	current(): Promise<ReturnType<KeySource<RsaKey>["current"]>>;
}

export function createIdTokenKeys(needed: Needed): IdTokenSigners {
	const { ring } = needed;
	let making: Promise<void> | undefined;
	async function current(): Promise<readonly RsaKey[]> {
		await ring.freshen();
		if (missing(ring).length === 0) return ring.current();
		making ??= readOrMake(needed).finally(() => {
			making = undefined;
		});
		await making;
		return ring.current();
	}
	return { current, published: async () => (await current()).map(publishedRsaKey) };
}

async function readOrMake(needed: Needed): Promise<void> {
	const { ring } = needed;
	await ring.read();
	const algorithms = missing(ring);
	if (algorithms.length === 0) return;
	await Promise.all(algorithms.map((alg) => insertFirst(needed, alg)));
	await ring.read();
	if (missing(ring).length > 0) throw new Error("the keys of ID tokens were written and cannot be found");
}

function missing(ring: IdTokenKeyRing): RsaAlgorithm[] {
	const keys = ring.current();
	return RSA_ALGORITHMS.filter((wanted) => !keys.some(({ alg }) => alg === wanted));
}

/** The key signs immediately, because there is no older one. One of several nodes writes its key; the others find it. */
async function insertFirst({ db, clock, secretBox }: Needed, alg: RsaAlgorithm): Promise<void> {
	const tenant = await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG);
	if (tenant === undefined) throw new Error("the first tenant is missing");
	const now = clock();
	const key = await createIdTokenKey(secretBox, { alg, number: 1, createdAtMs: now, signsFromMs: now });
	await db.transaction(async ({ idTokenKeys, audit }) => {
		if (!(await idTokenKeys.insert(key))) return;
		await audit.append(systemCaller(tenant.id), "signing_key.published", named("signing_key", key.kid, ""), {
			signs_from: isoTime(now),
			alg,
		});
	});
}
