// One connection to PostgreSQL: found among the hosts, made ours, and asked one statement after the other.

import { Socket } from "node:net";
import { Client, type ClientConfig, types } from "pg";
import type { Queries, SqlValue } from "./engine.ts";
import type { PostgresAddress, PostgresHost } from "./postgres-address.ts";
import { ConnectionLost, endsConnection, isStatementSwapped, statementError } from "./postgres-fault.ts";

/** A statement that takes longer is broken off by the server … */
const STATEMENT_TIMEOUT_MS = 5_000;
/** … and by us, should the server not answer at all. */
/** A server that has been silent for this long is asked on another connection whether it is there at all. */
const DOUBT_MS = 1_000;
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 500;
const GOODBYE_MS = 1_000;
const TIMEOUTS = ["statement_timeout", "idle_in_transaction_session_timeout"];
const limits = (set: string): string =>
	TIMEOUTS.map((name) => `${set} ${name} = ${STATEMENT_TIMEOUT_MS}`).join("; ");
/** Where the server speaks from when somebody has cancelled a commit's wait for the synchronous standby. */
const STANDBY_WAIT = "SyncRepWaitForLSN";
const BIGINT = 20;
const HELLO = `SELECT pg_backend_pid() AS pid, current_setting('server_version_num') AS version,
	current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS commit,
	pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS read_only`;

/** What a server says about itself. */
export interface ServerFacts {
	/** As `server_version_num`: 150004 is 15.4. */
	readonly version: number;
	readonly encoding: string;
	readonly synchronousCommit: string;
}

interface Greeting {
	readonly isDirect: boolean;
	readonly facts: ServerFacts;
}

interface Statement {
	readonly name: string;
	readonly text: string;
}

/** All statements of one pool, in PostgreSQL's own words, each with the name it is prepared under. */
export class Statements {
	readonly #made = new Map<string, Statement>();
	#areNamed = true;

	/** Without a name where it is not to be prepared. */
	of(sql: string, mayPrepare: boolean): { readonly text: string; readonly name?: string } {
		let statement = this.#made.get(sql);
		if (statement === undefined) {
			const text = sql.replaceAll("{{skip locked}}", "FOR UPDATE SKIP LOCKED");
			statement = { name: `s${this.#made.size + 1}`, text };
			this.#made.set(sql, statement);
		}
		return mayPrepare && this.#areNamed ? statement : { text: statement.text };
	}

	/** From now on nothing is prepared by name. */
	giveUpNames(): void {
		this.#areNamed = false;
	}
}

/** What the connections of one pool share. */
export interface Surroundings {
	readonly statements: Statements;
	/** Whether the host answers at all, on a connection made for the question. */
	isAlive(host: PostgresHost): Promise<boolean>;
}

/** A statement that answers one row at most. */
export interface Ask {
	readonly sql: string;
	readonly parameters: readonly SqlValue[];
}

export type Answer = PromiseSettledResult<unknown>;

