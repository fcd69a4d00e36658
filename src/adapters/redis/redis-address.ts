// What a `redis://` URL says.

/** `db` is the number of the database, 0 unless named. */
export interface RedisAddress {
	readonly host: string;
	readonly port: number;
	readonly username: string | undefined;
	readonly password: string | undefined;
	readonly db: number;
	readonly isTls: boolean;
	/** For people: without the password. */
	readonly shown: string;
}

/** Reads `redis[s]://[[user]:password@]host[:6379][/db]`, which the configuration has checked. */
export function parseRedisUrl(text: string): RedisAddress {
	const url = new URL(text);
	const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
	const port = url.port === "" ? 6379 : Number(url.port);
	const db = Number(url.pathname.slice(1));
	const given = (part: string): string | undefined => (part === "" ? undefined : decodeURIComponent(part));
	return {
		host,
		port,
		username: given(url.username),
		password: given(url.password),
		db,
		isTls: url.protocol === "rediss:",
		shown: `${url.hostname}:${port}${db === 0 ? "" : `/${db}`}`,
	};
}
