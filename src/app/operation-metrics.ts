// Metrics for operators: the database and its backups, queued webhook deliveries and logout notices, and the certificate.

import { Counter, Gauge, type Registry } from "prom-client";
import type { Engine } from "../adapters/sql/engine.ts";
import type { LastBackup } from "../domain/backup.ts";
import { type ServerIdentity, timelineOf } from "../domain/database-server.ts";
import type { OpenReviews } from "../domain/review.ts";
import type { DeliveryBacklog } from "../domain/webhook-delivery.ts";
import type { LogoutDeliveryStats } from "../jobs/deliver-logouts.ts";
import { type Clock, SECOND_MS } from "../kernel/clock.ts";

export interface OperationSources {
	readonly database: Pick<Engine, "failures" | "slowQueries" | "pool" | "queries">;
	/** The server of the database as this node last saw it; undefined without one. */
	readonly databaseServer: () => ServerIdentity | undefined;
	/** Of an embedded database. */
	readonly isDatabaseDamaged: () => boolean;
	readonly webhooks: () => Promise<DeliveryBacklog>;
	readonly logoutNotices: () => Promise<DeliveryBacklog>;
	readonly logoutStats: () => LogoutDeliveryStats;
	readonly reviews: () => Promise<OpenReviews>;
	readonly lastBackup: () => Promise<LastBackup>;
	/** Undefined if HTTPS is off. */
	readonly certificateValidToMs: () => number | undefined;
	readonly clock: Clock;
	readonly monotonicMs: Clock;
}

/** Creates metrics whose values are read at each scrape. */
export function createReaders(registers: Registry[]) {
	return {
		/** Undefined shows no value. A failed read shows NaN, so that a scrape succeeds while the database is unavailable. */
		gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void {
			new Gauge({
				name,
				help,
				registers,
				async collect() {
					const value = await Promise.resolve(read()).catch(() => Number.NaN);
					if (value === undefined) this.remove({});
					else this.set(value);
				},
			});
		},
		counter(name: string, help: string, read: () => number): void {
			new Counter({
				name,
				help,
				registers,
				collect() {
					this.reset();
					this.inc(read());
				},
			});
		},
	};
}
type Readers = ReturnType<typeof createReaders>;

export function observeOperation(registers: Registry[], sources: OperationSources): void {
	const readers = createReaders(registers);
	observeDatabase(registers, readers, sources);
	const { webhooks, logoutNotices } = sources;
	const deliveries = { name: "webhook", one: "webhook delivery", many: "Webhook deliveries", read: webhooks };
	const notices = {
		name: "logout_notice",
		one: "logout notice",
		many: "Logout notices",
		read: logoutNotices,
	};
	for (const queue of [deliveries, notices]) observeQueue(readers, sources, queue);
	observeLogouts(readers, sources);
	observeReviews(readers, sources);
	observeBackups(readers, sources);
	readers.gauge(
		"latchkey_certificate_expiry_timestamp_seconds",
		"When the served certificate expires, in seconds since 1970; no value without HTTPS.",
		() => {
			const validToMs = sources.certificateValidToMs();
			return validToMs === undefined ? undefined : validToMs / SECOND_MS;
		},
	);
}

