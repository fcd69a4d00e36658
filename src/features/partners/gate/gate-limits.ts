// Limits the requests to gates: by gate, the refused ones by IP address, and wrong keys by IP address.

import { type AppError, tooMany } from "../../../kernel/error.ts";
import { rateLimitKey } from "../../../kernel/ip.ts";
import { RecentMap } from "../../../kernel/recent-map.ts";

interface Verdict {
	readonly allowed: boolean;
	readonly remaining: number;
	readonly limit: number;
	readonly resetSeconds: number;
}

/** Counts a key, and returns whether it is within the limit. */
export interface Limiter {
	take(key: string): Verdict | Promise<Verdict>;
}

/** Undefined: no limit. */
export interface GateLimiters {
	readonly gates: Limiter | undefined;
	readonly gateRefusals: Limiter | undefined;
	readonly gateKeys: Limiter | undefined;
}

const BLOCKED_ADDRESSES = 10_000;

/**
 * Counts refusals of an IP address at a gate, because one gate must not block an address at those of other tenants.
 * Once it has reached the limit, its requests are refused without a decision, and without asking the limiter, which may
 * be shared, for the time that the limiter named.
 */
export class RefusalLimit {
	readonly #limiter: Limiter | undefined;
	readonly #monotonicMs: () => number;
	readonly #blocked = new RecentMap<{ readonly untilMs: number; readonly limit: number }>(BLOCKED_ADDRESSES);

	constructor(limiter: Limiter | undefined, monotonicMs: () => number) {
		this.#limiter = limiter;
		this.#monotonicMs = monotonicMs;
	}

	/** @throws AppError `request.too_many` */
	check(applicationId: string | undefined, ip: string): void {
		const error = this.#find(keyOf(applicationId, ip));
		if (error !== undefined) throw error;
	}

	/**
	 * @param applicationId undefined: at all gates
	 * @returns the error that replaces a refusal above the limit.
	 */
	async count(applicationId: string | undefined, ip: string): Promise<AppError | undefined> {
		const key = keyOf(applicationId, ip);
		const blocked = this.#find(key);
		if (blocked !== undefined) return blocked;
		const verdict = await this.#limiter?.take(key);
		if (verdict === undefined || verdict.remaining > 0) return undefined;
		const { allowed, limit, resetSeconds } = verdict;
		this.#blocked.set(key, { untilMs: this.#monotonicMs() + resetSeconds * 1_000, limit });
		return allowed ? undefined : exceeded(limit, resetSeconds);
	}

	#find(key: string): AppError | undefined {
		const blocked = this.#blocked.find(key);
		const leftMs = blocked === undefined ? 0 : blocked.untilMs - this.#monotonicMs();
		return blocked !== undefined && leftMs > 0
			? exceeded(blocked.limit, Math.ceil(leftMs / 1_000))
			: undefined;
	}
}

function keyOf(applicationId: string | undefined, ip: string): string {
	return applicationId === undefined ? rateLimitKey(ip) : `${applicationId} ${rateLimitKey(ip)}`;
}

/** @throws AppError `request.too_many` */
export async function countForGate(limiter: Limiter | undefined, applicationId: string): Promise<void> {
	const pending = limiter?.take(applicationId);
	const verdict = pending instanceof Promise ? await pending : pending;
	if (verdict?.allowed === false)
		throw tooMany("request.too_many", `too many requests to this gate: at most ${verdict.limit} a minute`, {
			limit: verdict.limit,
			seconds: verdict.resetSeconds,
		});
}

function exceeded(limit: number, seconds: number): AppError {
	return tooMany("request.too_many", `too many refused requests: at most ${limit} a minute`, {
		limit,
		seconds,
	});
}
