// The links to the primaries of all slots. Follows a failover and moved slots, and logs when any slot is unavailable.

import type { Log } from "../../kernel/log.ts";
import type { RedisAddress, RedisTarget } from "./redis-address.ts";
import { describe } from "./redis-connection.ts";
import { RedisLink, type RedisPatience } from "./redis-link.ts";
import { findShards, keyIn, type Shard, SLOTS, slotOf } from "./redis-shards.ts";

/** Interval between questions to Sentinels or the cluster: while all primaries are available, and otherwise. */
const LOOK_MS = { calm: 2_000, away: 500 };

export interface RedisLinksOptions {
	readonly target: RedisTarget;
	/** The prefix of every key: the product and the installation. */
	readonly prefix: string;
	readonly windowMs: number;
	readonly patience?: RedisPatience | undefined;
	readonly log: Log;
}

/** `take` resolves to undefined while the server of the keys is unreachable or silent; it never rejects. */
export class RedisLinks {
	readonly #options: RedisLinksOptions;
	/** By address. */
	readonly #links = new Map<string, RedisLink>();
	#shards: readonly Shard[] = [];
	#linkOfSlot: (RedisLink | undefined)[] = [];
	#look: Promise<void> | undefined;
	#timer: NodeJS.Timeout | undefined;
	#lookedAtMs = 0;
	#isLookDue = false;
	#isComplete = false;
	#isClosed = false;
	#isAwayLogged = false;

	constructor(options: RedisLinksOptions) {
		this.#options = options;
	}

	/** Whether every slot has an available server. */
	get isThere(): boolean {
		return this.#isComplete && [...this.#links.values()].every(({ isThere }) => isThere);
	}

	/** Whether the keys of `logKey` with this part in braces have an available server. */
	isThereFor(tag: string): boolean {
		return this.#linkOf(`{${tag}}`)?.isThere === true;
	}

	/** Resolves within three seconds, whether or not Redis is available. Never rejects. */
	open(): Promise<void> {
		return this.#lookNow();
	}

	/** All keys have the same slot: the same part in braces. */
	async take(keys: readonly string[], limits: readonly number[]): Promise<number[] | undefined> {
		const named = keys.map((key) => this.#options.prefix + key);
		return this.#linkOf(named[0] ?? "")?.take(named, limits);
	}

	giveBack(key: string, atUs: number): void {
		const named = this.#options.prefix + key;
		this.#linkOf(named)?.giveBack(named, atUs);
	}

	close(): void {
		this.#isClosed = true;
		clearTimeout(this.#timer);
		for (const link of this.#links.values()) link.close();
	}

	#linkOf(key: string): RedisLink | undefined {
		return this.#linkOfSlot[this.#links.size === 1 && this.#shards.length === 1 ? 0 : slotOf(key)];
	}

	/** Joins a look that is in progress. */
	#lookNow(): Promise<void> {
		clearTimeout(this.#timer);
		this.#isLookDue = false;
		this.#look ??= this.#findAndFollow().finally(() => {
			this.#look = undefined;
			this.#lookedAtMs = performance.now();
			if (this.#isClosed || this.#options.target.kind === "server") return;
			this.#timer = setTimeout(() => void this.#lookNow(), this.isThere ? LOOK_MS.calm : LOOK_MS.away);
		});
		return this.#look;
	}

	/** At once, unless the last look was a moment ago: moving slots refuses many requests. */
	#lookSoon(): void {
		if (this.#look !== undefined || this.#isLookDue || this.#options.target.kind === "server") return;
		this.#isLookDue = true;
		clearTimeout(this.#timer);
		const waitMs = Math.max(0, this.#lookedAtMs + LOOK_MS.away - performance.now());
		this.#timer = setTimeout(() => void this.#lookNow(), waitMs);
	}

	async #findAndFollow(): Promise<void> {
		try {
			const known = this.#shards.map(({ address }) => address);
			const shards = await findShards(this.#options.target, known);
			if (!this.#isClosed) await this.#follow(shards);
		} catch (error) {
			// Existing links need no Sentinel.
			if (!this.isThere) this.#logAway(this.#options.target.shown, describe(error));
		}
	}

	/** Opens the links of new primaries, and closes those of servers that no longer have slots. */
	async #follow(shards: readonly Shard[]): Promise<void> {
		this.#shards = shards;
		const opening: Promise<void>[] = [];
		const linkOfSlot: (RedisLink | undefined)[] = Array(SLOTS).fill(undefined);
		for (const shard of shards) {
			const { shown } = shard.address;
			let link = this.#links.get(shown);
			if (link === undefined) {
				link = this.#linkTo(shard);
				this.#links.set(shown, link);
				opening.push(link.open());
			}
			link.probeKey = keyIn(shard, this.#options.prefix);
			for (const [from, to] of shard.ranges) linkOfSlot.fill(link, from, to + 1);
		}
		this.#linkOfSlot = linkOfSlot;
		this.#isComplete = !linkOfSlot.includes(undefined);
		const current = new Set(shards.map(({ address }) => address.shown));
		for (const [shown, link] of this.#links) {
			if (current.has(shown)) continue;
			link.close();
			this.#links.delete(shown);
		}
		await Promise.all(opening);
		this.#logThere();
	}

	#linkTo(shard: Shard): RedisLink {
		const { prefix, windowMs, patience } = this.#options;
		return new RedisLink({
			address: shard.address,
			probeKey: keyIn(shard, prefix),
			windowMs,
			patience,
			onThere: () => this.#logThere(),
			onAway: ({ shown }: RedisAddress, reason) => {
				this.#logAway(shown, reason);
				this.#lookSoon();
			},
			onMoved: () => this.#lookSoon(),
		});
	}

	#logAway(redis: string, error: string): void {
		if (!this.#isAwayLogged)
			this.#options.log.warn({ redis, error }, "Redis is unavailable: this node counts requests by itself");
		this.#isAwayLogged = true;
	}

	#logThere(): void {
		if (!this.#isAwayLogged || !this.isThere) return;
		this.#isAwayLogged = false;
		this.#options.log.info({}, "Redis is available again: all nodes count requests together");
	}
}