function observeDatabase(
	registers: Registry[],
	{ gauge, counter }: Readers,
	{ database, databaseServer, isDatabaseDamaged, monotonicMs }: OperationSources,
): void {
	counter(
		"latchkey_database_failures_total",
		"Statements and transactions that failed because the database was unavailable, locked, or full.",
		() => database.failures,
	);
	counter(
		"latchkey_database_slow_queries_total",
		"Queries that PostgreSQL canceled at their time limit.",
		() => database.slowQueries,
	);
	gauge("latchkey_database_damaged", "1 after a query or a check found the embedded database damaged.", () =>
		Number(isDatabaseDamaged()),
	);
	gauge(
		"latchkey_database_timeline",
		"Timeline of the PostgreSQL server that this node uses, which a failover raises; no value without one.",
		() => {
			const identity = databaseServer();
			return identity === undefined ? undefined : timelineOf(identity);
		},
	);
	// Uses the same path as every read, so it includes the wait for a connection and for the event loop.
	gauge(
		"latchkey_database_latency_seconds",
		"Duration of a trivial read during this scrape; NaN while the database is unavailable.",
		async () => {
			const startMs = monotonicMs();
			await database.queries.one("SELECT 1 AS one");
			return (monotonicMs() - startMs) / SECOND_MS;
		},
	);
	new Gauge({
		name: "latchkey_database_connections",
		help: "Connections to PostgreSQL by state; no value for the embedded database.",
		labelNames: ["state"],
		registers,
		collect() {
			const { pool } = database;
			if (pool === undefined) return;
			this.set({ state: "busy" }, pool.busy);
			this.set({ state: "idle" }, pool.idle);
		},
	});
	gauge(
		"latchkey_database_connections_limit",
		"Maximum number of connections to PostgreSQL; no value for the embedded database.",
		() => database.pool?.limit,
	);
	gauge(
		"latchkey_database_waiting",
		"Calls that wait for a connection to PostgreSQL; no value for the embedded database.",
		() => database.pool?.waiting,
	);
}

function observeReviews(readers: Readers, { reviews }: OperationSources): void {
	const gauge = (name: string, help: string, pick: (counts: OpenReviews) => number): void =>
		readers.gauge(name, `${help}; NaN while the database is unavailable.`, async () => pick(await reviews()));
	gauge("latchkey_reviews_open", "Reviews of access that have not closed", ({ open }) => open);
	gauge("latchkey_reviews_overdue", "Those whose end has passed", ({ overdue }) => overdue);
	gauge(
		"latchkey_review_items_decided",
		"Decided items of reviews that have not closed",
		({ decided }) => decided,
	);
	gauge("latchkey_review_items_undecided", "Their items without a decision", ({ undecided }) => undecided);
}

function observeBackups({ gauge }: Readers, { lastBackup, clock }: OperationSources): void {
	gauge(
		"latchkey_backup_age_seconds",
		"Age of the last backup, or of the database if there is none; NaN while the database is unavailable.",
		async () => Math.max(0, clock() - (await lastBackup()).atMs) / SECOND_MS,
	);
	gauge(
		"latchkey_backup_size_bytes",
		"Compressed size of the last backup; no value without one, NaN while the database is unavailable.",
		async () => (await lastBackup()).bytes,
	);
}

/** A queue, and its names in metrics and their descriptions. */
interface Queue {
	readonly name: string;
	readonly one: string;
	readonly many: string;
	readonly read: () => Promise<DeliveryBacklog>;
}

function observeQueue(readers: Readers, { clock }: OperationSources, { name, one, many, read }: Queue): void {
	const since = (atMs: number | null): number =>
		atMs === null ? 0 : Math.max(0, clock() - atMs) / SECOND_MS;
	const gauge = (measure: string, help: string, pick: (backlog: DeliveryBacklog) => number): void =>
		readers.gauge(`latchkey_${name}_${measure}`, help, async () => pick(await read()));
	gauge(
		"due",
		`${many} that wait for an attempt; NaN while the database is unavailable.`,
		(backlog) => backlog.waiting,
	);
	gauge(
		"oldest_age_seconds",
		`Age of the oldest waiting ${one}; 0 if none is waiting, NaN while the database is unavailable.`,
		({ oldestAtMs }) => since(oldestAtMs),
	);
	gauge(
		"overdue_seconds",
		`Longest time by which the next attempt of a ${one} is overdue; 0 if none is, NaN while the database is unavailable.`,
		({ nextAtMs }) => since(nextAtMs),
	);
}

function observeLogouts(readers: Readers, { logoutStats }: OperationSources): void {
	const counter = (outcome: keyof LogoutDeliveryStats, help: string): void =>
		readers.counter(`latchkey_logout_notice_${outcome}_total`, help, () => logoutStats()[outcome]);
	counter("sent", "Logout notices that a relying party accepted, since the start.");
	counter("retried", "Attempts after which a logout notice waits for another attempt.");
	counter("failed", "Logout notices abandoned after three days, since the start.");
}
