// Converts the metrics of the registry to those of OpenTelemetry, so that nothing is counted twice.

import { ValueType } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import {
	AggregationTemporality,
	type DataPoint,
	DataPointType,
	type Histogram,
	type MetricData,
	type MetricProducer,
} from "@opentelemetry/sdk-metrics";

type Labels = Readonly<Partial<Record<string, string | number>>>;

/** One value; for a histogram, `metricName` ends with `_bucket`, `_sum`, or `_count`. */
interface SeriesValue {
	readonly value: number;
	readonly labels: Labels;
	readonly metricName?: string;
}

/** A metric as in the Prometheus registry. */
export interface MetricFamily {
	readonly name: string;
	readonly help: string;
	/** `counter`, `gauge`, or `histogram`; prom-client declares a number, but the value is text. */
	readonly type: unknown;
	readonly values: readonly SeriesValue[];
}

/** A point in time as seconds and nanoseconds. */
type HrTime = [number, number];

interface BridgeOptions {
	readonly resource: Resource;
	readonly scope: { readonly name: string; readonly version: string };
	/** The start time of the counters. */
	readonly startedAtMs: number;
	readonly collect: () => Promise<readonly MetricFamily[]>;
}

export function bridgeMetrics({ resource, scope, startedAtMs, collect }: BridgeOptions): MetricProducer {
	const startTime = hrTime(startedAtMs);
	return {
		async collect() {
			const families = await collect();
			const times = { startTime, endTime: hrTime(Date.now()) };
			const metrics = families
				.map((family) => metricOf(family, times))
				.filter(({ dataPoints }) => dataPoints.length > 0);
			return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
		},
	};
}

interface Times {
	readonly startTime: HrTime;
	readonly endTime: HrTime;
}

/** @throws Error for a kind that the registry does not use, such as a summary. */
function metricOf({ name, help, type, values }: MetricFamily, times: Times): MetricData {
	const common = {
		descriptor: { name, description: help, unit: "", valueType: ValueType.DOUBLE },
		aggregationTemporality: AggregationTemporality.CUMULATIVE,
	};
	switch (type) {
		case "counter":
			return {
				...common,
				dataPointType: DataPointType.SUM,
				isMonotonic: true,
				dataPoints: numbers(values, times),
			};
		case "gauge":
			return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: numbers(values, times) };
		case "histogram":
			return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(values, times) };
		default:
			throw new Error(`metric ${name} is a ${String(type)}, which cannot be exported`);
	}
}

/** A value that could not be read is NaN in the registry; it is not sent. */
function numbers(values: readonly SeriesValue[], times: Times): DataPoint<number>[] {
	return values
		.filter(({ value }) => !Number.isNaN(value))
		.map(({ value, labels }) => ({ ...times, attributes: { ...labels }, value }));
}

function histograms(values: readonly SeriesValue[], times: Times): DataPoint<Histogram>[] {
	const series = new Map<string, { labels: Labels; parts: SeriesValue[] }>();
	for (const part of values) {
		const { le: _, ...labels } = part.labels;
		const key = JSON.stringify(Object.entries(labels).sort());
		const found = series.get(key);
		if (found === undefined) series.set(key, { labels, parts: [part] });
		else found.parts.push(part);
	}
	return [...series.values()].map(({ labels, parts }) => ({
		...times,
		attributes: { ...labels },
		value: histogramOf(parts),
	}));
}

/** Prometheus counts values up to `le`; OpenTelemetry counts values between two boundaries. */
function histogramOf(parts: readonly SeriesValue[]): Histogram {
	const partOf = (suffix: string): number =>
		parts.find(({ metricName = "" }) => metricName.endsWith(suffix))?.value ?? 0;
	const buckets = parts
		.filter(({ labels }) => labels.le !== undefined && labels.le !== "+Inf")
		.map(({ labels, value }) => ({ le: Number(labels.le), value }))
		.sort((one, other) => one.le - other.le);
	const count = partOf("_count");
	const upTo = [...buckets.map(({ value }) => value), count];
	return {
		buckets: {
			boundaries: buckets.map(({ le }) => le),
			counts: upTo.map((value, index) => value - (upTo[index - 1] ?? 0)),
		},
		sum: partOf("_sum"),
		count,
	};
}

function hrTime(ms: number): HrTime {
	return [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)];
}
