// The engine for PostgreSQL 15 or later, which installations with several nodes use.

import { setTimeout as wait } from "node:timers/promises";
import type { ProbedServer } from "../../domain/database-server.ts";
import { StartError } from "../../kernel/start-error.ts";
import type { Engine, PoolLoad, Queries } from "../sql/engine.ts";
import { type CountedTable, type KeptTable, keptMessage, replaceMarks } from "../sql/marked-tables.ts";
import type { Sql, SqlValue, Statement } from "../sql/queries.ts";
import type { WholeDatabase } from "../sql/whole-database.ts";
import { parsePostgresUrl } from "./postgres-address.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { ConnectionLost, isPassing, tooSlow, unavailable } from "./postgres-fault.ts";
import { ADD_MONTH, DROP_MONTH } from "./postgres-months.ts";
import { keepPlan } from "./postgres-plans.ts";
import { PostgresPool } from "./postgres-pool.ts";
import { createReads } from "./postgres-reads.ts";
import { SERVER_IDENTITY } from "./postgres-server.ts";
import { APPEND_EVENTS } from "./postgres-trail.ts";
import { BEGIN_VIEW, postgresWhole } from "./postgres-whole.ts";

const OLDEST_VERSION = 150_000;
/** A column of text. Both engines compare it byte by byte, independent of the locale of the database. */
const TEXT_COLUMN = /^([ \t]*(?:ALTER TABLE \w+ ADD COLUMN )?\w+ TEXT)\b/gm;
/** An arbitrary number, the same on every node; advisory locks are scoped to the database. */
const INSTALLATION_LOCK = 7_311_960_421;
/** See `countRows`. */
const ESTIMATED_ABOVE = 100_000;
const LOCK_PATIENCE_MS = 60_000;
const RETRY_WITHIN_MS = 500;

interface OpenOptions {
	/** Replaces the one in the URL. */
	readonly applicationName?: string;
	/**
	 * Called once if the server takes longer than two seconds; the first connection may then take a minute. Without it,
	 * a slow server counts as unreachable.
	 */
	readonly onWait?: ((message: string) => void) | undefined;
}

/** When `onWait` is called. */
const WAIT_REPORTED_MS = 2_000;

/**
 * Opens the database a URL names (`parsePostgresUrl`). Transactions are READ COMMITTED; one that fails with a
 * serialization error is retried once, so `work` must be repeatable. Reads outside a transaction are retried when their
 * connection was lost.
 *
 * @throws StartError when it cannot be reached or used; nothing has been changed then.
 */
export async function openPostgres(
	url: string,
	{ applicationName, onWait }: OpenOptions = {},
): Promise<Engine> {
	const parsed = parsePostgresUrl(url);
	const address = { ...parsed, applicationName: applicationName ?? parsed.applicationName };
	const pool = new PostgresPool(address, onWait !== undefined);
	const waiting = setTimeout(
		() => onWait?.(`database ${address.shown} does not respond yet; waiting up to a minute for it`),
		WAIT_REPORTED_MS,
	);
	try {
		const connection = await pool.acquire();
		pool.release(connection);
		checkServer(connection);
		return new PostgresEngine(pool, connection.facts.identity === undefined ? undefined : SERVER_IDENTITY);
	} catch (error) {
		await pool.close();
		if (error instanceof StartError) throw error;
		throw new StartError(`database ${address.shown} cannot be used: ${describe(error)}`, {
			cause: error,
			kind: "away",
		});
	} finally {
		clearTimeout(waiting);
	}
}

function checkServer({ facts }: PostgresConnection): void {
	const { version, encoding, synchronousCommit, isolation } = facts;
	if (version < OLDEST_VERSION)
		throw new StartError(
			`the database server is PostgreSQL ${Math.floor(version / 10_000)}; 15 or later is required`,
		);
	if (encoding !== "UTF8")
		throw new StartError(`the database has the encoding ${encoding}; UTF8 is required`);
	if (synchronousCommit === "off")
		throw new StartError(
			"the database has synchronous_commit off and could lose acknowledged requests; turn it on for the role of latchkey",
		);
	// A claim that waits for a lock must read what the holder of the lock committed.
	if (isolation !== "read committed")
		throw new StartError(
			`the database has default_transaction_isolation ${isolation}; set "read committed" for the role of latchkey`,
		);
}

