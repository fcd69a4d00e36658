// Limits the requests to gates: by gate, refusals without a proof by IP address, wrong proofs by their credential, too, and
// wrong keys by IP address.

import { tokenDigest } from "../../../crypto/digest.ts";
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

const BLOCKED_KEYS = 10_000;

/**
 * Counts refusals by a key. Once a key has reached the limit, its refusals are counted no more, without asking the limiter,
 * which may be shared, for the time that the limiter named.
 */
export class RefusalLimit {
	readonly #limiter: Limiter | undefined;
	readonly #monotonicMs: () => number;
	readonly #blocked = new RecentMap<{ readonly untilMs: number; readonly limit: number }>(BLOCKED_KEYS);

	constructor(limiter: Limiter | undefined, monotonicMs: () => number) {
		this.#limiter = limiter;
		this.#monotonicMs = monotonicMs;
	}

	/** No key has reached the limit since the start, so that `check` would find none. */
	get isQuiet(): boolean {
		return this.#blocked.size === 0;
	}

	/** @throws AppError `request.too_many` */
	check(key: string): void {
		const error = this.#find(key);
		if (error !== undefined) throw error;
	}

	/** @returns the error that replaces a refusal above the limit. */
	async count(key: string): Promise<AppError | undefined> {
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

/** Wrong keys of gates: over all gates, because the sender chooses the gate. */
export function senderKey(ip: string): string {
	return rateLimitKey(ip);
}

/** Requests without a proof. By gate: a middleware names any address, and must not block it at the gates of other tenants. */
export function visitorKey(applicationId: string, ip: string): string {
	return `${applicationId} ${rateLimitKey(ip)}`;
}

/** Browsers that sign in or out. */
export function signInKey(applicationId: string, ip: string): string {
	return `${applicationId} browser ${rateLimitKey(ip)}`;
}

/** Wrong proofs. By credential: those of a page whose session has ended must not block others behind the same address. */
export function credentialKey(applicationId: string, ip: string, credential: string): string {
	return `${applicationId} ${rateLimitKey(ip)} ${tokenDigest(credential)}`;
}

/** @throws AppError `request.too_many` */
export async function countForGate(limiter: Limiter | undefined, applicationId: string): Promise<void> {
	const verdict = await limiter?.take(applicationId);
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
