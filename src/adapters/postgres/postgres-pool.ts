// A pool of connections to PostgreSQL; each new one finds the host that accepts writes on the latest timeline.

import { isOutdated, type ProbedServer } from "../../domain/database-server.ts";
import type { PoolLoad } from "../sql/engine.ts";
import type { PostgresAddress, PostgresHost } from "./postgres-address.ts";
import { PostgresConnection, Statements, type Surroundings } from "./postgres-connection.ts";
import { ConnectionLost, ServerReadOnly } from "./postgres-fault.ts";

/** Longest wait for a connection, new or in use. */
const PATIENCE_MS = 1_900;
/** Longest wait for the first connection: a server on a busy machine, or one that recovers, takes its time. */
const FIRST_PATIENCE_MS = 60_000;
/** A server that does not respond to a new connection within this time counts as down. */
const PROBE_MS = 800;
/** How long a host may be silent before the next one is tried in parallel. */
const HEAD_START_MS = 250;
/** Pause after a refused connection while others work. */
const REFUSED_PAUSE_MS = 500;

interface Waiter {
	readonly timer: NodeJS.Timeout;
	take(connection: PostgresConnection): void;
	refuse(error: unknown): void;
}

/** At most `poolSize` connections, opened on demand and kept while they work. */
export class PostgresPool {
	readonly #address: PostgresAddress;
	/** How long a connection may take. */
	#patienceMs: number;
	readonly #surroundings: Surroundings = {
		statements: new Statements(),
		isAlive: (host) => {
			this.#probing ??= this.#probe(host).finally(() => {
				this.#probing = undefined;
			});
			return this.#probing;
		},
	};
	/** The probe under way, shared by all callers. */
	#probing: Promise<boolean> | undefined;
	readonly #idle: PostgresConnection[] = [];
	readonly #waiting: Waiter[] = [];
	#hosts: readonly PostgresHost[];
	/** The `ServerIdentity` of the latest timeline that this process has seen; an earlier one is never used again. */
	#newest: string | undefined;
	#open = 0;
	#opening = 0;
	#pausedUntilMs = 0;
	#whenEmpty: (() => void) | undefined;
	#isClosed = false;

	/** @param isPatient waits up to a minute for the first connection. */
	constructor(address: PostgresAddress, isPatient: boolean) {
		this.#patienceMs = isPatient ? FIRST_PATIENCE_MS : PATIENCE_MS;
		this.#address = address;
		this.#hosts = address.hosts;
	}

	get statements(): Statements {
		return this.#surroundings.statements;
	}

	get load(): PoolLoad {
		const idle = this.#idle.length;
		const limit = this.#address.poolSize;
		return { busy: this.#open - idle, idle, waiting: this.#waiting.length, limit };
	}

	/** Return it with `release`. @throws ConnectionLost, ConnectionRefused: within two seconds. */
	acquire(): Promise<PostgresConnection> {
		if (this.#isClosed) return Promise.reject(new ConnectionLost("the database was closed"));
		const patienceMs = this.#patienceMs;
		return new Promise((resolve, reject) => {
			const waiter: Waiter = {
				timer: setTimeout(() => {
					this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
					reject(new ConnectionLost(`no connection became available within ${patienceMs} ms`));
				}, patienceMs),
				take: resolve,
				refuse: reject,
			};
			this.#waiting.push(waiter);
			this.#serve();
		});
	}

	release(connection: PostgresConnection): void {
		if (connection.isUsable && !this.#isClosed && !this.#isOutdated(connection)) this.#idle.push(connection);
		else connection.close();
		this.#serve();
	}

	/** Asks every listed host, and closes the idle connections if another one is on a later timeline. */
	async probeServers(): Promise<readonly ProbedServer[]> {
		const servers = await Promise.all(this.#address.hosts.map((host) => this.#probeServer(host)));
		const known = this.#newest;
		for (const { identity } of servers) this.#see(identity);
		if (this.#newest !== known) this.dropIdle();
		return servers;
	}

	/** Closes idle connections, for use when the server appears to be down or replaced. */
	dropIdle(): void {
		for (const connection of this.#idle.splice(0)) connection.close();
	}

	/** Resolves when every connection has been returned and closed. */
	async close(): Promise<void> {
		this.#isClosed = true;
		this.dropIdle();
		if (this.#open + this.#opening > 0)
			await new Promise<void>((resolve) => {
				this.#whenEmpty = resolve;
			});
	}

	#serve(): void {
		while (this.#waiting.length > 0) {
			const connection = this.#idle.pop();
			if (connection === undefined) break;
			if (connection.isUsable) this.#next()?.take(connection);
		}
		if (this.#open > 0 && performance.now() < this.#pausedUntilMs) return;
		while (this.#opening < this.#waiting.length && this.#open + this.#opening < this.#address.poolSize)
			void this.#openOne();
	}

	#next(): Waiter | undefined {
		const waiter = this.#waiting.shift();
		clearTimeout(waiter?.timer);
		return waiter;
	}

	async #openOne(): Promise<void> {
		this.#opening++;
		try {
			const connection = await this.#connect();
			this.#open++;
			this.#patienceMs = PATIENCE_MS;
			connection.onEnd(() => this.#lost(connection));
			if (this.#isClosed) connection.close();
			else this.#idle.push(connection);
		} catch (error) {
			this.#pausedUntilMs = performance.now() + REFUSED_PAUSE_MS;
			// Without any other connection, waiting longer is pointless.
			if (this.#open === 0) while (this.#waiting.length > 0) this.#next()?.refuse(error);
		} finally {
			this.#opening--;
		}
		this.#settle();
	}

	#lost(connection: PostgresConnection): void {
		this.#open--;
		const place = this.#idle.indexOf(connection);
		if (place >= 0) this.#idle.splice(place, 1);
		this.#settle();
	}

	#settle(): void {
		if (this.#isClosed && this.#open + this.#opening === 0) this.#whenEmpty?.();
		this.#serve();
	}

	async #probe(host: PostgresHost): Promise<boolean> {
		try {
			(await PostgresConnection.open(this.#address, host, this.#surroundings, PROBE_MS)).close();
			return true;
		} catch (error) {
			// A refusal shows that the server is alive: too many connections, for example.
			return !(error instanceof ConnectionLost);
		}
	}

	async #probeServer({ host, port }: PostgresHost): Promise<ProbedServer> {
		const name = `${host}:${port}`;
		try {
			const place = { host, port };
			const connection = await PostgresConnection.open(this.#address, place, this.#surroundings, PROBE_MS);
			connection.close();
			const { identity, startedAt } = connection.facts;
			return { host: name, state: "writable", identity, startedAt };
		} catch (error) {
			const state = error instanceof ServerReadOnly ? "read_only" : "away";
			return { host: name, state, identity: undefined, startedAt: undefined };
		}
	}

	/**
	 * Without another connection, at a start and after a loss, asks every host: a primary that came back may accept writes
	 * beside the standby that replaced it. Otherwise the first host that accepts writes; each has a head start over the
	 * next, and the last one found is tried first.
	 */
	async #connect(): Promise<PostgresConnection> {
		if (this.#open === 0 && this.#address.hosts.length > 1) await this.probeServers();
		const found = await firstToSucceed(this.#hosts, async (host) => ({
			host,
			connection: await this.#openAt(host),
		}));
		if (found.host !== this.#hosts[0])
			this.#hosts = [found.host, ...this.#address.hosts.filter((host) => host !== found.host)];
		return found.connection;
	}

	/** @throws ConnectionLost also for a server on an earlier timeline. */
	async #openAt(host: PostgresHost): Promise<PostgresConnection> {
		const connection = await PostgresConnection.open(
			this.#address,
			host,
			this.#surroundings,
			this.#patienceMs,
		);
		this.#see(connection.facts.identity);
		if (!this.#isOutdated(connection)) return connection;
		connection.close();
		throw new ConnectionLost("the server is on an earlier timeline than another one: it was replaced");
	}

	#see(identity: string | undefined): void {
		if (identity === undefined) return;
		if (this.#newest === undefined || isOutdated(this.#newest, identity)) this.#newest = identity;
	}

	#isOutdated({ facts: { identity } }: PostgresConnection): boolean {
		return identity !== undefined && this.#newest !== undefined && isOutdated(identity, this.#newest);
	}
}

/** Tries the items in order, the next when one fails or stays silent; closes connections that succeed too late. */
async function firstToSucceed<T, R extends { readonly connection: PostgresConnection }>(
	items: readonly T[],
	attempt: (item: T) => Promise<R>,
): Promise<R> {
	return new Promise((resolve, reject) => {
		let running = 0;
		let started = 0;
		let isDone = false;
		let timer: NodeJS.Timeout | undefined;
		const startNext = (): void => {
			clearTimeout(timer);
			const item = items[started];
			if (isDone || item === undefined) return;
			started++;
			running++;
			if (started < items.length) timer = setTimeout(startNext, HEAD_START_MS);
			attempt(item).then(
				(result) => {
					clearTimeout(timer);
					if (isDone) result.connection.close();
					isDone = true;
					resolve(result);
				},
				(error: unknown) => {
					running--;
					if (started < items.length) startNext();
					else if (running === 0 && !isDone) reject(error);
				},
			);
		};
		startNext();
	});
}