function describe(error: unknown): string {
	if (!(error instanceof Error)) return "unknown error";
	if (error.message !== "") return error.message;
	// A name with several addresses fails with a list of errors and an empty message.
	const { cause } = error;
	return cause instanceof AggregateError && cause.errors[0] instanceof Error
		? cause.errors[0].message
		: error.name;
}

/** The condition for updates is in WHEN, because heads change often. The condition for deletes may read other tables. */
function keptTriggers({ table, updateWhen, deleteWhen }: KeptTable): string {
	const refuse = `RAISE EXCEPTION '${keptMessage(table)}';`;
	const refusal =
		deleteWhen === undefined
			? refuse
			: `IF TG_OP = 'DELETE' THEN IF ${deleteWhen} THEN RETURN OLD; END IF; END IF; ${refuse}`;
	const unless = updateWhen === undefined ? "" : `WHEN (NOT (${updateWhen}))`;
	return `
CREATE FUNCTION ${table}_kept() RETURNS trigger LANGUAGE plpgsql AS $kept$ BEGIN ${refusal} END $kept$;
CREATE TRIGGER ${table}_no_update BEFORE UPDATE ON ${table} FOR EACH ROW ${unless} EXECUTE FUNCTION ${table}_kept();
CREATE TRIGGER ${table}_no_delete BEFORE DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION ${table}_kept();
CREATE TRIGGER ${table}_no_truncate BEFORE TRUNCATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION ${table}_kept();`;
}

/**
 * Each transaction counts in its own rows, so that none has to wait for another; a statement that changes a thousand rows writes
 * one.
 */
function countTriggers({ table, column }: CountedTable): string {
	const add = (source: string): string => `
	INSERT INTO row_counts (tenant_id, table_name, value, part, total)
		SELECT tenant_id, '${table}', ${column}, CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT), sum(change) FROM (${source}) AS changed
		GROUP BY tenant_id, ${column}
	ON CONFLICT (tenant_id, table_name, value, part) DO UPDATE SET total = row_counts.total + excluded.total;
	RETURN NULL;`;
	const trigger = (event: string, what: string, when: string, source: string): string => `
CREATE FUNCTION ${table}_counted_${event}() RETURNS trigger LANGUAGE plpgsql AS $count$ BEGIN ${add(source)} END $count$;
CREATE TRIGGER ${table}_counted_${event} AFTER ${what} ON ${table} ${when} EXECUTE FUNCTION ${table}_counted_${event}();`;
	const some = (change: number, rows: string): string =>
		`SELECT tenant_id, ${column}, ${change} AS change FROM ${rows}`;
	const one = (change: number, row: string): string =>
		`SELECT ${row}.tenant_id, ${row}.${column}, ${change} AS change`;
	const changed = `FOR EACH ROW WHEN (NEW.${column} <> OLD.${column})`;
	return [
		trigger("insert", "INSERT", "REFERENCING NEW TABLE AS added FOR EACH STATEMENT", some(1, "added")),
		trigger("delete", "DELETE", "REFERENCING OLD TABLE AS gone FOR EACH STATEMENT", some(-1, "gone")),
		trigger("update", `UPDATE OF ${column}`, changed, `${one(-1, "OLD")} UNION ALL ${one(1, "NEW")}`),
	].join("");
}

/** Whether there is time for a second attempt: the response is due within two seconds. */
function isSoon(beganMs: number): boolean {
	return performance.now() - beganMs <= RETRY_WITHIN_MS;
}

/** Closes a connection that cannot roll back, which also ends its transaction. */
async function rollBack(connection: PostgresConnection): Promise<void> {
	if (connection.isUsable) await connection.script("ROLLBACK").catch(() => connection.close());
}

