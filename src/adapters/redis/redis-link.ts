// The link to Redis: there, or away. Away it costs nobody a wait; it comes back by itself, and each change is one line of the log.

import type { Log } from "../../kernel/log.ts";
import type { RedisAddress } from "./redis-address.ts";
import { connectRedis, describe, type RedisConnection, within } from "./redis-connection.ts";

/** No request waits longer than this for Redis. */
export const ANSWER_TIMEOUT_MS = 100;
/** Between two attempts to come back: doubled from the first to the longest. */
const RETRY_MS = { first: 250, longest: 2_000 };
const MICROSECONDS = 1_000;

export interface RedisLinkOptions {
	readonly address: RedisAddress;
	/** Before every key: what is ours, and of this installation. */
	readonly prefix: string;
	readonly windowMs: number;
	readonly log: Log;
}

/** Asked while Redis is away, or when it does not answer in time, it says so at once: `undefined`, never a rejection. */
export class RedisLink {
	readonly #options: RedisLinkOptions;
	#connection: RedisConnection | undefined;
	#timer: NodeJS.Timeout | undefined;
	#failures = 0;
	#isClosed = false;
	#isToldAway = false;

	constructor(options: RedisLinkOptions) {
		this.#options = options;
	}

	get isThere(): boolean {
		return this.#connection !== undefined;
	}

	/** Resolves when Redis is there, or turned out to be away: within three seconds, and without an error. */
	open(): Promise<void> {
		return this.#connect();
	}

	async take(keys: readonly string[], limits: readonly number[]): Promise<number[] | undefined> {
		const connection = this.#connection;
		if (connection === undefined) return undefined;
		try {
			return await this.#ask(connection, keys, limits);
		} catch (error) {
			this.#lose(connection, describe(error));
			return undefined;
		}
	}

	giveBack(key: string, atUs: number): void {
		this.#connection?.giveBack(this.#options.prefix + key, atUs);
	}

	close(): void {
		this.#isClosed = true;
		clearTimeout(this.#timer);
		this.#connection?.close();
		this.#connection = undefined;
	}

	#ask(connection: RedisConnection, keys: readonly string[], limits: readonly number[]): Promise<number[]> {
		const { prefix, windowMs } = this.#options;
		const named = keys.map((key) => prefix + key);
		return within(ANSWER_TIMEOUT_MS, connection.take(named, windowMs * MICROSECONDS, limits));
	}

	async #connect(): Promise<void> {
		let connection: RedisConnection | undefined;
		try {
			const opened = await connectRedis(this.#options.address);
			connection = opened;
			// A read-only replica, a full or a loading server and a missing password show in a write only.
			await this.#ask(opened, ["probe"], [1_000_000]);
			if (this.#isClosed) return opened.close();
			opened.onEnd(() => this.#lose(opened, "the connection was closed"));
			this.#connection = opened;
			this.#failures = 0;
			if (this.#isToldAway)
				this.#options.log.info({}, "Redis is back: all nodes count requests together again");
			this.#isToldAway = false;
		} catch (error) {
			connection?.close();
			this.#retry(describe(error));
		}
	}

	#lose(connection: RedisConnection, reason: string): void {
		if (this.#connection !== connection) return;
		this.#connection = undefined;
		connection.close();
		this.#retry(reason);
	}

	#retry(reason: string): void {
		if (this.#isClosed) return;
		const { log, address } = this.#options;
		if (!this.#isToldAway)
			log.warn({ redis: address.shown, reason }, "Redis is away: this node counts requests for itself");
		this.#isToldAway = true;
		const waitMs = Math.min(RETRY_MS.first * 2 ** this.#failures, RETRY_MS.longest);
		this.#failures = Math.min(this.#failures + 1, 10);
		this.#timer = setTimeout(() => void this.#connect(), waitMs);
	}
}
