// A PostgreSQL server of its own for a benchmark, and what its processes and its database use.

import { readdirSync, readFileSync } from "node:fs";
import { Client } from "pg";
import { type OwnPostgres, startOwnPostgres } from "../test/harness/databases/own-postgres.ts";
import { moveTo } from "./processors.ts";
import { processorSeconds } from "./usage.ts";

/** As docs/growing.md recommends. */
const SETTINGS = [
	"shared_buffers=256MB",
	"max_wal_size=4GB",
	"checkpoint_timeout=15min",
	"wal_compression=on",
];
/** The unit of the times in `/proc`. */
const TICKS_A_SECOND = 100;

/** Sums since the start of the server, of all tables of the database. */
export interface DatabaseUse {
	/** CPU time of all processes of the server, those that have ended included. */
	readonly processorSeconds: number;
	readonly logBytes: number;
	readonly tableBytes: number;
	readonly indexBytes: number;
	readonly updates: number;
	/** Updates that changed no index (HOT). */
	readonly hotUpdates: number;
	readonly deadRows: number;
	readonly autovacuums: number;
}

export interface BenchServer {
	readonly postgres: OwnPostgres;
	use(): Promise<DatabaseUse>;
	/** Tables with their indexes, in bytes, and their rows that no transaction sees, by the first part of their name. */
	sizes(
		parts: readonly string[],
	): Promise<Record<string, { readonly bytes: number; readonly deadRows: number }>>;
	remove(): Promise<void>;
}

/** @param processors of all processes of the server; undefined: any. */
export async function startBenchServer(
	processors?: string,
	settings: readonly string[] = SETTINGS,
): Promise<BenchServer> {
	const postgres = await startOwnPostgres(settings);
	const client = new Client({ connectionString: postgres.url });
	await client.connect();
	const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
	const main = parentOf(rows[0].pid) ?? Number.NaN;
	// Processes that start later inherit it.
	moveTo(processors, main);
	return {
		postgres,
		async use() {
			const { rows } = await client.query(USE);
			return { ...numbersOf(rows[0]), processorSeconds: serverSeconds(main) } as DatabaseUse;
		},
		async sizes(parts) {
			const sizes: [string, unknown][] = [];
			for (const part of parts) sizes.push([part, numbersOf((await client.query(SIZE, [part])).rows[0])]);
			return Object.fromEntries(sizes) as Awaited<ReturnType<BenchServer["sizes"]>>;
		},
		async remove() {
			await client.end();
			await postgres.remove();
		},
	};
}

const USE = `SELECT pg_current_wal_insert_lsn() - '0/0' AS "logBytes", sum(pg_table_size(relid)) AS "tableBytes",
	sum(pg_indexes_size(relid)) AS "indexBytes", sum(n_tup_upd) AS updates, sum(n_tup_hot_upd) AS "hotUpdates",
	sum(n_dead_tup) AS "deadRows", sum(autovacuum_count) AS autovacuums FROM pg_stat_user_tables`;
const SIZE = `SELECT coalesce(sum(pg_total_relation_size(relid)), 0) AS bytes, coalesce(sum(n_dead_tup), 0) AS "deadRows"
	FROM pg_stat_user_tables WHERE starts_with(relname, $1)`;

function numbersOf(row: Readonly<Record<string, string>>): Record<string, number> {
	return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]));
}

/** Those that run, and those that have ended. */
function serverSeconds(main: number): number {
	const running = readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === main)
		.reduce((sum, name) => sum + (processorSeconds(Number(name)) ?? 0), 0);
	const [user = 0, system = 0] = (statusOf(main) ?? []).slice(13, 15).map(Number);
	return running + (user + system) / TICKS_A_SECOND;
}

function parentOf(pid: number): number | undefined {
	const parent = statusOf(pid)?.[1];
	return parent === undefined ? undefined : Number(parent);
}

/** The fields of `/proc/<pid>/stat` from the state on; undefined once the process has ended. */
function statusOf(pid: number): string[] | undefined {
	try {
		const status = readFileSync(`/proc/${pid}/stat`, "utf8");
		return status.slice(status.lastIndexOf(")") + 2).split(" ");
	} catch {
		return undefined;
	}
}
