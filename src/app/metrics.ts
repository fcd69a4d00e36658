// Metrics for Prometheus and OTLP. Loaded only if LATCHKEY_METRICS_PORT or LATCHKEY_OTLP_ENDPOINT is set.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { MetricFamily } from "../adapters/telemetry/metric-bridge.ts";
import type { HashLoad } from "../crypto/hash-queue.ts";
import type { CountedMeasure } from "../domain/statistics.ts";
import type { GateMeter } from "../features/partners/gate/ask-endpoints.ts";
import type { EventTotal } from "../features/record/statistics/count-events.ts";
import type { RequestMeter } from "../http/run/request-log.ts";
import type { ConnectionStats } from "../http/serve/connections.ts";
import type { MetricsText } from "../http/serve/metrics-listener.ts";
import type { MailDeliveryStats } from "../jobs/deliver-mail.ts";
import type { RecordBuffer } from "../kernel/write-behind.ts";
import { createReaders, type OperationSources, observeOperation } from "./operation-metrics.ts";
import type { SharingStats } from "./rate-limits.ts";

/** Seconds. A read takes about 0.5 ms, a password hash 0.2 s. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * How often the lag of the event loop is sampled. Each sample wakes an idle process and includes this time: a lag of
 * 0.1 s means none.
 */
export const EVENT_LOOP_SAMPLE_MS = 100;

/** Values that are read when the metrics are scraped; none is stored twice. */
interface MetricSources extends OperationSources {
	readonly version: string;
	readonly mail: () => MailDeliveryStats;
	/** Mails that wait in the outbox. */
	readonly mailWaiting: () => Promise<number>;
	/** Age of the oldest of them; 0 without one. */
	readonly mailOldestAgeSeconds: () => Promise<number>;
	readonly hashes: () => HashLoad;
	readonly rateLimits: () => SharingStats;
	readonly connections: () => ConnectionStats;
	readonly events: () => readonly EventTotal[];
	readonly buffers: readonly Pick<RecordBuffer, "name" | "dropped">[];
	/** Sessions of all tenants. */
	readonly sessions: () => Promise<number>;
}

export interface Metrics extends MetricsText {
	readonly meter: RequestMeter;
	readonly gateMeter: GateMeter;
	/** The values of every metric, for OTLP. */
	collect(): Promise<readonly MetricFamily[]>;
}

/** Creates a registry per call, so that two services in one process (tests) do not share metrics. */
export function createMetrics(sources: MetricSources): Metrics {
	const registers = [new Registry()];
	const [registry] = registers as [Registry];
	collectProcessMetrics(registry);
	const durations = new Histogram({
		name: "latchkey_http_request_duration_seconds",
		help: "Time from the first byte of a request to the last byte of its response.",
		labelNames: ["method", "route", "status"],
		buckets: DURATION_BUCKETS,
		registers,
	});
	const refusals = new Counter({
		name: "latchkey_rate_limit_refusals_total",
		help: "Requests refused by the rate limit of the service or of a single route.",
		labelNames: ["scope"],
		registers,
	});
	const errors = new Counter({
		name: "latchkey_http_errors_total",
		help: "Error responses by code; reason contains details that the response does not reveal.",
		labelNames: ["code", "reason"],
		registers,
	});
	const abandoned = new Counter({
		name: "latchkey_http_requests_abandoned_total",
		help: "Requests whose client disconnected before the end of the response.",
		registers,
	});
	const decisions = new Counter({
		name: "latchkey_gate_decisions_total",
		help: "Decisions of gates by application, kind of caller, and code: ok, or that of the refusal.",
		labelNames: ["application", "kind", "code"],
		registers,
	});
	const decisionTimes = new Histogram({
		name: "latchkey_gate_decision_duration_seconds",
		help: "Time in which a gate decides.",
		buckets: DURATION_BUCKETS,
		registers,
	});
	observeSources(registers, sources);
	observeOperation(registers, sources);
	observeEvents(registers, sources.events);
	observeBuffers(registers, sources);
	return {
		contentType: registry.contentType,
		render: () => registry.metrics(),
		collect: () => registry.getMetricsAsJSON(),
		gateMeter: {
			decide(application, kind, code, milliseconds) {
				decisions.inc({ application, kind, code });
				decisionTimes.observe(milliseconds / 1_000);
			},
		},
		meter: {
			observe: (method, route, status, milliseconds) =>
				durations.observe({ method, route, status }, milliseconds / 1_000),
			fail: (code, reason) => errors.inc({ code, reason: reason ?? "" }),
			refuse: (scope) => refusals.inc({ scope }),
			abandon: () => abandoned.inc(),
		},
	};
}

