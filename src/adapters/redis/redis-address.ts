// Parses a `redis://` URL.

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

/** Parses `redis[s]://[[user]:password@]host[:6379][/db]`, which the configuration has validated. */
export function parseRedisUrl(text: string): RedisAddress {
	const url = new URL(text);
	const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
	const port = url.port === "" ? 6379 : Number(url.port);
	const db = Number(url.pathname.slice(1));
	const decode = (part: string): string | undefined => (part === "" ? undefined : decodeURIComponent(part));
	return {
		host,
		port,
		username: decode(url.username),
		password: decode(url.password),
		db,
		isTls: url.protocol === "rediss:",
		shown: `${url.hostname}:${port}${db === 0 ? "" : `/${db}`}`,
	};
}
