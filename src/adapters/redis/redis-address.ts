// Parses `LATCHKEY_REDIS_URL`: one server, the Sentinels of a primary, or the nodes of a cluster.

import { splitRedisUrl } from "../../kernel/redis-url.ts";

/** `db` is the number of the database, default 0. */
export interface RedisAddress {
	readonly host: string;
	readonly port: number;
	readonly username: string | undefined;
	readonly password: string | undefined;
	readonly db: number;
	readonly isTls: boolean;
	/** For messages: without the password. */
	readonly shown: string;
}

/** `contacts`: the server itself, or those to ask where the primaries are. All have the same user and password. */
export interface RedisTarget {
	readonly kind: "server" | "sentinel" | "cluster";
	readonly contacts: readonly [RedisAddress, ...RedisAddress[]];
	/** What the Sentinels call the primary; `""` without Sentinel. */
	readonly primaryName: string;
	/** The database of the servers that are found; Sentinels have none. */
	readonly db: number;
	readonly shown: string;
}

const SENTINEL_PORT = 26_379;
const REDIS_PORT = 6_379;

/** Parses what the configuration has validated. */
export function parseRedisUrl(text: string): RedisTarget {
	const parts = splitRedisUrl(text);
	if (parts === undefined) throw new Error("the URL of Redis was not validated");
	const { scheme, kind, credentials, hosts, path } = parts;
	const [primaryName = "", database = ""] =
		kind === "sentinel" ? path.slice(1).split("/") : ["", path.slice(1)];
	const db = Number(database);
	const contacts = hosts.map((host) => {
		const address = parseServer(
			`${scheme}://${credentials}${host}`,
			kind === "sentinel" ? SENTINEL_PORT : REDIS_PORT,
		);
		return kind === "server" ? atDatabase(address, db) : address;
	}) as [RedisAddress, ...RedisAddress[]];
	return {
		kind,
		contacts,
		primaryName: decodeURIComponent(primaryName),
		db,
		shown: contacts.map(({ shown }) => shown).join(","),
	};
}

function parseServer(text: string, defaultPort: number): RedisAddress {
	const url = new URL(text);
	const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
	const port = url.port === "" ? defaultPort : Number(url.port);
	const decode = (part: string): string | undefined => (part === "" ? undefined : decodeURIComponent(part));
	return {
		host,
		port,
		username: decode(url.username),
		password: decode(url.password),
		db: 0,
		isTls: url.protocol === "rediss:",
		shown: shownAt(host, port),
	};
}

/** The address of another server with the same user, password, and TLS. */
export function serverAt({ contacts, db }: RedisTarget, host: string, port: number): RedisAddress {
	return atDatabase({ ...contacts[0], host, port, shown: shownAt(host, port) }, db);
}

function atDatabase(address: RedisAddress, db: number): RedisAddress {
	return { ...address, db, shown: `${address.shown}${db === 0 ? "" : `/${db}`}` };
}

function shownAt(host: string, port: number): string {
	return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
