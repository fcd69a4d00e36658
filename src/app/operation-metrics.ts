// The metrics of what operators look after: the database, queued webhook deliveries and logout notices, the
// certificate.

import { Counter, Gauge, type Registry } from "prom-client";
import type { Engine } from "../adapters/sql/engine.ts";
import type { DeliveryBacklog } from "../domain/webhook-delivery.ts";
import type { LogoutDeliveryStats } from "../jobs/deliver-logouts.ts";
import { type Clock, SECOND_MS } from "../kernel/clock.ts";

export interface OperationSources {
	readonly database: Pick<Engine, "failures" | "pool" | "queries">;
	readonly webhooks: () => Promise<DeliveryBacklog>;
	readonly logoutNotices: () => Promise<DeliveryBacklog>;
	readonly logoutStats: () => LogoutDeliveryStats;
	/** Undefined where HTTPS is off. */
	readonly certificateValidToMs: () => number | undefined;
	readonly clock: Clock;
	readonly monotonicMs: Clock;
}

interface Name {
	readonly name: string;
	readonly help: string;
}

/** Undefined shows no value. A read that fails shows NaN: a scrape must answer while the database is away. */
export function readGauge(
	registers: Registry[],
	{ name, help }: Name,
	read: () => number | undefined | Promise<number | undefined>,
): void {
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
}

export function readCounter(registers: Registry[], { name, help }: Name, read: () => number): void {
	new Counter({
		name,
		help,
		registers,
		collect() {
			this.reset();
			this.inc(read());
		},
	});
}

export function observeOperation(registers: Registry[], sources: OperationSources): void {
	observeDatabase(registers, sources);
	const { webhooks, logoutNotices } = sources;
	const deliveries = { name: "webhook", one: "webhook delivery", many: "Webhook deliveries", read: webhooks };
	const notices = {
		name: "logout_notice",
		one: "logout notice",
		many: "Logout notices",
		read: logoutNotices,
	};
	for (const queue of [deliveries, notices]) observeQueue(registers, sources, queue);
	observeLogouts(registers, sources);
	const help = "When the certificate that is served expires, in seconds since 1970; no value without HTTPS.";
	readGauge(registers, { name: "latchkey_certificate_expiry_timestamp_seconds", help }, () => {
		const validToMs = sources.certificateValidToMs();
		return validToMs === undefined ? undefined : validToMs / SECOND_MS;
	});
}

function observeDatabase(registers: Registry[], { database, monotonicMs }: OperationSources): void {
	readCounter(
		registers,
		{
			name: "latchkey_database_failures_total",
			help: "Statements and transactions that failed because the database was away, locked or full.",
		},
		() => database.failures,
	);
	// Takes the path of every read, so a wait for a connection or for the event loop is part of it.
	const latency = {
		name: "latchkey_database_latency_seconds",
		help: "Duration of one trivial read, made for this scrape; NaN while the database is away.",
	};
	readGauge(registers, latency, async () => {
		const startMs = monotonicMs();
		await database.queries.one("SELECT 1 AS one");
		return (monotonicMs() - startMs) / SECOND_MS;
	});
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
	const limit = "Connections to PostgreSQL that are opened at most; no value for the embedded database.";
	readGauge(
		registers,
		{ name: "latchkey_database_connections_limit", help: limit },
		() => database.pool?.limit,
	);
	const waiting = "Calls that wait for a connection to PostgreSQL; no value for the embedded database.";
	readGauge(registers, { name: "latchkey_database_waiting", help: waiting }, () => database.pool?.waiting);
}

/** What waits, and how metrics and their texts name it. */
interface Queue {
	readonly name: string;
	readonly one: string;
	readonly many: string;
	readonly read: () => Promise<DeliveryBacklog>;
}

function observeQueue(
	registers: Registry[],
	{ clock }: OperationSources,
	{ name, one, many, read }: Queue,
): void {
	const since = (atMs: number | undefined): number =>
		atMs === undefined ? 0 : Math.max(0, clock() - atMs) / SECOND_MS;
	const gauge = (measure: string, help: string, pick: (backlog: DeliveryBacklog) => number): void =>
		readGauge(registers, { name: `latchkey_${name}_${measure}`, help }, async () => pick(await read()));
	gauge("due", `${many} that wait for an attempt; NaN while the database is away.`, ({ waiting }) => waiting);
	gauge(
		"oldest_age_seconds",
		`Age of the oldest ${one} that waits; 0 without one, NaN while the database is away.`,
		({ oldestAtMs }) => since(oldestAtMs),
	);
	gauge(
		"overdue_seconds",
		`How long the due attempt of a ${one} was not made, at most; 0 without one, NaN while the database is away.`,
		({ nextAtMs }) => since(nextAtMs),
	);
}

function observeLogouts(registers: Registry[], { logoutStats }: OperationSources): void {
	const counter = (outcome: keyof LogoutDeliveryStats, help: string): void =>
		readCounter(
			registers,
			{ name: `latchkey_logout_notice_${outcome}_total`, help },
			() => logoutStats()[outcome],
		);
	counter("sent", "Logout notices that a relying party accepted, since the start.");
	counter("retried", "Attempts after which a logout notice waits for another.");
	counter("failed", "Logout notices abandoned after three days, since the start.");
}
