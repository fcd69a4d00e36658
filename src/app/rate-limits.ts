// Opens the rate limits, which count requests in Redis if it is configured, and otherwise in this process.

import type { Config } from "../config/config.ts";
import type { HealthCheck } from "../domain/health-check.ts";
import type { Db } from "../domain/stores.ts";
import { DEFAULT_TENANT_SLUG } from "../domain/tenant.ts";
import type { Needs } from "../features/platform.ts";
import { createRateLimits, type RateLimits } from "../http/run/rate-limit.ts";
import type { Clock } from "../kernel/clock.ts";

/** Without Redis, counting in the process is intended, and `isLocal` is false. */
export interface SharingStats {
	readonly isLocal: boolean;
	/** Requests decided without Redis since the start. */
	readonly countedLocally: number;
}

export interface OpenRateLimits {
	readonly limits: RateLimits;
	/** Checks of `/health`; none without Redis. */
	readonly checks: readonly HealthCheck[];
	readonly stats: () => SharingStats;
	close(): void;
}

/** Waits for Redis for at most three seconds. While Redis is unavailable, which is logged, this process counts alone. */
export async function openRateLimits(
	config: Config,
	{ db, monotonicMs, log }: Needs<"tenants", "log"> & { readonly monotonicMs: Clock },
): Promise<OpenRateLimits> {
	const numbers = {
		perMinute: config.rateLimitPerMinute,
		clientPerMinute: config.clientLimitPerMinute,
		gatePerMinute: config.gateLimitPerMinute,
	};
	if (config.redisUrl === null) {
		const stats = { isLocal: false, countedLocally: 0 };
		return {
			limits: createRateLimits(numbers, monotonicMs),
			checks: [],
			stats: () => stats,
			close: () => undefined,
		};
	}
	// Load the client only where Redis is configured.
	const { SharedRateLimits } = await import("../adapters/redis/shared-rate-limits.ts");
	const installation = await installationId(db);
	const shared = new SharedRateLimits({
		url: config.redisUrl,
		installation,
		...numbers,
		monotonicMs,
		log,
	});
	await shared.open();
	const check = {
		name: "redis",
		required: false,
		check: () => (shared.isLocal ? Promise.reject(new Error("Redis is unavailable")) : Promise.resolve()),
	};
	return { limits: shared, checks: [check], stats: () => shared, close: () => shared.close() };
}

/** The first tenant's id: the same on every node, and unique to the installation. */
async function installationId(db: Db<"tenants">): Promise<string> {
	const tenant = await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG);
	if (tenant === undefined) throw new Error("the first tenant is missing");
	return tenant.id;
}
