// The metrics of what operators look after: the database, queued webhook deliveries, the certificate.

import { Counter, Gauge, type Registry } from "prom-client";
import type { Engine } from "../adapters/sql/engine.ts";
import type { WebhookBacklog } from "../domain/webhook-delivery.ts";
import { type Clock, SECOND_MS } from "../kernel/clock.ts";

export interface OperationSources {
	readonly database: Pick<Engine, "failures" | "pool" | "queries">;
	readonly webhooks: () => Promise<WebhookBacklog>;
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
	observeWebhooks(registers, sources);
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

function observeWebhooks(registers: Registry[], { webhooks, clock }: OperationSources): void {
	const since = (atMs: number | undefined): number =>
		atMs === undefined ? 0 : Math.max(0, clock() - atMs) / SECOND_MS;
	const gauge = (name: string, help: string, read: (backlog: WebhookBacklog) => number): void =>
		readGauge(registers, { name, help }, async () => read(await webhooks()));
	gauge(
		"latchkey_webhook_due",
		"Webhook deliveries that wait for an attempt; NaN while the database is away.",
		({ waiting }) => waiting,
	);
	gauge(
		"latchkey_webhook_oldest_age_seconds",
		"Age of the oldest webhook delivery that waits; 0 without one, NaN while the database is away.",
		({ oldestAtMs }) => since(oldestAtMs),
	);
	gauge(
		"latchkey_webhook_overdue_seconds",
		"How long the attempt that is due longest was not made; 0 without one, NaN while the database is away.",
		({ nextAtMs }) => since(nextAtMs),
	);
}
