// Checks Redis: whether it counts requests.

import type { Config } from "../../config/config.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

export async function examineRedis(config: Config): Promise<Finding[]> {
	if (config.redisUrl === null) {
		const text = "is not set: each process counts requests for itself";
		// Several nodes are possible only with PostgreSQL.
		return [
			config.databaseUrl === null
				? ok("redis", text)
				: warn("redis", `${text}; set LATCHKEY_REDIS_URL for several nodes`),
		];
	}
	const { inspectRedis } = await import("../../adapters/redis/inspect-redis.ts");
	const { shown, serverName, milliseconds, problem } = await inspectRedis(config.redisUrl);
	if (problem !== undefined)
		return [fail("redis", `${shown} does not count for us (${problem}): see LATCHKEY_REDIS_URL`)];
	return [ok("redis", `${serverName} counts for us, in ${milliseconds} ms`)];
}
