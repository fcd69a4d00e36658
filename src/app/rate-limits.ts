// Where requests are counted: in this process, or in Redis when the settings name one.

import type { Stores } from "../adapters/sql/stores.ts";
import type { Config } from "../config/config.ts";
import type { HealthCheck } from "../features/health/model.ts";
import { DEFAULT_TENANT_SLUG } from "../features/tenants/model.ts";
import { createRateLimits, type RateLimits } from "../http/rate-limit.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { Persistence } from "../kernel/transaction.ts";

/** How the counting goes; without Redis it is never local, since that is how it was set up. */
export interface SharingStats {
	readonly isLocal: boolean;
	/** Requests decided without Redis since the start. */
	readonly countedLocally: number;
}

export interface OpenRateLimits {
	readonly limits: RateLimits;
	/** What `/health` says about it; none without Redis. */
	readonly checks: readonly HealthCheck[];
	readonly stats: () => SharingStats;
	close(): void;
}

/** Also with Redis away, which is logged: the service works without. Waits three seconds for it at most. */
export async function openRateLimits(
	config: Config,
	{
		db,
		monotonicMs,
		log,
	}: { readonly db: Persistence<Stores>; readonly monotonicMs: Clock; readonly log: Log },
): Promise<OpenRateLimits> {
	const perMinute = config.rateLimitPerMinute;
	if (config.redisUrl === null) {
		const stats = { isLocal: false, countedLocally: 0 };
		return {
			limits: createRateLimits(perMinute, monotonicMs),
			checks: [],
			stats: () => stats,
			close: () => undefined,
		};
	}
	// The client is read from disk only where it is wanted.
	const { createSharedRateLimits } = await import("../adapters/redis/shared-rate-limits.ts");
	const installation = await installationId(db);
	const shared = createSharedRateLimits({ url: config.redisUrl, installation, perMinute, monotonicMs, log });
	await shared.open();
	const check = {
		name: "redis",
		required: false,
		check: () => (shared.isLocal ? Promise.reject(new Error("Redis is away")) : Promise.resolve()),
	};
	return { limits: shared, checks: [check], stats: () => shared, close: () => shared.close() };
}

/** The first tenant's id: made at the first start, the same on every node, and no other installation's. */
async function installationId(db: Persistence<Stores>): Promise<string> {
	const tenant = await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG);
	if (tenant === undefined) throw new Error("the first tenant is missing");
	return tenant.id;
}
