// A look at Redis for `latchkey doctor`: connects, counts once, leaves nothing behind.

import { parseRedisUrl } from "./redis-address.ts";
import { connectRedis, describe, type RedisConnection, within } from "./redis-connection.ts";

export interface RedisFacts {
	/** Host, port and database, without the password. */
	readonly shown: string;
	/** `""` when it could not be asked. */
	readonly serverName: string;
	/** What one count took. */
	readonly milliseconds: number;
	/** Why it cannot count for us; undefined when it can. */
	readonly problem: string | undefined;
}

const PATIENCE_MS = 2_000;

/** Never rejects; takes a few seconds at most. */
export async function inspectRedis(url: string): Promise<RedisFacts> {
	const address = parseRedisUrl(url);
	let connection: RedisConnection | undefined;
	try {
		connection = await connectRedis(address);
		const began = performance.now();
		// A window of one millisecond: the entry is gone a second later.
		await within(PATIENCE_MS, connection.take(["latchkey:doctor"], 1_000, [1_000_000]));
		const milliseconds = Math.round((performance.now() - began) * 10) / 10;
		// A user with few rights may not ask for it.
		const serverName = await within(PATIENCE_MS, connection.serverName()).catch(() => "Redis");
		return { shown: address.shown, serverName, milliseconds, problem: undefined };
	} catch (error) {
		return { shown: address.shown, serverName: "", milliseconds: 0, problem: describe(error) };
	} finally {
		connection?.close();
	}
}
