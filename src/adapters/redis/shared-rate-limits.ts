// Rate limits counted in Redis by all nodes together, and by this node for itself as long as Redis is away.

import type {
	LocalRateLimiter,
	RateLimits,
	RateVerdict,
	RouteLimiter,
	RouteVerdict,
} from "../../http/rate-limit.ts";
import { createRateLimiter } from "../../http/rate-limit.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Log } from "../../kernel/log.ts";
import { parseRedisUrl } from "./redis-address.ts";
import { RedisLink } from "./redis-link.ts";
import { NUMBERS_A_KEY } from "./take-script.ts";

const WINDOW_MS = 60_000;
const US_A_SECOND = 1_000_000;

export interface SharedRateLimitsOptions {
	readonly url: string;
	/** The same on all nodes of an installation, another in every other one. */
	readonly installation: string;
	/** 0: no limit. */
	readonly perMinute: number;
	readonly monotonicMs: Clock;
	readonly log: Log;
}

export interface SharedRateLimits extends RateLimits {
	/** Whether this node counts for itself now. */
	readonly isLocal: boolean;
	/** Requests that were decided without Redis. */
	readonly countedLocally: number;
	/** Resolves when Redis is there, or turned out to be away: within three seconds, without an error. */
	open(): Promise<void>;
	close(): void;
}

/**
 * Every request is counted here first and then in Redis, in one round trip that takes 100 ms at most. So a node never lets
 * more pass than the limit, whatever becomes of Redis; and what it refuses by itself costs no round trip.
 */
export function createSharedRateLimits(options: SharedRateLimitsOptions): SharedRateLimits {
	return new Shared(options);
}

/** One limit: its name in keys, and this node's own count. */
interface Limit {
	readonly name: string;
	readonly perMinute: number;
	readonly local: LocalRateLimiter;
}

/** What one limit says to a request. `atUs` is undefined when Redis did not note it. */
interface Decision {
	readonly verdict: RateVerdict;
	readonly atUs: number | undefined;
}

class Shared implements SharedRateLimits {
	readonly service: { take(key: string): RateVerdict | Promise<RateVerdict> } | undefined;
	readonly #link: RedisLink;
	readonly #monotonicMs: Clock;
	readonly #serviceLimit: Limit | undefined;
	#countedLocally = 0;

	constructor({ url, installation, perMinute, monotonicMs, log }: SharedRateLimitsOptions) {
		const prefix = `latchkey:${installation}:`;
		this.#link = new RedisLink({ address: parseRedisUrl(url), prefix, windowMs: WINDOW_MS, log });
		this.#monotonicMs = monotonicMs;
		if (perMinute === 0) return;
		const limit = this.#limit("service", perMinute);
		this.#serviceLimit = limit;
		this.service = { take: (key) => this.#takeOne(key, limit) };
	}

	get isLocal(): boolean {
		return !this.#link.isThere;
	}

	get countedLocally(): number {
		return this.#countedLocally;
	}

	ofRoute(route: string, perMinute: number): RouteLimiter {
		const own = this.#limit(route, perMinute);
		return { take: (key) => this.#takeBoth(key, own) };
	}

	open(): Promise<void> {
		return this.#link.open();
	}

	close(): void {
		this.#link.close();
	}

	#limit(name: string, perMinute: number): Limit {
		return { name, perMinute, local: createRateLimiter(perMinute, this.#monotonicMs) };
	}

	#takeOne(key: string, limit: Limit): RateVerdict | Promise<RateVerdict> {
		const local = limit.local.take(key);
		if (!local.allowed) return local;
		if (!this.#link.isThere) {
			this.#countedLocally += 1;
			return local;
		}
		return this.#decide(key, [limit], [local]).then(([decision]) => decision?.verdict ?? local);
	}

	/** The route's own place is held before the guard has decided, so that one round trip is enough. */
	async #takeBoth(key: string, own: Limit): Promise<RouteVerdict> {
		const limits: Limit[] = [];
		const locals: RateVerdict[] = [];
		for (const limit of this.#serviceLimit === undefined ? [own] : [this.#serviceLimit, own]) {
			const local = limit.local.take(key);
			limits.push(limit);
			locals.push(local);
			if (!local.allowed) break;
		}
		const decisions = await this.#decide(key, limits, locals);
		const mine = limits.indexOf(own);
		const decision = mine < 0 ? undefined : decisions[mine];
		return {
			service: this.#serviceLimit === undefined ? undefined : decisions[0]?.verdict,
			admitted: () => decision?.verdict ?? own.local.take(key),
			giveBack: () => {
				if (decision?.verdict.allowed !== true) return;
				own.local.giveBack(key);
				if (decision.atUs !== undefined) this.#link.giveBack(logKey(key, own), decision.atUs);
			},
		};
	}

	/** Up to the first limit that refuses; what this node refuses is not asked of Redis. */
	async #decide(key: string, limits: readonly Limit[], locals: readonly RateVerdict[]): Promise<Decision[]> {
		const asked = limits.filter((_, index) => locals[index]?.allowed === true);
		const numbers =
			asked.length === 0
				? undefined
				: await this.#link.take(
						asked.map((limit) => logKey(key, limit)),
						asked.map(({ perMinute }) => perMinute),
					);
		if (numbers === undefined && asked.length > 0) this.#countedLocally += 1;
		const decisions: Decision[] = [];
		let isRefused = false;
		for (const [index, limit] of limits.entries()) {
			const local = locals[index] as RateVerdict;
			const decision = decisionOf(
				limit,
				local,
				numbers?.slice(index * NUMBERS_A_KEY, (index + 1) * NUMBERS_A_KEY),
			);
			const isCountedHere = local.allowed;
			if (isCountedHere && (isRefused || !decision.verdict.allowed)) limit.local.giveBack(key);
			if (isRefused) break;
			decisions.push(decision);
			isRefused = !decision.verdict.allowed;
		}
		return decisions;
	}
}

/** The address in braces: all logs of a request lie in one slot of a cluster. */
function logKey(key: string, { name }: Limit): string {
	return `{${key}}:${name}`;
}

function decisionOf(limit: Limit, local: RateVerdict, numbers: readonly number[] | undefined): Decision {
	const [allowed, remaining, resetUs, atUs] = numbers ?? [];
	if (!local.allowed || remaining === undefined || resetUs === undefined || atUs === undefined)
		return { verdict: local, atUs: undefined };
	const resetSeconds = Math.max(1, Math.ceil(resetUs / US_A_SECOND));
	return { verdict: { allowed: allowed === 1, limit: limit.perMinute, remaining, resetSeconds }, atUs };
}
