// At most so many requests in any 60 seconds for each key: an exact sliding log, not a counter that doubles at a minute's edge.

import type { Clock } from "../kernel/clock.ts";

export interface RateVerdict {
	readonly allowed: boolean;
	readonly limit: number;
	readonly remaining: number;
	/** Seconds until the oldest counted request leaves the window: at least 1 when refused. */
	readonly resetSeconds: number;
}

/** Counts a request unless it is refused; refused requests are not counted. Never rejects, and never waits long. */
export interface RateLimiter {
	take(key: string): RateVerdict | Promise<RateVerdict>;
}

/** The limits of a service: one over everything, and those of single routes. */
export interface RateLimits {
	/** Undefined: no limit (for measuring). */
	readonly service: RateLimiter | undefined;
	/** `route` tells the limits of routes apart. */
	ofRoute(route: string, perMinute: number): RouteLimiter;
}

/** The limit of one route, beside the service's: it counts those whom the guard admits. */
export interface RouteLimiter {
	/** Asks both limits in one step, before the guard; as `RateLimiter.take`. */
	take(key: string): RouteVerdict | Promise<RouteVerdict>;
}

/** Exactly one of `admitted` and `giveBack` is called, once, unless the service's limit refused. */
export interface RouteVerdict {
	/** Of the service's limit. */
	readonly service: RateVerdict | undefined;
	/** Of the route's own limit: the guard has admitted the caller. */
	admitted(): RateVerdict;
	/** The guard has refused the caller, who does not count against the route's limit then. */
	giveBack(): void;
}

/** Counts in this process: answers at once. */
export interface LocalRateLimiter extends RateLimiter {
	take(key: string): RateVerdict;
	/** One counted request of the key counts no longer: somebody else refused it. */
	giveBack(key: string): void;
}

const WINDOW_MS = 60_000;
/** Many small maps instead of one: a single large Map stops the world when it rehashes. */
const SHARDS = 64;

/** Times of the counted requests of one key, oldest first from `head`. */
interface Log {
	times: number[];
	head: number;
}

interface Shard {
	current: Map<string, Log>;
	/** Keys of the period before; one not seen for a whole period has an empty window and is forgotten with it. */
	previous: Map<string, Log>;
	rotatedAt: number;
}

/**
 * Counts in this process. `monotonicMs` must never go back (wall clocks do).
 * Memory: one number a counted request, forgotten one to two minutes after a key falls silent.
 */
export function createRateLimiter(perMinute: number, monotonicMs: Clock): LocalRateLimiter {
	const shards: Shard[] = Array.from({ length: SHARDS }, () => ({
		current: new Map(),
		previous: new Map(),
		rotatedAt: monotonicMs(),
	}));
	return {
		take(key) {
			const now = monotonicMs();
			const log = logOf(shards[shardOf(key)] as Shard, key, now);
			const { times } = log;
			while (log.head < times.length && (times[log.head] as number) <= now - WINDOW_MS) log.head++;
			if (log.head === times.length || log.head >= perMinute) {
				times.splice(0, log.head);
				log.head = 0;
			}
			const count = times.length - log.head;
			const oldest = count === 0 ? now : (times[log.head] as number);
			const resetSeconds = Math.max(1, Math.ceil((oldest + WINDOW_MS - now) / 1000));
			if (count >= perMinute) return { allowed: false, limit: perMinute, remaining: 0, resetSeconds };
			times.push(now);
			return { allowed: true, limit: perMinute, remaining: perMinute - count - 1, resetSeconds };
		},
		giveBack(key) {
			const { times, head } = logOf(shards[shardOf(key)] as Shard, key, monotonicMs());
			if (times.length > head) times.pop();
		},
	};
}

/** The limits of a service that is one process; `perMinute` 0 is no limit. */
export function createRateLimits(perMinute: number, monotonicMs: Clock): RateLimits {
	const service = perMinute === 0 ? undefined : createRateLimiter(perMinute, monotonicMs);
	return {
		service,
		ofRoute(_route, routePerMinute) {
			const own = createRateLimiter(routePerMinute, monotonicMs);
			return {
				take: (key) => ({
					service: service?.take(key),
					admitted: () => own.take(key),
					giveBack: () => undefined,
				}),
			};
		},
	};
}

function logOf(shard: Shard, key: string, now: number): Log {
	if (now - shard.rotatedAt >= WINDOW_MS) {
		shard.previous = now - shard.rotatedAt >= 2 * WINDOW_MS ? new Map() : shard.current;
		shard.current = new Map();
		shard.rotatedAt = now;
	}
	let log = shard.current.get(key);
	if (log === undefined) {
		log = shard.previous.get(key) ?? { times: [], head: 0 };
		shard.current.set(key, log);
	}
	return log;
}

function shardOf(key: string): number {
	let hash = 0;
	for (let index = 0; index < key.length; index++) hash = (hash * 31 + key.charCodeAt(index)) | 0;
	return hash & (SHARDS - 1);
}
