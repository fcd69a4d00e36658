// Limits requests per key in any 60 seconds: an exact sliding log, which allows no double burst at a minute boundary.

import type { Clock } from "../../kernel/clock.ts";

export interface RateVerdict {
	readonly allowed: boolean;
	readonly limit: number;
	readonly remaining: number;
	/** Seconds until the oldest counted request leaves the window: at least 1 when refused. */
	readonly resetSeconds: number;
}

/** Counts the request unless it refuses it. Never rejects; any wait is short. */
export interface RateLimiter {
	take(key: string): RateVerdict | Promise<RateVerdict>;
}

type LimitName = keyof ReturnType<typeof limitNumbers>;
/** Something for each limit of `limitNumbers`; undefined: no limit. */
type OfLimits<T> = { readonly [Name in LimitName]: T | undefined };

/** The limits of a service, and those of single routes. */
export interface RateLimits extends OfLimits<RateLimiter> {
	/** As `service`, for requests that may be counted by another key later: `giveBack` undoes the count. */
	readonly provisional: RouteLimiter;
	/** `route` identifies the limit. */
	ofRoute(route: string, perMinute: number): RouteLimiter;
}

/** The limit of one route, in addition to the service's: it counts requests that the guard admits. */
export interface RouteLimiter {
	/** Takes from both limits in one step, before the guard, like `RateLimiter.take`. */
	take(key: string): RouteVerdict | Promise<RouteVerdict>;
}

/** Call either `admitted` or `giveBack`, exactly once, unless the service's limit refused the request. */
export interface RouteVerdict {
	/** The verdict of the service's limit. */
	readonly service: RateVerdict | undefined;
	/** The guard admitted the caller: returns the verdict of the route's limit. */
	admitted(): RateVerdict;
	/** The guard refused the caller: the request does not count against the route's limit. */
	giveBack(): void;
}

/** Counts in this process and returns synchronously. */
export interface LocalRateLimiter extends RateLimiter {
	take(key: string): RateVerdict;
	/** Gives back one counted request of the key, because another limit refused it. */
	giveBack(key: string): void;
}

const WINDOW_MS = 60_000;
/** The verdict when there is no limit. */
export const NO_LIMIT: RateVerdict = {
	allowed: true,
	limit: Number.POSITIVE_INFINITY,
	remaining: Number.POSITIVE_INFINITY,
	resetSeconds: 1,
};
/** Many small maps: one large Map blocks the process while it rehashes. */
const SHARDS = 64;

/** Times of the counted requests of one key, oldest first from `head`. */
interface Log {
	times: number[];
	head: number;
}

interface Shard {
	current: Map<string, Log>;
	/** Keys of the previous period. A key not seen for a whole period has an empty window and is dropped. */
	previous: Map<string, Log>;
	rotatedAt: number;
}

/**
 * Counts in this process. `monotonicMs` must never go back, unlike a wall clock. Uses memory for one number per counted
 * request, freed one to two minutes after the last request of a key.
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
			const log = logOf(shards, key, now);
			const { times } = log;
			while ((times[log.head] ?? Number.POSITIVE_INFINITY) <= now - WINDOW_MS) log.head++;
			if (log.head === times.length || log.head >= perMinute) {
				times.splice(0, log.head);
				log.head = 0;
			}
			const count = times.length - log.head;
			const oldest = times[log.head] ?? now;
			const resetSeconds = Math.max(1, Math.ceil((oldest + WINDOW_MS - now) / 1000));
			if (count >= perMinute) return { allowed: false, limit: perMinute, remaining: 0, resetSeconds };
			times.push(now);
			return { allowed: true, limit: perMinute, remaining: perMinute - count - 1, resetSeconds };
		},
		giveBack(key) {
			const { times, head } = logOf(shards, key, monotonicMs());
			if (times.length > head) times.pop();
		},
	};
}

/** Requests in any 60 s; 0 = no limit. */
export interface RateNumbers {
	/** Requests of one IP address. */
	readonly perMinute: number;
	/** Requests of one authenticated OAuth client. */
	readonly clientPerMinute: number;
	/** Requests to one gate. */
	readonly gatePerMinute: number;
}

/** Requests in any 60 seconds; 0 for no limit, as for benchmarks. */
function limitNumbers({ perMinute, clientPerMinute, gatePerMinute }: RateNumbers) {
	const unlessOff = (limit: number): number => (perMinute === 0 ? 0 : limit);
	return {
		/** All of one IP address. */
		service: perMinute,
		/** Of one authenticated OAuth client. */
		clients: clientPerMinute,
		/** Of one directory. */
		directories: unlessOff(600),
		/** To one gate. */
		gates: gatePerMinute,
		/** Refused by gates, of one IP address. */
		gateRefusals: perMinute,
		/** With a wrong gate key, of one IP address. */
		gateKeys: unlessOff(10),
		/** Of one test client. */
		testCalls: unlessOff(30),
	};
}

/** Calls `create` for each limit that there is. */
export function eachLimit<T>(
	numbers: RateNumbers,
	create: (name: string, perMinute: number) => T,
): OfLimits<T> {
	const created = Object.entries(limitNumbers(numbers)).map(([name, limit]) => [
		name,
		limit === 0 ? undefined : create(name, limit),
	]);
	return Object.fromEntries(created) as OfLimits<T>;
}

/** The limits of a service with one process. */
export function createRateLimits(numbers: RateNumbers, monotonicMs: Clock): RateLimits {
	const limiters = eachLimit(numbers, (_name, limit) => createRateLimiter(limit, monotonicMs));
	const { service } = limiters;
	return {
		...limiters,
		provisional: {
			take(key) {
				const verdict = service?.take(key);
				return {
					service: verdict,
					admitted: () => verdict ?? NO_LIMIT,
					giveBack: () => service?.giveBack(key),
				};
			},
		},
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

function logOf(shards: readonly Shard[], key: string, now: number): Log {
	const shard = shards[shardOf(key)] as Shard;
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
