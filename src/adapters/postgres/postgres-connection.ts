// A connection to PostgreSQL, which runs statements one after the other.

import { Socket } from "node:net";
import { Client, type ClientConfig, DatabaseError, type QueryResult, types } from "pg";
import { type Queries, type Sql, type SqlValue, textOf } from "../sql/queries.ts";
import type { PostgresAddress, PostgresHost } from "./postgres-address.ts";
import {
	ConnectionLost,
	ConnectionRefused,
	connectionError,
	endsConnection,
	isAway,
	isFunctionMissing,
	isStatementSwapped,
	ServerReadOnly,
	statementError,
} from "./postgres-fault.ts";
import { parametersOf, type ResultColumn } from "./postgres-plans.ts";
import { SERVER_IDENTITY } from "./postgres-server.ts";

/** The server cancels a statement after this time. */
const STATEMENT_TIMEOUT_MS = 5_000;
/** After this time without a response, another connection probes whether the server is alive. */
const DOUBT_MS = 1_000;
/** After this time without a response, the connection is closed. */
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 500;
const GOODBYE_MS = 1_000;
const TIMEOUTS = ["statement_timeout", "idle_in_transaction_session_timeout"];
const limits = (set: string): string =>
	TIMEOUTS.map((name) => `${set} ${name} = ${STATEMENT_TIMEOUT_MS}`).join("; ");
/** Routine of the notice that a commit's wait for the synchronous standby was canceled. */
const STANDBY_WAIT = "SyncRepWaitForLSN";
const BIGINT = 20;
const HELLO = `SELECT pg_backend_pid() AS pid, current_setting('server_version_num') AS version,
	current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS commit,
	current_setting('default_transaction_isolation') AS isolation,
	CAST(extract(epoch FROM pg_postmaster_start_time()) AS TEXT) AS started,
	pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS read_only`;

/** What a server says about itself. */
export interface ServerFacts {
	/** As `server_version_num`: 150004 is 15.4. */
	readonly version: number;
	readonly encoding: string;
	readonly synchronousCommit: string;
	readonly isolation: string;
	/** The `ServerIdentity`; undefined if the server does not report it, as some managed services do. */
	readonly identity: string | undefined;
	/** When its main process started. */
	readonly startedAt: string;
}

interface Greeting {
	readonly isDirect: boolean;
	readonly facts: ServerFacts;
}

interface Named {
	readonly name: string;
	readonly text: string;
}

/** All statements of one pool, each with the name it is prepared under. */
export class Statements {
	readonly #byText = new Map<string, Named>();
	/** What to send, without a name, instead of a text: the call of its function. */
	#calls: ReadonlyMap<string, string> = new Map();
	#areNamed = true;

	/** Without a name if it must not be prepared. */
	of(sql: Sql, mayPrepare: boolean): { readonly text: string; readonly name?: string } {
		const text = textOf(sql);
		if (!mayPrepare || !this.#areNamed) return { text: this.#calls.get(text) ?? text };
		let named = this.#byText.get(text);
		if (named === undefined) {
			named = { name: `s${this.#byText.size + 1}`, text };
			this.#byText.set(text, named);
		}
		return named;
	}

	/** Calls functions that keep the plans of statements without a name. An empty map stops that. */
	call(functions: ReadonlyMap<string, string>): void {
		this.#calls = functions;
	}

	/** Stops preparing statements by name. */
	disableNames(): void {
		this.#areNamed = false;
	}
}

/** What the connections of one pool share. */
export interface Surroundings {
	readonly statements: Statements;
	/** Whether the host responds on a new connection. */
	isAlive(host: PostgresHost): Promise<boolean>;
}

/** A statement that returns at most one row. */
export interface RowQuery {
	readonly sql: Sql;
	readonly parameters: readonly SqlValue[];
}

export type Outcome = PromiseSettledResult<unknown>;

/** `Queries` with the errors of `postgres-fault.ts`. Concurrent calls run one after the other. */
export class PostgresConnection implements Queries {
	readonly facts: ServerFacts;
	readonly #client: Client;
	readonly #statements: Statements;
	readonly #isServerAlive: () => Promise<boolean>;
	readonly #socket: Socket;
	/** Whether settings and prepared statements persist: not behind a pooler in transaction mode. */
	readonly #isDirect: boolean;
	#last: Promise<unknown> = Promise.resolve();
	#isUsable = true;
	#isBusy = false;
	/** The server reported a commit that is only local: a standby that is promoted may lack it. */
	#isCommitLocal = false;

