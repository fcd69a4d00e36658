// The link to one server. While it is unavailable, no request waits for it, and the link reconnects.

import type { RedisAddress } from "./redis-address.ts";
import { connectRedis, describe, type RedisConnection, TooLate, within } from "./redis-connection.ts";

export interface RedisPatience {
	/** The longest a request waits for Redis. */
	readonly responseMs: number;
	/** Redis counts as unavailable after this time without a reply to pending commands; shorter pauses are ignored. */
	readonly silenceMs: number;
}

const PATIENCE: RedisPatience = { responseMs: 100, silenceMs: 250 };
/** Delays between reconnection attempts: doubled from the first to the longest. */
const RETRY_MS = { first: 250, longest: 2_000 };
const MICROSECONDS = 1_000;

export interface RedisLinkOptions {
	readonly address: RedisAddress;
	/** A key of this server, for the write that checks it. */
	readonly probeKey: string;
	readonly windowMs: number;
	/** Default: 100 ms per response; unreachable after 250 ms of silence. */
	readonly patience?: RedisPatience | undefined;
	/** Called after each successful connection. */
	onThere(): void;
	/** Called after each failed attempt and lost connection. */
	onAway(address: RedisAddress, reason: string): void;
	/** Called when the server refuses keys because another one has them. */
	onMoved(): void;
}

/** The server of a cluster has, or is about to have, other slots. */
const MOVED = /^(?:MOVED|ASK|TRYAGAIN) /;

/** A connection, and since when it has been silent. */
interface Line {
	readonly connection: RedisConnection;
	/** Commands without a reply, including those that no request waits for any longer. */
	unanswered: number;
	/** Time of the last reply, or of the first command after it. */
	heardAtMs: number;
}

/** `take` resolves to undefined while Redis is unreachable or does not respond in time; it never rejects. */
export class RedisLink {
	readonly #options: RedisLinkOptions;
	readonly #patience: RedisPatience;
	/** Changes with the slots of the server. */
	probeKey: string;
	#line: Line | undefined;
	#timer: NodeJS.Timeout | undefined;
	#failures = 0;
	#isClosed = false;

	constructor(options: RedisLinkOptions) {
		this.#options = options;
		this.probeKey = options.probeKey;
		this.#patience = options.patience ?? PATIENCE;
	}

	get isThere(): boolean {
		return this.#line !== undefined;
	}

	/** Resolves within three seconds, whether or not the server is available. Never rejects. */
	open(): Promise<void> {
		return this.#connect();
	}

	async take(keys: readonly string[], limits: readonly number[]): Promise<number[] | undefined> {
		const line = this.#line;
		if (line === undefined) return undefined;
		try {
			return await this.#send(line, keys, limits);
		} catch (error) {
			const isLate = error instanceof TooLate;
			if (MOVED.test(describe(error))) this.#options.onMoved();
			else if (!isLate || performance.now() - line.heardAtMs >= this.#patience.silenceMs)
				this.#lose(line, describe(error));
			return undefined;
		}
	}

	giveBack(key: string, atUs: number): void {
		this.#line?.connection.giveBack(key, atUs);
	}

	close(): void {
		this.#isClosed = true;
		clearTimeout(this.#timer);
		this.#line?.connection.close();
		this.#line = undefined;
	}

	#send(line: Line, keys: readonly string[], limits: readonly number[]): Promise<number[]> {
		if (line.unanswered === 0) line.heardAtMs = performance.now();
		line.unanswered += 1;
		const heard = (): void => {
			line.unanswered -= 1;
			line.heardAtMs = performance.now();
		};
		const response = line.connection.take(keys, this.#options.windowMs * MICROSECONDS, limits);
		response.then(heard, heard);
		return within(this.#patience.responseMs, response);
	}

	async #connect(): Promise<void> {
		let connection: RedisConnection | undefined;
		try {
			connection = await connectRedis(this.#options.address);
			const line = { connection, unanswered: 0, heardAtMs: 0 };
			// Only a write detects a read-only replica, a full or loading server, and a missing password.
			await this.#send(line, [this.probeKey], [1_000_000]);
			if (this.#isClosed) return connection.close();
			connection.onEnd(() => this.#lose(line, "the connection was closed"));
			this.#line = line;
			this.#failures = 0;
			this.#options.onThere();
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
		this.#options.onAway(this.#options.address, reason);
		const waitMs = Math.min(RETRY_MS.first * 2 ** this.#failures, RETRY_MS.longest);
		this.#failures = Math.min(this.#failures + 1, 10);
		this.#timer = setTimeout(() => void this.#connect(), waitMs);
	}
}
