// The PostgreSQL server behind the database. A promoted standby may lack the last acknowledged writes, and continues on a
// higher timeline.

/**
 * `<system identifier>/<timeline>`. The timeline has 8 hexadecimal digits, so that of two texts with one identifier the
 * greater is the later timeline.
 */
export type ServerIdentity = string;

/** The server that a process has followed to, `""` at first: it claims no nonce on an earlier one that comes back. */
export interface FollowedServer {
	identity: ServerIdentity | "";
}

export interface DatabaseServer {
	readonly current: ServerIdentity;
	/** The server whose data the installation trusts; null before the first start. */
	readonly accepted: ServerIdentity | null;
}

/** A listed server of the database, as it responds to a new connection. */
export interface ProbedServer {
	/** `host:port`. */
	readonly host: string;
	/** `read_only`: a standby. `away`: it does not respond or refuses the connection. */
	readonly state: "writable" | "read_only" | "away";
	/** Undefined unless it is writable and reports it. */
	readonly identity: ServerIdentity | undefined;
	/** When its main process started, in any form; undefined unless it is writable. Two poolers may lead to one server. */
	readonly startedAt: string | undefined;
}

/**
 * How the current server relates to the accepted one. `promoted`: a later timeline of the same server. `outdated`: an
 * earlier one, such as a primary that came back after its standby was promoted. `other`: another cluster, such as one
 * filled from a dump.
 */
export type ServerChange = "none" | "first" | "promoted" | "outdated" | "other";

export function compareServers({ accepted, current }: DatabaseServer): ServerChange {
	if (accepted === null) return "first";
	if (accepted === current) return "none";
	if (clusterOf(accepted) !== clusterOf(current)) return "other";
	return current > accepted ? "promoted" : "outdated";
}

/** Whether both are the same cluster, and `identity` is on an earlier timeline. */
export function isOutdated(identity: ServerIdentity, newest: ServerIdentity): boolean {
	return compareServers({ accepted: newest, current: identity }) === "outdated";
}

/** The servers that accept writes, if there are two or more; otherwise none. */
export function findRivals(servers: readonly ProbedServer[]): readonly ProbedServer[] {
	const writers = servers.filter(({ state }) => state === "writable");
	const different = new Set(writers.map(({ identity, startedAt }) => `${identity} ${startedAt}`));
	return different.size < 2 ? [] : writers;
}

/** `db1:5432 (timeline 1)`. */
export function nameServer(name: string, identity: ServerIdentity | undefined): string {
	return identity === undefined ? name : `${name} (timeline ${timelineOf(identity)})`;
}

export function timelineOf(identity: ServerIdentity): number {
	return Number.parseInt(identity.slice(identity.indexOf("/") + 1), 16);
}

function clusterOf(identity: ServerIdentity): string {
	return identity.slice(0, identity.indexOf("/"));
}

export interface DatabaseServerStore {
	/** Undefined on an embedded database, and on a server that does not report its timeline. */
	find(): Promise<DatabaseServer | undefined>;
	/**
	 * Accepts `to`. Until then, no nonce is claimed.
	 *
	 * @returns false when another node changed the accepted server first.
	 */
	accept({ accepted, current }: DatabaseServer): Promise<boolean>;
	/**
	 * Refuses what was signed up to this time with 503, because the server may not know what was accepted. Never moves back.
	 */
	closeUntil(signedAtSeconds: number): Promise<void>;
}