class PostgresEngine implements Engine<PostgresConnection> {
	readonly name = "postgres";
	readonly soleWriter = false;
	readonly serverIdentity: string | undefined;
	readonly ownership = undefined;
	readonly damaged = 0;
	readonly queries: Queries;
	readonly whole: WholeDatabase<PostgresConnection>;
	readonly #pool: PostgresPool;
	readonly #reads = createReads(async (work) => this.#using(await this.#pool.acquire(), work));
	#failures = 0;
	#slowQueries = 0;

	constructor(pool: PostgresPool, serverIdentity: string | undefined) {
		this.#pool = pool;
		this.serverIdentity = serverIdentity;
		this.queries = {
			one: (sql, ...parameters) => this.#readOne(sql, parameters),
			all: <Row>(sql: Sql, ...parameters: SqlValue[]) => {
				const run = (connection: PostgresConnection) => connection.all<Row>(sql, ...parameters);
				return typeof sql !== "string" && sql.isWrite ? this.#attempt(run, isPassing) : this.#read(run);
			},
			run: (sql, ...parameters: SqlValue[]) =>
				this.#attempt((connection) => connection.run(sql, ...parameters), isPassing),
		};
		this.whole = postgresWhole((work) =>
			this.#rollingBack((connection) => connection.script(BEGIN_VIEW), work),
		);
	}

	get failures(): number {
		return this.#failures;
	}

	get slowQueries(): number {
		return this.#slowQueries;
	}

	get pool(): PoolLoad {
		return this.#pool.load;
	}

	probeServers(): Promise<readonly ProbedServer[]> {
		return this.#pool.probeServers();
	}