	private constructor(
		client: Client,
		socket: Socket,
		statements: Statements,
		isServerAlive: () => Promise<boolean>,
		{ isDirect, facts }: Greeting,
	) {
		this.#client = client;
		this.#socket = socket;
		this.#statements = statements;
		this.#isServerAlive = isServerAlive;
		this.#isDirect = isDirect;
		this.facts = facts;
		client.on("notice", ({ routine }) => {
			if (routine === STANDBY_WAIT) this.#isCommitLocal = true;
		});
	}

	/**
	 * Connects to one host within `timeoutMs`.
	 *
	 * @throws ConnectionLost, also when it accepts no writes; ConnectionRefused when the server refuses.
	 */
	static async open(
		address: PostgresAddress,
		host: PostgresHost,
		{ statements, isAlive }: Surroundings,
		timeoutMs: number,
	): Promise<PostgresConnection> {
		const socket = new Socket();
		// Concurrent queries are sent at once; `#turn` orders those that must wait.
		const client = new Client({ ...clientConfig(address, host), stream: () => socket, pipeline: true });
		// Without a listener, the loss of an idle connection would end the process.
		client.on("error", () => undefined);
		const limitMs = Math.min(timeoutMs, address.connectMs ?? Number.POSITIVE_INFINITY);
		const timer = setTimeout(() => socket.destroy(), limitMs);
		const isBound = address.channelBinding !== "require" || watchBinding(client, socket);
		try {
			await client.connect();
			if (isBound !== true && !isBound()) throw new ConnectionRefused(UNBOUND);
			return new PostgresConnection(client, socket, statements, () => isAlive(host), await greet(client));
		} catch (error) {
			socket.destroy();
			throw connectionError(error);
		} finally {
			clearTimeout(timer);
		}
	}

	get isUsable(): boolean {
		return this.#isUsable;
	}

