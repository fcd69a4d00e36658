// The link to Redis: there, or away. Away it costs nobody a wait; it comes back by itself, and each change is one line of the log.

import type { Log } from "../../kernel/log.ts";
import type { RedisAddress } from "./redis-address.ts";
import { connectRedis, describe, type RedisConnection, TooLate, within } from "./redis-connection.ts";

/** No request waits longer than this for Redis. */
export const ANSWER_TIMEOUT_MS = 100;
/** Silent for so long while it was asked, Redis is taken to be away; a shorter pause is nothing to talk about. */
const SILENCE_MS = 250;
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

/** A connection, and how long it has been silent. */
interface Line {
	readonly connection: RedisConnection;
	/** Questions without an answer, those nobody waits for any more included. */
	unanswered: number;
	/** When the last answer came, or the first question after it was asked. */
	heardAtMs: number;
}

/** Asked while Redis is away, or when it does not answer in time, it says so at once: `undefined`, never a rejection. */
export class RedisLink {
	readonly #options: RedisLinkOptions;
	#line: Line | undefined;
	#timer: NodeJS.Timeout | undefined;
	#failures = 0;
	#isClosed = false;
	#isToldAway = false;

	constructor(options: RedisLinkOptions) {
		this.#options = options;
	}

	get isThere(): boolean {
		return this.#line !== undefined;
	}

	/** Resolves when Redis is there, or turned out to be away: within three seconds, and without an error. */
	open(): Promise<void> {
		return this.#connect();
	}

	async take(keys: readonly string[], limits: readonly number[]): Promise<number[] | undefined> {
		const line = this.#line;
		if (line === undefined) return undefined;
		try {
			return await this.#ask(line, keys, limits);
		} catch (error) {
			const isLate = error instanceof TooLate;
			if (!isLate || performance.now() - line.heardAtMs >= SILENCE_MS) this.#lose(line, describe(error));
			return undefined;
		}
	}

	giveBack(key: string, atUs: number): void {
		this.#line?.connection.giveBack(this.#options.prefix + key, atUs);
	}

	close(): void {
		this.#isClosed = true;
		clearTimeout(this.#timer);
		this.#line?.connection.close();
		this.#line = undefined;
	}

	#ask(line: Line, keys: readonly string[], limits: readonly number[]): Promise<number[]> {
		const { prefix, windowMs } = this.#options;
		const named = keys.map((key) => prefix + key);
		if (line.unanswered === 0) line.heardAtMs = performance.now();
		line.unanswered += 1;
		const heard = (): void => {
			line.unanswered -= 1;
			line.heardAtMs = performance.now();
		};
		const answer = line.connection.take(named, windowMs * MICROSECONDS, limits);
		answer.then(heard, heard);
		return within(ANSWER_TIMEOUT_MS, answer);
	}

	async #connect(): Promise<void> {
		let connection: RedisConnection | undefined;
		try {
			connection = await connectRedis(this.#options.address);
			const line = { connection, unanswered: 0, heardAtMs: 0 };
			// A read-only replica, a full or a loading server and a missing password show in a write only.
			await this.#ask(line, ["probe"], [1_000_000]);
			if (this.#isClosed) return connection.close();
			connection.onEnd(() => this.#lose(line, "the connection was closed"));
			this.#line = line;
			this.#failures = 0;
			if (this.#isToldAway)
				this.#options.log.info({}, "Redis is back: all nodes count requests together again");
			this.#isToldAway = false;
		} catch (error) {
			connection?.close();
			this.#retry(describe(error));
		}
	}

	#lose(line: Line, reason: string): void {
		if (this.#line !== line) return;
		this.#line = undefined;
		line.connection.close();
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