/** Memory, CPU time, garbage collection, and the event loop. */
export function collectProcessMetrics(register: Registry): void {
	collectDefaultMetrics({ register, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
}

function observeSources(registers: Registry[], sources: MetricSources): void {
	const { version, mail, mailWaiting, mailOldestAgeSeconds, hashes, rateLimits, connections, sessions } =
		sources;
	new Gauge({ name: "latchkey_info", help: "The running version.", labelNames: ["version"], registers }).set(
		{ version },
		1,
	);
	const { gauge, counter } = createReaders(registers);
	gauge("latchkey_mail_due", "Mails in the outbox; NaN while the database is unavailable.", mailWaiting);
	gauge(
		"latchkey_mail_oldest_age_seconds",
		"Age of the oldest waiting mail; 0 if none is waiting, NaN while the database is unavailable.",
		mailOldestAgeSeconds,
	);
	gauge("latchkey_mail_under_way", "Mails being sent now.", () => mail().underWay);
	gauge("latchkey_mail_transport_up", "0 while the mail server is considered unreachable.", () =>
		mail().isTransportAway ? 0 : 1,
	);
	const countMails = (outcome: "sent" | "retried" | "failed", help: string): void =>
		counter(`latchkey_mail_${outcome}_total`, help, () => mail()[outcome]);
	countMails("sent", "Mails accepted by the mail server since the start.");
	countMails("retried", "Attempts after which a mail waits for another attempt.");
	countMails("failed", "Mails that failed permanently since the start.");
	gauge("latchkey_hash_queue_depth", "Password hashes that wait for a thread.", () => hashes().waiting);
	gauge("latchkey_hash_queue_running", "Password hashes being computed.", () => hashes().running);
	gauge(
		"latchkey_rate_limit_local",
		"1 while Redis is unavailable and this node counts requests alone.",
		() => (rateLimits().isLocal ? 1 : 0),
	);
	counter(
		"latchkey_rate_limit_local_requests_total",
		"Requests that this node counted alone because Redis was unavailable or slow.",
		() => rateLimits().countedLocally,
	);
	gauge(
		"latchkey_sessions",
		"Sessions, including expired ones until they are deleted; an estimate above 100,000 on PostgreSQL, NaN while the database is unavailable.",
		sessions,
	);
	gauge("latchkey_connections_open", "Open connections of both listeners.", () => connections().open);
	counter(
		"latchkey_connections_freed_total",
		"Idle connections that were closed to make room for new ones.",
		() => connections().freed,
	);
	counter(
		"latchkey_connections_refused_total",
		"New connections that were closed because a limit was reached and no connection was idle.",
		() => connections().refused,
	);
}

function observeBuffers(registers: Registry[], { buffers }: MetricSources): void {
	new Counter({
		name: "latchkey_records_dropped_total",
		help: "Last uses, counts, and refusals that were dropped because the database could not be written for long.",
		labelNames: ["records"],
		registers,
		collect() {
			this.reset();
			for (const { name, dropped } of buffers) this.inc({ records: name }, dropped);
		},
	});
}

/** The counters of `/stats`, over all tenants. */
function observeEvents(registers: Registry[], read: MetricSources["events"]): void {
	const counter = (name: string, help: string, outcomes: Outcomes): void => {
		new Counter({
			name,
			help,
			labelNames: ["outcome"],
			registers,
			collect() {
				this.reset();
				for (const { measure, code, total } of read()) {
					const outcome = outcomes[measure];
					if (outcome !== undefined) this.inc({ outcome: outcome === "code" ? code : outcome }, total);
				}
			},
		});
	};
	counter("latchkey_sign_ins_total", "Sign-ins by outcome: success, or the code of the refusal.", {
		sign_in: "success",
		second_factor_asked: "second_factor_asked",
		sign_in_refused: "code",
	});
	counter("latchkey_signed_calls_total", "Signed calls by outcome: success, or the code of the refusal.", {
		signed_call: "success",
		signed_call_refused: "code",
	});
	counter(
		"latchkey_workload_authentications_total",
		"Tokens of platforms that workloads sent to authenticate an OAuth client or an admin key, by outcome: success, or what is wrong.",
		{ workload_authentication: "success", workload_refused: "code" },
	);
	counter(
		"latchkey_token_exchanges_total",
		"Token exchanges of authenticated clients by outcome: success, or the OAuth error.",
		{ token_exchange: "success", token_exchange_refused: "code" },
	);
	counter(
		"latchkey_assertions_issued_total",
		"Assertions for other services that authenticated clients requested, by outcome: success, or the OAuth error.",
		{ assertion_issue: "success", assertion_issue_refused: "code" },
	);
	counter(
		"latchkey_assertions_redeemed_total",
		"Assertions of other services that authenticated clients redeemed, by outcome: success, or the OAuth error.",
		{ assertion_redemption: "success", assertion_redemption_refused: "code" },
	);
	counter(
		"latchkey_directory_requests_total",
		"Requests of directories (SCIM) by outcome: success, or the code of the refusal.",
		{ directory_request: "success", directory_request_refused: "code" },
	);
	createReaders(registers).counter("latchkey_registrations_total", "Users who registered themselves.", () => {
		const registrations = read().filter(({ measure }) => measure === "registration");
		return registrations.reduce((sum, { total }) => sum + total, 0);
	});
}

/** The outcome by measure; `code` means the code of the event. */
type Outcomes = Partial<Record<CountedMeasure, string>>;
