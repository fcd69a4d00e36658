// One connection to Redis that can count requests; no second try and no queue, every wait bounded.

import { isIP } from "node:net";
import { Redis } from "ioredis";
import type { RedisAddress } from "./redis-address.ts";
import { TAKE_SCRIPT } from "./take-script.ts";

/** With `defineCommand` a method is added that the types cannot know. */
type ScriptedRedis = Redis & {
	take(keyCount: number, ...keysAndArguments: (string | number)[]): Promise<number[]>;
};

const CONNECT_TIMEOUT_MS = 2_000;
/** A connection given up is closed politely; a server that does not answer that is left after this. */
const GOODBYE_MS = 500;

export interface RedisConnection {
	/** One round trip (two after `SCRIPT FLUSH`). @throws Error when Redis refuses or the connection is lost. */
	take(keys: readonly string[], windowUs: number, limits: readonly number[]): Promise<number[]>;
	/** Removes the newest entry of a log that has this moment; nobody waits for it, and nobody learns when it fails. */
	giveBack(key: string, atUs: number): void;
	/** As the server names itself: `Redis 7.0.15`, `Valkey 8.1.0`. */
	serverName(): Promise<string>;
	/** Calls back once, when the connection is lost or closed. */
	onEnd(listener: () => void): void;
	close(): void;
}

/** @throws Error that says why and holds no password, within two seconds. */
export async function connectRedis(address: RedisAddress): Promise<RedisConnection> {
	const { host, port, isTls } = address;
	const redis = new Redis({
		host,
		port,
		// An address is checked against the certificate too, but cannot be asked for by name.
		...(isTls && { tls: isIP(host) === 0 ? { servername: host } : {} }),
		protocol: 2,
		lazyConnect: true,
		// Behind our own bound, which holds for the whole greeting and says what it was.
		connectTimeout: 2 * CONNECT_TIMEOUT_MS,
		disconnectTimeout: GOODBYE_MS,
		retryStrategy: null,
		enableOfflineQueue: false,
		enableReadyCheck: false,
		autoResendUnfulfilledCommands: false,
		maxRetriesPerRequest: 0,
		disableClientInfo: true,
	}) as ScriptedRedis;
	// Without a listener ioredis prints errors.
	let reason: string | undefined;
	redis.on("error", (error: Error) => {
		reason ??= describe(error);
	});
	redis.defineCommand("take", { lua: TAKE_SCRIPT });
	try {
		await within(CONNECT_TIMEOUT_MS, greet(redis, address));
	} catch (error) {
		redis.disconnect();
		throw new Error(reason ?? describe(error));
	}
	return {
		take: (keys, windowUs, limits) => redis.take(keys.length, ...keys, windowUs, ...limits),
		giveBack: (key, atUs) => void redis.lrem(key, -1, atUs).catch(() => undefined),
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
 * Connects, says who we are and chooses the database, each with its answer: left to ioredis, a database that is refused goes
 * unnoticed and database 0 is used, and a password that nobody asked for is told past the log.
 */
async function greet(redis: Redis, { username, password, db }: RedisAddress): Promise<void> {
	await redis.connect();
	if (password !== undefined)
		await (username === undefined ? redis.auth(password) : redis.auth(username, password));
	// Only for people who look: a user who may not do this counts all the same.
	await redis.client("SETNAME", "latchkey").catch(() => undefined);
	if (db !== 0) await redis.select(db);
}

/** The words of an error; ioredis keeps the command, and with it the password, elsewhere in it. */
export function describe(error: unknown): string {
	if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
	return error instanceof Error && error.message !== "" ? error.message.slice(0, 200) : "no reason given";
}

export class TooLate extends Error {}

/** @throws TooLate when `work` takes longer. What has come in by then is read first: a late timer is no late answer. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(
			() => setImmediate(() => reject(new TooLate(`no answer within ${milliseconds} ms`))),
			milliseconds,
		);
	});
	try {
		return await Promise.race([work, late]);
	} finally {
		clearTimeout(timer);
	}
}
