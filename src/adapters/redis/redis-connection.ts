// One connection to Redis that counts requests: without retries or queues, every wait bounded.

import { isIP } from "node:net";
import { Redis, type Result } from "ioredis";
import type { RedisAddress } from "./redis-address.ts";
import { TAKE_SCRIPT } from "./take-script.ts";

declare module "ioredis" {
	interface RedisCommander<Context> {
		/** Added by `defineCommand`. */
		take(keyCount: number, ...keysAndArguments: (string | number)[]): Result<number[], Context>;
	}
}

const CONNECT_TIMEOUT_MS = 2_000;
/** How long closing waits for the server before the socket is destroyed. */
const GOODBYE_MS = 500;

export interface RedisConnection {
	/** One round trip (two after `SCRIPT FLUSH`). @throws Error when Redis refuses or the connection is lost. */
	take(keys: readonly string[], windowUs: number, limits: readonly number[]): Promise<number[]>;
	/** Removes the newest entry with this time from a log. Does not wait, and ignores failures. */
	giveBack(key: string, atUs: number): void;
	/** The server's clock. */
	timeMs(): Promise<number>;
	/** Name and version of the server: `Redis 7.0.15`, `Valkey 8.1.0`. */
	serverName(): Promise<string>;
	/** Calls back once, when the connection is lost or closed. */
	onEnd(listener: () => void): void;
	close(): void;
}

/** Without retries or queues; not connected yet. `reasonOf` prefers the first error of the connection, which has the cause. */
export function openClient({ host, port, isTls }: RedisAddress) {
	const redis = new Redis({
		host,
		port,
		// SNI allows only names; an IP address is still checked against the certificate.
		...(isTls && { tls: isIP(host) === 0 ? { servername: host } : {} }),
		protocol: 2,
		lazyConnect: true,
		// Longer than CONNECT_TIMEOUT_MS, which covers the whole handshake and reports the cause.
		connectTimeout: 2 * CONNECT_TIMEOUT_MS,
		disconnectTimeout: GOODBYE_MS,
		retryStrategy: null,
		enableOfflineQueue: false,
		enableReadyCheck: false,
		autoResendUnfulfilledCommands: false,
		maxRetriesPerRequest: 0,
		disableClientInfo: true,
	});
	let reason: string | undefined;
	// Without a listener, ioredis prints errors.
	redis.on("error", (error: Error) => {
		reason ??= describe(error);
	});
	return { redis, reasonOf: (error: unknown): string => reason ?? describe(error) };
}

/** @throws Error within two seconds; the message gives the reason and contains no password. */
export async function connectRedis(address: RedisAddress): Promise<RedisConnection> {
	const { redis, reasonOf } = openClient(address);
	redis.defineCommand("take", { lua: TAKE_SCRIPT });
	try {
		await within(CONNECT_TIMEOUT_MS, shakeHands(redis, address));
	} catch (error) {
		redis.disconnect();
		throw new Error(reasonOf(error));
	}
	return {
		take: (keys, windowUs, limits) => redis.take(keys.length, ...keys, windowUs, ...limits),
		giveBack: (key, atUs) => void redis.lrem(key, -1, atUs).catch(() => undefined),
		async timeMs() {
			const [seconds, microseconds] = await redis.time();
			return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
		},
		async serverName() {
			const info = await redis.info("server");
			const valkey = /^valkey_version:(\S+)/m.exec(info)?.[1];
			return valkey === undefined
				? `Redis ${/^redis_version:(\S+)/m.exec(info)?.[1] ?? ""}`
				: `Valkey ${valkey}`;
		},
		onEnd: (listener) => void redis.once("end", listener),
		close: () => redis.disconnect(),
	};
}

/**
 * Connects, authenticates and selects the database, and checks each reply. ioredis itself ignores a refused database
 * and uses database 0, and prints a warning for an unneeded password.
 */
async function shakeHands(redis: Redis, address: RedisAddress): Promise<void> {
	await redis.connect();
	await authenticate(redis, address);
	// The name is for operators; a user without this permission can still count.
	await redis.client("SETNAME", "latchkey").catch(() => undefined);
	if (address.db !== 0) await redis.select(address.db);
}

/** Sends nothing without a password. */
export async function authenticate(redis: Redis, { username, password }: RedisAddress): Promise<void> {
	if (password === undefined) return;
	await (username === undefined ? redis.auth(password) : redis.auth(username, password));
}

/** Only the message of an error: ioredis keeps the command, including the password, in its other fields. */
export function describe(error: unknown): string {
	if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
	return error instanceof Error && error.message !== "" ? error.message.slice(0, 200) : "no reason given";
}

export class TooLate extends Error {}

/**
 * @throws TooLate when `work` takes longer. Replies received in time are processed first, even when the timer fires
 * late.
 */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(
			() => setImmediate(() => reject(new TooLate(`no response within ${milliseconds} ms`))),
			milliseconds,
		);
	});
	try {
		return await Promise.race([work, late]);
	} finally {
		clearTimeout(timer);
	}
}
