// Checks Redis for `latchkey doctor`: connects, counts once, and reads its clock.

import type { Clock } from "../../kernel/clock.ts";
import { parseRedisUrl } from "./redis-address.ts";
import { connectRedis, describe, type RedisConnection, within } from "./redis-connection.ts";

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

/** Never rejects; takes a few seconds at most. */
export async function inspectRedis(url: string, clock: Clock): Promise<RedisFacts> {
	const address = parseRedisUrl(url);
	let connection: RedisConnection | undefined;
	try {
		connection = await connectRedis(address);
		const began = performance.now();
		// A window of 1 ms: the entry expires after a second.
		await within(ANSWER_TIMEOUT_MS, connection.take(["latchkey:doctor"], 1_000, [1_000_000]));
		const milliseconds = Math.round((performance.now() - began) * 10) / 10;
		// A user with limited permissions may not be allowed to read these.
		const serverName = await within(ANSWER_TIMEOUT_MS, connection.serverName()).catch(() => "Redis");
		const time = await readTime(connection, clock).catch(() => undefined);
		return { shown: address.shown, serverName, milliseconds, time, problem: undefined };
	} catch (error) {
		const problem = describe(error);
		return { shown: address.shown, serverName: "", milliseconds: 0, time: undefined, problem };
	} finally {
		connection?.close();
	}
}

async function readTime(connection: RedisConnection, clock: Clock) {
	const beforeMs = clock();
	const atMs = await within(ANSWER_TIMEOUT_MS, connection.timeMs());
	return { beforeMs, atMs, afterMs: clock() };
}
