// Checks Redis for `latchkey doctor`: connects, counts once, and reads its clock.

import type { Clock } from "../../kernel/clock.ts";
import { parseRedisUrl, type RedisTarget } from "./redis-address.ts";
import { connectRedis, describe, type RedisConnection, within } from "./redis-connection.ts";
import { findShards, keyIn, type Shard } from "./redis-shards.ts";

export interface RedisFacts {
	/** Host, port, and database, without the password. */
	readonly shown: string;
	/** `""` if unknown. */
	readonly serverName: string;
	/** Duration of one count. */
	readonly milliseconds: number;
	/** The server's time, and the times of this machine before and after it was read; undefined if unknown. */
	readonly time: { readonly beforeMs: number; readonly atMs: number; readonly afterMs: number } | undefined;
	/** Why it cannot count requests; undefined if it can. */
	readonly problem: string | undefined;
}

const ANSWER_TIMEOUT_MS = 2_000;

/** Never rejects; takes a few seconds at most. Counts on every primary. */
export async function inspectRedis(url: string, clock: Clock): Promise<RedisFacts> {
	const target = parseRedisUrl(url);
	let shards: readonly Shard[];
	try {
		shards = await findShards(target);
	} catch (error) {
		return unusable(target.shown, error);
	}
	const facts = await Promise.all(shards.map((shard) => inspectServer(shard, clock)));
	const worst = facts.reduce((one, other) =>
		one.problem !== undefined || (other.problem === undefined && other.milliseconds <= one.milliseconds)
			? one
			: other,
	);
	return worst.problem === undefined ? { ...worst, serverName: nameOf(target, worst, shards.length) } : worst;
}

function nameOf({ kind }: RedisTarget, { serverName, shown }: RedisFacts, count: number): string {
	if (kind === "server") return serverName;
	return kind === "sentinel"
		? `${serverName} (primary ${shown})`
		: `${serverName} (cluster, ${count} primaries)`;
}

async function inspectServer(shard: Shard, clock: Clock): Promise<RedisFacts> {
	const { address } = shard;
	let connection: RedisConnection | undefined;
	try {
		connection = await connectRedis(address);
		const began = performance.now();
		// A window of 1 ms: the entry expires after a second.
		await within(ANSWER_TIMEOUT_MS, connection.take([keyIn(shard, "latchkey:doctor:")], 1_000, [1_000_000]));
		const milliseconds = Math.round((performance.now() - began) * 10) / 10;
		// A user with limited permissions may not be allowed to read these.
		const serverName = await within(ANSWER_TIMEOUT_MS, connection.serverName()).catch(() => "Redis");
		const time = await readTime(connection, clock).catch(() => undefined);
		return { shown: address.shown, serverName, milliseconds, time, problem: undefined };
	} catch (error) {
		return unusable(address.shown, error);
	} finally {
		connection?.close();
	}
}

function unusable(shown: string, error: unknown): RedisFacts {
	return { shown, serverName: "", milliseconds: 0, time: undefined, problem: describe(error) };
}

async function readTime(connection: RedisConnection, clock: Clock) {
	const beforeMs = clock();
	const atMs = await within(ANSWER_TIMEOUT_MS, connection.timeMs());
	return { beforeMs, atMs, afterMs: clock() };
}