	/** Calls back once, when the connection is lost or closed. */
	onEnd(listener: () => void): void {
		this.#client.once("end", () => {
			this.#isUsable = false;
			listener();
		});
	}

	async one<Row>(sql: Sql, ...parameters: SqlValue[]): Promise<Row | undefined> {
		return (await this.#execute<Row>(sql, parameters)).rows[0];
	}

	/**
	 * The first row of each statement. Sends all of them before the first response.
	 *
	 * @throws ConnectionLost when the connection is closed; otherwise each statement has its own outcome.
	 */
	oneOfEach(requested: readonly RowQuery[]): Promise<Outcome[]> {
		return this.#turn(async () => {
			this.#socket.cork();
			const responses = requested.map(({ sql, parameters }) => this.#query(sql, [...parameters]));
			this.#socket.uncork();
			const settled = await Promise.allSettled(responses);
			return settled.map((response) =>
				response.status === "fulfilled"
					? { status: response.status, value: response.value.rows[0] }
					: { status: response.status, reason: this.#examine(response.reason) },
			);
		}, SILENCE_MS);
	}

	async all<Row>(sql: Sql, ...parameters: SqlValue[]): Promise<Row[]> {
		return (await this.#execute<Row>(sql, parameters)).rows;
	}

	async run(sql: Sql, ...parameters: SqlValue[]): Promise<number> {
		return (await this.#execute(sql, parameters)).rowCount ?? 0;
	}

	/** The columns of a statement that finds nothing for null; undefined if this connection prepares statements. */
	async columnsOf(text: string): Promise<readonly ResultColumn[] | undefined> {
		if (this.#isDirect) return undefined;
		const values = parametersOf(text).map(() => null);
		const { fields } = await this.#turn(() => this.#client.query({ text, values }), SILENCE_MS);
		return fields.map(({ name, dataTypeID: type }) => ({ name, type }));
	}

	begin(): Promise<unknown> {
		return this.script(this.#isDirect ? "BEGIN" : `BEGIN; ${limits("SET LOCAL")}`);
	}

	/** @throws Error when an earlier statement failed: the server then rolls back. */
	async commit(): Promise<void> {
		const { command } = await this.#turn(() => this.#client.query("COMMIT"), SILENCE_MS);
		if (command !== "COMMIT") throw new Error("a transaction with a failed statement cannot be committed");
	}

	/** One or several statements without parameters; `patienceMs` 0 waits without limit. */
	script(sql: string, patienceMs = SILENCE_MS): Promise<QueryResult> {
		return this.#turn(() => this.#client.query(sql), patienceMs);
	}

	/** One statement without time limit, rows as arrays; parameters may be lists. */
	async patientRows(sql: string, values: readonly (readonly SqlValue[])[] = []): Promise<SqlValue[][]> {
		const statement = { text: sql, values: [...values], rowMode: "array" as const };
		return (await this.#turn(() => this.#client.query(statement), 0)).rows;
	}

	/** Destroys the socket during a statement, which fails the statement. */
	close(): void {
		if (!this.#isUsable) return;
		this.#isUsable = false;
		if (this.#isBusy) this.#socket.destroy();
		void this.#client.end().catch(() => undefined);
		// A silent server would never close its side.
		setTimeout(() => this.#socket.destroy(), GOODBYE_MS).unref();
	}

	#execute<Row>(sql: Sql, values: SqlValue[]): Promise<{ rows: Row[]; rowCount: number | null }> {
		return this.#turn(() => this.#query<Row>(sql, values), SILENCE_MS);
	}

	async #query<Row>(sql: Sql, values: SqlValue[]): Promise<{ rows: Row[]; rowCount: number | null }> {
		const { rows, rowCount } = await this.#client.query({
			...this.#statements.of(sql, this.#isDirect),
			values,
		});
		return { rows: rows as Row[], rowCount };
	}

	#turn<T>(send: () => Promise<T>, patienceMs: number): Promise<T> {
		const turn = this.#last.then(() => this.#run(send, patienceMs));
		this.#last = turn.catch(() => undefined);
		return turn;
	}

	async #run<T>(send: () => Promise<T>, patienceMs: number): Promise<T> {
		if (!this.#isUsable) throw new ConnectionLost("the connection is closed");
		const timers = [setTimeout(() => void this.#closeUnlessAlive(), DOUBT_MS)];
		if (patienceMs > 0) timers.push(setTimeout(() => this.close(), patienceMs));
		this.#isBusy = true;
		try {
			const response = await send();
			if (this.#isCommitLocal) throw new ConnectionLost("the wait for the synchronous standby was canceled");
			return response;
		} catch (caught) {
			throw this.#examine(caught);
		} finally {
			this.#isBusy = false;
			for (const timer of timers) clearTimeout(timer);
		}
	}

	/** Translates an error and applies its consequences to this connection. */
	#examine(caught: unknown): unknown {
		const error = statementError(caught);
		if (isStatementSwapped(error)) this.#statements.disableNames();
		if (isFunctionMissing(error)) this.#statements.call(new Map());
		if (endsConnection(error)) this.close();
		return error;
	}

	async #closeUnlessAlive(): Promise<void> {
		const probed = this.#last;
		// By now, a later statement may be running on a healthy server.
		if (!(await this.#isServerAlive()) && probed === this.#last) this.close();
	}
}

const UNBOUND = "channel_binding=require: the server does not offer SCRAM-SHA-256-PLUS";

/**
 * Closes the connection before a password is sent to a server that offers no channel binding. The returned function tells
 * whether it was offered: a server that asks for no password proves nothing, either.
 */
function watchBinding({ connection }: Client, socket: Socket): () => boolean {
	let isBound = false;
	const refuse = (): void => {
		socket.destroy(new Error(UNBOUND));
	};
	connection.on("authenticationSASL", ({ mechanisms }: { readonly mechanisms: readonly string[] }) => {
		isBound = mechanisms.includes("SCRAM-SHA-256-PLUS");
		if (!isBound) refuse();
	});
	for (const request of ["authenticationCleartextPassword", "authenticationMD5Password"])
		connection.on(request, refuse);
	return () => isBound;
}

function clientConfig(address: PostgresAddress, { host, port }: PostgresHost): ClientConfig {
	return {
		host,
		port,
		user: address.user,
		password: address.password,
		database: address.database,
		ssl: address.tls ?? false,
		enableChannelBinding: address.tls !== undefined && address.channelBinding !== "disable",
		// The only setting that poolers accept at connection time.
		application_name: address.applicationName,
		keepAlive: true,
		keepAliveInitialDelayMillis: 10_000,
		types: {
			getTypeParser: (type: number, format?: "text" | "binary") =>
				// Times in milliseconds and counts are far below 2^53.
				type === BIGINT ? Number : types.getTypeParser(type, format as "text"),
		},
	};
}

async function greet(client: Client): Promise<Greeting> {
	const { rows } = await client.query(HELLO);
	const [hello] = rows;
	if (hello.read_only) throw new ServerReadOnly("the server accepts no writes: it is a standby");
	// A pooler reports its own process id.
	const isDirect = "processID" in client && client.processID === hello.pid;
	if (isDirect) await client.query(limits("SET"));
	const { version, encoding, commit: synchronousCommit, isolation, started: startedAt } = hello;
	const identity = await readIdentity(client);
	const facts = { version: Number(version), encoding, synchronousCommit, isolation, identity, startedAt };
	return { isDirect, facts };
}

async function readIdentity(client: Client): Promise<string | undefined> {
	try {
		const { rows } = await client.query<{ identity: string }>(`SELECT ${SERVER_IDENTITY} AS identity`);
		return rows[0]?.identity;
	} catch (error) {
		// The server knows no such function or denies it. A failure that passes must not turn the fence off.
		if (error instanceof DatabaseError && !isAway(error)) return undefined;
		throw error;
	}
}
