// Limits open connections, in total and per address. Closes idle ones, oldest first, to make room for new ones.

import type { Socket } from "node:net";
import { type Cidr, ipInList, rateLimitKey } from "../../kernel/ip.ts";
import { peerAddress } from "../run/client-address.ts";

interface ConnectionLimits {
	/** For all IP addresses together; 0 = no limit. */
	readonly total: number;
	/** For one IPv4 address or one IPv6 /64; 0 = no limit. */
	readonly perAddress: number;
	/** Exempt from `perAddress`, because their connections carry the requests of many clients. */
	readonly trustedProxies: readonly Cidr[];
}

/** `freed` and `refused` are counted since the start. */
export interface ConnectionStats {
	readonly open: number;
	/** Idle connections that were closed to make room. */
	readonly freed: number;
	/** New connections that were closed because no idle one could be freed. */
	readonly refused: number;
}

/** Called with the peer's IP address and the limit that its connection exceeded. */
type OnRefused = (ip: string, bound: "total" | "address") => void;

interface Connection {
	/** The TLS socket after the handshake. */
	socket: Socket;
	readonly name: string;
	/** Of `rateLimitKey`; undefined for a trusted proxy. */
	readonly key: string | undefined;
	requests: number;
}

/** The connections of one IP address, or all of them. `idle` is in the order in which they became idle. */
class Group {
	open = 0;
	readonly idle = new Set<Connection>();
}

/**
 * A connection is idle before its first request, while a request's head or a TLS handshake arrives, and between
 * requests.
 */
export class Connections {
	readonly #limits: ConnectionLimits;
	readonly #onRefused: OnRefused;
	readonly #all = new Group();
	readonly #byKey = new Map<string, Group>();
	readonly #byName = new Map<string, Connection>();
	readonly #bySocket = new WeakMap<Socket, Connection>();
	#freed = 0;
	#refused = 0;

	constructor(limits: ConnectionLimits, onRefused: OnRefused) {
		this.#limits = limits;
		this.#onRefused = onRefused;
	}

	get stats(): ConnectionStats {
		return { open: this.#all.open, freed: this.#freed, refused: this.#refused };
	}

	/** Counts a new connection, or destroys it if it exceeds a limit or has already disconnected. */
	admit(socket: Socket): void {
		const peer = peerAddress(socket);
		if (peer === undefined) {
			socket.destroy();
			return;
		}
		const key = ipInList(this.#limits.trustedProxies, peer) ? undefined : rateLimitKey(peer.text);
		const bound = this.#exceededLimit(key);
		if (bound === undefined) {
			this.#add({ socket, name: nameOf(socket), key, requests: 0 });
			return;
		}
		socket.destroy();
		this.#refused++;
		this.#onRefused(peer.text, bound);
	}

	/** Records that the TLS handshake of an admitted connection has finished; `socket` replaces its socket. */
	secured(socket: Socket): void {
		const connection = this.#byName.get(nameOf(socket));
		if (connection === undefined) {
			socket.destroy();
			return;
		}
		connection.socket = socket;
		this.#bySocket.set(socket, connection);
	}

	/** Protects the connection from being closed as idle until `requestEnded`. Pipelined requests nest. */
	requestBegan(socket: Socket): void {
		const connection = this.#bySocket.get(socket);
		if (connection === undefined || ++connection.requests > 1) return;
		for (const group of this.#groupsOf(connection)) group.idle.delete(connection);
	}

	requestEnded(socket: Socket): void {
		const connection = this.#bySocket.get(socket);
		if (connection === undefined || --connection.requests > 0 || !this.#isOpen(connection)) return;
		for (const group of this.#groupsOf(connection)) group.idle.add(connection);
	}

	/** The limit that one more connection would exceed, after idle connections were closed to make room. */
	#exceededLimit(key: string | undefined): "total" | "address" | undefined {
		const { total, perAddress } = this.#limits;
		if (key !== undefined && !this.#makeRoom(this.#byKey.get(key), perAddress)) return "address";
		return this.#makeRoom(this.#all, total) ? undefined : "total";
	}

	#add(connection: Connection): void {
		const { socket, name, key } = connection;
		this.#byName.set(name, connection);
		this.#bySocket.set(socket, connection);
		if (key !== undefined && !this.#byKey.has(key)) this.#byKey.set(key, new Group());
		for (const group of this.#groupsOf(connection)) {
			group.open++;
			group.idle.add(connection);
		}
		socket.once("close", () => this.#forget(connection));
	}

	/** Whether the group is below its limit, after closing its oldest idle connection if necessary. */
	#makeRoom(group: Group | undefined, bound: number): boolean {
		if (group === undefined || bound === 0 || group.open < bound) return true;
		const [oldest] = group.idle;
		if (oldest === undefined) return false;
		this.#forget(oldest);
		oldest.socket.destroy();
		this.#freed++;
		return true;
	}

	#forget(connection: Connection): void {
		if (!this.#isOpen(connection)) return;
		this.#byName.delete(connection.name);
		for (const group of this.#groupsOf(connection)) {
			group.open--;
			group.idle.delete(connection);
		}
		if (connection.key !== undefined && this.#byKey.get(connection.key)?.open === 0)
			this.#byKey.delete(connection.key);
	}

	#isOpen(connection: Connection): boolean {
		return this.#byName.get(connection.name) === connection;
	}

	#groupsOf({ key }: Connection): Group[] {
		const own = key === undefined ? undefined : this.#byKey.get(key);
		return own === undefined ? [this.#all] : [this.#all, own];
	}
}

/** Unique among open connections; a TLS socket has the name of its underlying socket. */
function nameOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
	return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