	transaction<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
		let isBegun = false;
		const again = (error: unknown): boolean =>
			isPassing(error) || (!isBegun && error instanceof ConnectionLost);
		return this.#attempt(async (connection) => {
			await connection.begin();
			isBegun = true;
			try {
				const value = await work(connection);
				await connection.commit();
				return value;
			} catch (error) {
				await rollBack(connection);
				throw error;
			}
		}, again);
	}

	async script(connection: PostgresConnection, sql: string): Promise<void> {
		await connection.script(`SET LOCAL statement_timeout = 0; ${sql}`, 0);
	}

	migrationText(sql: string): string {
		// A row id of SQLite has 64 bits.
		const wide = sql.replaceAll("INTEGER PRIMARY KEY", "BIGINT PRIMARY KEY");
		const text = wide.replaceAll(TEXT_COLUMN, '$1 COLLATE "C"');
		// PostgreSQL cannot overwrite a row without its update trigger.
		return replaceMarks(text, {
			keep: keptTriggers,
			neverOverwrite: () => "",
			count: countTriggers,
			monthly: (key, column) => `PRIMARY KEY (${key}, ${column})\n) PARTITION BY RANGE (${column});`,
			append: ADD_MONTH + APPEND_EVENTS + DROP_MONTH,
		});
	}

	async hasTable(name: string): Promise<boolean> {
		const row = await this.queries.one<{ found: number }>(
			"SELECT 1 AS found WHERE to_regclass(CAST($1 AS TEXT)) IS NOT NULL",
			name,
		);
		return row !== undefined;
	}

	async countRows(table: string): Promise<number> {
		const estimate = await this.queries.one<{ rows: number }>(
			"SELECT CAST(reltuples AS BIGINT) AS rows FROM pg_class WHERE oid = to_regclass(CAST($1 AS TEXT))",
			table,
		);
		if (estimate !== undefined && estimate.rows > ESTIMATED_ABOVE) return estimate.rows;
		const counted = await this.queries.one<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`);
		return counted?.rows ?? 0;
	}

	async keepPlans(statements: readonly Statement[]): Promise<void> {
		const calls = new Map<string, string>();
		for (const { text } of statements) {
			const columns = await this.#read((connection) => connection.columnsOf(text));
			// A direct connection prepares statements.
			if (columns === undefined) return;
			calls.set(text, await keepPlan(this, text, columns));
		}
		this.#pool.statements.call(calls);
	}

	async prepareMonths(nowMs: number): Promise<void> {
		const now = new Date(nowMs);
		const nextMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
		await this.queries.run("SELECT add_audit_month($1), add_audit_month($2)", nowMs, nextMs);
	}

	/** Operators install `pg_trgm` themselves; searches then use its indexes. */
	prepareSearches(): Promise<void> {
		return Promise.resolve();
	}

	/**
	 * The lock is held by an open transaction on a separate connection: it ends with its process and also works behind a
	 * pooler, where a session lock would stay on a pooled connection.
	 */
	exclusively<T>(work: () => Promise<T>): Promise<T> {
		return this.#rollingBack(
			(connection) => connection.begin(),
			async (connection) => {
				await connection.script(
					`SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = ${LOCK_PATIENCE_MS};
					 SELECT pg_advisory_xact_lock(${INSTALLATION_LOCK})`,
					LOCK_PATIENCE_MS + 1_000,
				);
				return work();
			},
		);
	}

	close(): Promise<void> {
		return this.#pool.close();
	}

	/** A transaction that commits nothing and is not retried. */
	#rollingBack<T>(
		begin: (connection: PostgresConnection) => Promise<unknown>,
		work: (connection: PostgresConnection) => Promise<T>,
	): Promise<T> {
		const attempt = async (connection: PostgresConnection): Promise<T> => {
			await begin(connection);
			try {
				return await work(connection);
			} finally {
				await rollBack(connection);
			}
		};
		return this.#attempt(attempt, () => false);
	}

	#read<T>(read: (connection: PostgresConnection) => Promise<T>): Promise<T> {
		const again = (error: unknown): boolean => isPassing(error) || error instanceof ConnectionLost;
		// Only a read that is canceled was slow by itself; a write may have waited for a lock or a standby.
		return this.#attempt((connection) => read(connection).catch((error) => this.#slow(error)), again);
	}

	#slow(error: unknown): never {
		const translated = tooSlow(error);
		if (translated !== error) this.#slowQueries++;
		throw translated;
	}

	/** Like `#read`, but first sent together with the other reads of this turn. */
	async #readOne<Row>(sql: Sql, parameters: SqlValue[]): Promise<Row | undefined> {
		const began = performance.now();
		try {
			return await this.#reads.one<Row>(sql, ...parameters);
		} catch (error) {
			if (isPassing(error) || (error instanceof ConnectionLost && isSoon(began)))
				return this.#attempt(
					(connection) => connection.one<Row>(sql, ...parameters),
					() => false,
				);
			throw this.#counted(error);
		}
	}

	/** Retries once, on any connection, when `again` says that a retry is safe and may succeed. */
	async #attempt<T>(
		work: (connection: PostgresConnection) => Promise<T>,
		again: (error: unknown) => boolean,
	): Promise<T> {
		try {
			const began = performance.now();
			const connection = await this.#pool.acquire();
			try {
				return await this.#using(connection, work);
			} catch (error) {
				// A silent server has used up the time.
				const isTooLate = error instanceof ConnectionLost && !isSoon(began);
				if (isTooLate || !again(error)) throw error;
				// Back off briefly so the winner can commit.
				if (isPassing(error)) await wait(20 + Math.random() * 30);
			}
			return await this.#using(await this.#pool.acquire(), work);
		} catch (error) {
			throw this.#counted(error);
		}
	}

	#counted(error: unknown): unknown {
		const translated = unavailable(error);
		if (translated !== error) this.#failures++;
		return translated;
	}

	async #using<T>(
		connection: PostgresConnection,
		work: (connection: PostgresConnection) => Promise<T>,
	): Promise<T> {
		try {
			return await work(connection);
		} finally {
			if (!connection.isUsable) this.#pool.dropIdle();
			this.#pool.release(connection);
		}
	}
}