/** As `Queries`, with errors as `postgres-fault.ts` names them. Statements asked at once run one after the other. */
export class PostgresConnection implements Queries {
	readonly facts: ServerFacts;
	readonly #client: Client;
	readonly #statements: Statements;
	readonly #isServerAlive: () => Promise<boolean>;
	readonly #socket: Socket;
	/** Whether what we set or prepare stays with us: not behind a pooler that gives each transaction any connection. */
	readonly #isDirect: boolean;
	#last: Promise<unknown> = Promise.resolve();
	#isUsable = true;
	#isAsked = false;
	/** Committed here, says the server, and perhaps nowhere else: a standby that took over would not know of it. */
	#isAlone = false;

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
			if (routine === STANDBY_WAIT) this.#isAlone = true;
		});
	}

	/**
	 * Connects to one host within `timeoutMs`.
	 *
	 * @throws ConnectionLost, or pg's DatabaseError with which the server refuses; also when it takes no writes.
	 */
	static async open(
		address: PostgresAddress,
		host: PostgresHost,
		{ statements, isAlive }: Surroundings,
		timeoutMs: number,
	): Promise<PostgresConnection> {
		const socket = new Socket();
		// What is asked at once is sent at once; what must wait for its turn we keep back ourselves.
		const client = new Client({ ...clientConfig(address, host), stream: () => socket, pipeline: true });
		// Without a listener the loss of an idle connection would end the process.
		client.on("error", () => undefined);
		const timer = setTimeout(() => socket.destroy(), timeoutMs);
		try {
			await client.connect();
			return new PostgresConnection(client, socket, statements, () => isAlive(host), await greet(client));
		} catch (error) {
			socket.destroy();
			throw statementError(error);
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

	async one<Row>(sql: string, ...parameters: SqlValue[]): Promise<Row | undefined> {
		return (await this.#ask<Row>(sql, parameters)).rows[0];
	}

	/**
	 * The first row of each, all sent before the first is answered.
	 *
	 * @throws ConnectionLost when it is closed already; else each has an outcome of its own.
	 */
	oneOfEach(asked: readonly Ask[]): Promise<Answer[]> {
		return this.#turn(async () => {
			this.#socket.cork();
			const answers = asked.map(({ sql, parameters }) => this.#query(sql, [...parameters]));
			this.#socket.uncork();
			const settled = await Promise.allSettled(answers);
			return settled.map((answer) =>
				answer.status === "fulfilled"
					? { status: answer.status, value: answer.value.rows[0] }
					: { status: answer.status, reason: this.#examine(answer.reason) },
			);
		}, SILENCE_MS);
	}

	async all<Row>(sql: string, ...parameters: SqlValue[]): Promise<Row[]> {
		return (await this.#ask<Row>(sql, parameters)).rows;
	}

	async run(sql: string, ...parameters: SqlValue[]): Promise<number> {
		return (await this.#ask(sql, parameters)).rowCount ?? 0;
	}

	async awaitWriters(table: string): Promise<void> {
		await this.script(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
	}

	begin(): Promise<unknown> {
		return this.script(this.#isDirect ? "BEGIN" : `BEGIN; ${limits("SET LOCAL")}`);
	}

	/** @throws Error when a statement before it had failed, so that there was nothing left to commit. */
	async commit(): Promise<void> {
		const { command } = await this.#turn(() => this.#client.query("COMMIT"), SILENCE_MS);
		if (command !== "COMMIT")
			throw new Error("a statement failed, and its transaction was to be committed all the same");
	}

	/** One statement or several, without parameters; `patienceMs` 0 waits as long as it takes. */
	script(sql: string, patienceMs = SILENCE_MS): Promise<unknown> {
		return this.#turn(() => this.#client.query(sql), patienceMs);
	}

	/** One statement that may take as long as it does, its rows as arrays; parameters may be lists. */
	async patientRows(sql: string, values: readonly (readonly SqlValue[])[] = []): Promise<SqlValue[][]> {
		const statement = { text: sql, values: [...values], rowMode: "array" as const };
		return (await this.#turn(() => this.#client.query(statement), 0)).rows;
	}

	/** In the middle of a statement this cuts the socket, and so fails the statement. */
	close(): void {
		if (!this.#isUsable) return;
		this.#isUsable = false;
		if (this.#isAsked) this.#socket.destroy();
		void this.#client.end().catch(() => undefined);
		// A server that fell silent would never say good-bye.
		setTimeout(() => this.#socket.destroy(), GOODBYE_MS).unref();
	}

	#ask<Row>(sql: string, values: SqlValue[]): Promise<{ rows: Row[]; rowCount: number | null }> {
		return this.#turn(() => this.#query<Row>(sql, values), SILENCE_MS);
	}

	async #query<Row>(sql: string, values: SqlValue[]): Promise<{ rows: Row[]; rowCount: number | null }> {
		const { rows, rowCount } = await this.#client.query({
			...this.#statements.of(sql, this.#isDirect),
			values,
		});
		return { rows: rows as Row[], rowCount };
	}

	#turn<T>(ask: () => Promise<T>, patienceMs: number): Promise<T> {
		const turn = this.#last.then(() => this.#answered(ask, patienceMs));
		this.#last = turn.catch(() => undefined);
		return turn;
	}

	async #answered<T>(ask: () => Promise<T>, patienceMs: number): Promise<T> {
		if (!this.#isUsable) throw new ConnectionLost("the connection is closed");
		const timers = [setTimeout(() => void this.#closeUnlessAlive(), DOUBT_MS)];
		if (patienceMs > 0) timers.push(setTimeout(() => this.close(), patienceMs));
		this.#isAsked = true;
		try {
			const answer = await ask();
			if (this.#isAlone) throw new ConnectionLost("the wait for the synchronous standby was cancelled");
			return answer;
		} catch (caught) {
			throw this.#examine(caught);
		} finally {
			this.#isAsked = false;
			for (const timer of timers) clearTimeout(timer);
		}
	}

	/** The error in our terms, after what it means for this connection was done. */
	#examine(caught: unknown): unknown {
		const error = statementError(caught);
		if (isStatementSwapped(error)) this.#statements.giveUpNames();
		if (endsConnection(error)) this.close();
		return error;
	}

	async #closeUnlessAlive(): Promise<void> {
		const asked = this.#last;
		// By then another statement may be under way, on a server that is well.
		if (!(await this.#isServerAlive()) && asked === this.#last) this.close();
	}
}

function clientConfig(address: PostgresAddress, { host, port }: PostgresHost): ClientConfig {
	return {
		host,
		port,
		user: address.user,
		password: address.password,
		database: address.database,
		ssl: address.tls ?? false,
		// Sent in any case; every other setting would be refused by a pooler.
		application_name: address.applicationName,
		keepAlive: true,
		keepAliveInitialDelayMillis: 10_000,
		types: {
			getTypeParser: (type: number, format?: "text" | "binary") =>
				// Times in milliseconds and counts: all far below 2 to the power of 53.
				type === BIGINT ? Number : types.getTypeParser(type, format as "text"),
		},
	};
}

async function greet(client: Client): Promise<Greeting> {
	const { rows } = await client.query(HELLO);
	const [hello] = rows;
	if (hello.read_only) throw new ConnectionLost("the server takes no writes: it is a standby");
	// A pooler makes up a process id of its own for us.
	const isDirect = "processID" in client && client.processID === hello.pid;
	if (isDirect) await client.query(limits("SET"));
	const facts = { version: Number(hello.version), encoding: hello.encoding, synchronousCommit: hello.commit };
	return { isDirect, facts };
}
