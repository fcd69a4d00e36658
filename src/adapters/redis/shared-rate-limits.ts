// Rate limits counted in Redis by all nodes together, or by this node alone while Redis is unavailable.

import type {
	LocalRateLimiter,
	RateLimiter,
	RateLimits,
	RateNumbers,
	RateVerdict,
	RouteLimiter,
	RouteVerdict,
} from "../../http/run/rate-limit.ts";
import { createRateLimiter, eachLimit, NO_LIMIT } from "../../http/run/rate-limit.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Log } from "../../kernel/log.ts";
import { parseRedisUrl } from "./redis-address.ts";
import type { RedisPatience } from "./redis-link.ts";
import { RedisLinks } from "./redis-links.ts";
import { NUMBERS_A_KEY } from "./take-script.ts";

const WINDOW_MS = 60_000;
const US_A_SECOND = 1_000_000;

export interface SharedRateLimitsOptions extends RateNumbers {
	readonly url: string;
	/** Shared by all nodes of an installation, unique to it. */
	readonly installation: string;
	readonly monotonicMs: Clock;
	/** Default: 100 ms per response; unreachable after 250 ms of silence. */
	readonly patience?: RedisPatience;
	readonly log: Log;
}

/** One limit: its name in keys, and the count of this node. */
interface Limit {
	readonly name: string;
	readonly perMinute: number;
	readonly local: LocalRateLimiter;
}

/** The decision of one limit. `atUs` is undefined when Redis did not record the request. */
interface Decision {
	readonly verdict: RateVerdict;
	readonly atUs: number | undefined;
}

/**
 * Counts every request in this process first, then in Redis in one round trip of at most 100 ms. A node therefore never
 * admits more than the limit, even without Redis, and a request that it refuses itself costs no round trip.
 */
export class SharedRateLimits implements RateLimits {
	readonly service: RateLimiter | undefined;
	readonly clients: RateLimiter | undefined;
	readonly directories: RateLimiter | undefined;
	readonly gates: RateLimiter | undefined;
	readonly gateRefusals: RateLimiter | undefined;
	readonly gateKeys: RateLimiter | undefined;
	readonly testCalls: RateLimiter | undefined;
	readonly provisional: RouteLimiter;
	readonly #links: RedisLinks;
	readonly #monotonicMs: Clock;
	readonly #serviceLimit: Limit | undefined;
	#countedLocally = 0;

	constructor(options: SharedRateLimitsOptions) {
		const { monotonicMs, patience, log } = options;
		const prefix = `latchkey:${options.installation}:`;
		const target = parseRedisUrl(options.url);
		this.#links = new RedisLinks({ target, prefix, windowMs: WINDOW_MS, patience, log });
		this.#monotonicMs = monotonicMs;
		const limits = eachLimit(options, (name, limit) => this.#limit(name, limit));
		this.#serviceLimit = limits.service;
		this.service = this.#limiterOf(limits.service);
		this.clients = this.#limiterOf(limits.clients);
		this.directories = this.#limiterOf(limits.directories);
		this.gates = this.#limiterOf(limits.gates);
		this.gateRefusals = this.#limiterOf(limits.gateRefusals);
		this.gateKeys = this.#limiterOf(limits.gateKeys);
		this.testCalls = this.#limiterOf(limits.testCalls);
		this.provisional = {
			take: (key) => this.#takeAll(key, this.#serviceLimit === undefined ? [] : [this.#serviceLimit]),
		};
	}

	/** Whether this node currently counts alone. */
	get isLocal(): boolean {
		return !this.#links.isThere;
	}

	/** Requests decided without Redis. */
	get countedLocally(): number {
		return this.#countedLocally;
	}

	ofRoute(route: string, perMinute: number): RouteLimiter {
		const own = this.#limit(route, perMinute);
		const limits = this.#serviceLimit === undefined ? [own] : [this.#serviceLimit, own];
		return { take: (key) => this.#takeAll(key, limits) };
	}

	/** Resolves within three seconds, whether or not Redis is available. Never rejects. */
	open(): Promise<void> {
		return this.#links.open();
	}

	close(): void {
		this.#links.close();
	}

	#limit(name: string, perMinute: number): Limit {
		return { name, perMinute, local: createRateLimiter(perMinute, this.#monotonicMs) };
	}

	#limiterOf(limit: Limit | undefined): RateLimiter | undefined {
		return limit && { take: (key) => this.#takeOne(key, limit) };
	}

	#takeOne(key: string, limit: Limit): RateVerdict | Promise<RateVerdict> {
		const local = limit.local.take(key);
		if (!local.allowed) return local;
		if (!this.#links.isThereFor(key)) {
			this.#countedLocally += 1;
			return local;
		}
		return this.#decide(key, [limit], [local]).then(([decision]) => decision?.verdict ?? local);
	}

	/**
	 * Only the slot in the last limit can be given back. It is taken before the guard decides, so that one round trip
	 * suffices.
	 */
	async #takeAll(key: string, requested: readonly Limit[]): Promise<RouteVerdict> {
		const own = requested.at(-1);
		if (own === undefined) return { service: undefined, admitted: () => NO_LIMIT, giveBack: () => undefined };
		const limits: Limit[] = [];
		const locals: RateVerdict[] = [];
		for (const limit of requested) {
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
				if (decision.atUs !== undefined) this.#links.giveBack(logKey(key, own), decision.atUs);
			},
		};
	}

	/** Decides up to the first limit that refuses. Limits that this node refuses are not sent to Redis. */
	async #decide(key: string, limits: readonly Limit[], locals: readonly RateVerdict[]): Promise<Decision[]> {
		const open = limits.filter((_, index) => locals[index]?.allowed === true);
		const numbers =
			open.length === 0
				? undefined
				: await this.#links.take(
						open.map((limit) => logKey(key, limit)),
						open.map(({ perMinute }) => perMinute),
					);
		if (numbers === undefined && open.length > 0) this.#countedLocally += 1;
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

/** The braces keep all logs of a request in one slot of a cluster. */
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
