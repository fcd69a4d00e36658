// Sends traces and metrics to a receiver over OTLP/HTTP. Loaded only if LATCHKEY_OTLP_ENDPOINT is set.

import http from "node:http";
import https from "node:https";
import { setTimeout } from "node:timers/promises";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
	MeterProvider,
	type MetricProducer,
	PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
	BatchSpanProcessor,
	ParentBasedSampler,
	TraceIdRatioBasedSampler,
	TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Log } from "../../kernel/log.ts";
import type { Tracing } from "../../kernel/tracing.ts";
import { bridgeMetrics, type MetricFamily } from "./metric-bridge.ts";
import { logOutages } from "./outage-log.ts";
import { createTracing } from "./spans.ts";

export interface TelemetryOptions {
	/** Base URL without a trailing slash; `/v1/traces` and `/v1/metrics` are appended. */
	readonly endpoint: string;
	readonly headers: Readonly<Record<string, string>>;
	/** Percentage of the traces that begin here, 0 to 100. */
	readonly tracePercent: number;
	readonly version: string;
	/** Distinguishes the processes of one installation. */
	readonly instanceId: string;
	readonly log: Log;
	/** The longest delay of a finished span. Default 5 s. */
	readonly spanDelayMs?: number;
	/** Time between two exports of metrics. Default 60 s. */
	readonly metricsEveryMs?: number;
	/** The time limit of one export, including retries. Default 5 s. */
	readonly timeoutMs?: number;
}

export interface Telemetry {
	readonly tracing: Tracing;
	/** Call once. From then on, the metrics that `collect` returns are sent regularly. */
	sendMetrics(collect: () => Promise<readonly MetricFamily[]>): void;
	/** Sends what is queued, for at most `graceMs`, and closes the connections. Never rejects. */
	stop(graceMs: number): Promise<void>;
}

const NAME = "latchkey";
/** Spans in memory; further ones are dropped. A span takes about 1 KB. */
const SPANS_MAX = 2_048;
const SPANS_PER_EXPORT = 512;
/** The running export, plus the exports of all queued spans when the service stops: the SDK refuses any beyond this. */
const EXPORTS_AT_ONCE = 1 + SPANS_MAX / SPANS_PER_EXPORT;
/** The grace period at a stop for a receiver that has just failed. */
const AWAY_GRACE_MS = 250;

export function startTelemetry(options: TelemetryOptions): Telemetry {
	const { endpoint, headers, version, log, timeoutMs = 5_000 } = options;
	const startedAtMs = Date.now();
	const { Agent } = endpoint.startsWith("https:") ? https : http;
	const agent = new Agent({ keepAlive: true, maxSockets: EXPORTS_AT_ONCE + 1 });
	const resource = resourceFromAttributes({
		"service.name": NAME,
		"service.version": version,
		"service.instance.id": options.instanceId,
	});
	const exporterOptions = (path: string) => ({
		url: endpoint + path,
		headers: { ...headers },
		timeoutMillis: timeoutMs,
		concurrencyLimit: EXPORTS_AT_ONCE,
		httpAgentOptions: () => agent,
	});
	const spanExporter = new OTLPTraceExporter(exporterOptions("/v1/traces"));
	const traces = logOutages(spanExporter, "traces", log);
	const tracers = createTracers(options, resource, spanExporter);
	let meters: MeterProvider | undefined;
	let metrics = { isAway: false };
	return {
		tracing: createTracing(tracers.getTracer(NAME, version)),
		sendMetrics(collect) {
			const exporter = new OTLPMetricExporter(exporterOptions("/v1/metrics"));
			metrics = logOutages(exporter, "metrics", log);
			const bridge = bridgeMetrics({ resource, scope: { name: NAME, version }, startedAtMs, collect });
			const reader = new PeriodicExportingMetricReader({
				exporter,
				exportIntervalMillis: options.metricsEveryMs ?? 60_000,
				exportTimeoutMillis: Math.min(timeoutMs, options.metricsEveryMs ?? 60_000),
				metricProducers: [logFailures(bridge, log)],
			});
			meters = new MeterProvider({ resource, readers: [reader] });
		},
		async stop(graceMs) {
			const flushed = Promise.allSettled([tracers.shutdown(), meters?.shutdown()]);
			const ms = traces.isAway || metrics.isAway ? Math.min(graceMs, AWAY_GRACE_MS) : graceMs;
			await Promise.race([flushed, setTimeout(Math.max(0, ms), undefined, { ref: false })]);
			agent.destroy();
		},
	};
}

/** The reader silently drops an error of a producer. */
function logFailures(producer: MetricProducer, log: Log): MetricProducer {
	return {
		collect: () =>
			producer.collect().catch((err: unknown) => {
				log.error({ err }, "the metrics for the OTLP receiver cannot be collected");
				throw err;
			}),
	};
}

/** Keeps the sampling decision of a parent, which only a trusted caller can specify. */
function createTracers(
	{ tracePercent, spanDelayMs = 5_000, timeoutMs = 5_000 }: TelemetryOptions,
	resource: ReturnType<typeof resourceFromAttributes>,
	exporter: OTLPTraceExporter,
): TracerProvider {
	return new TracerProvider({
		resource,
		sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(tracePercent / 100) }),
		spanProcessors: [
			new BatchSpanProcessor({
				exporter,
				maxQueueSize: SPANS_MAX,
				maxExportBatchSize: SPANS_PER_EXPORT,
				scheduledDelayMillis: spanDelayMs,
				exportTimeoutMillis: timeoutMs * 2,
			}),
		],
	});
}
