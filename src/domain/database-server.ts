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
	/** The server that responds now. */
	readonly current: ServerIdentity;
	/** The server whose data the installation trusts; null before the first start. */
	readonly accepted: ServerIdentity | null;
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

/** The number of the timeline. */
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
