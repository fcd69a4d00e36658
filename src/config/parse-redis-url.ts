// Parses the URL of Redis: one server, the Sentinels of a primary, or the nodes of a cluster.

import { type RedisUrlParts, splitRedisUrl } from "../kernel/redis-url.ts";
import { serviceUrl } from "./parse-url.ts";
import type { Parsed } from "./setting.ts";

const MUST_BE =
	"redis or rediss and then ://[user:password@]host[:port][/database], +sentinel://[user:password@]host[:port],…/name[/database], or +cluster://[user:password@]host[:port],…, the database a number, without query or fragment";

const DATABASE = "(?:0|[1-9][0-9]{0,4})";
const PATHS: Readonly<Record<RedisUrlParts["kind"], RegExp>> = {
	server: new RegExp(`^/?${DATABASE}?$`),
	// Sentinel permits these characters in the name of a primary.
	sentinel: new RegExp(`^/[A-Za-z0-9._-]+(?:/${DATABASE}?)?$`),
	// A cluster has no other database.
	cluster: /^\/?$/,
};
const parseServer = serviceUrl(["redis", "rediss"], "[/database]");

/**
 * `redis[s]://[[user]:password@]host[:port][/database]`, `redis[s]+sentinel://…host[:port],…/name[/database]`, or
 * `redis[s]+cluster://…host[:port],…`; `rediss` uses TLS. Returns the text unchanged: the adapter parses it again.
 */
export function parseRedisUrl(text: string): Parsed<string> {
	const parts = splitRedisUrl(text);
	return parts !== undefined && isValid(parts) ? { value: text } : { mustBe: MUST_BE };
}

function isValid({ scheme, kind, credentials, hosts, path }: RedisUrlParts): boolean {
	if (!PATHS[kind].test(path) || (kind === "server" && hosts.length > 1)) return false;
	return hosts.every((host) => "value" in parseServer(`${scheme}://${credentials}${host}`));
}
