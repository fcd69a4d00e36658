// Counts the durations of requests, and hands them to the metrics library when it is asked: its own `observe` builds
// and hashes the labels of every request.

import { Histogram, type Registry } from "prom-client";

/** Seconds. A read takes about 0.5 ms, a password hash 0.2 s. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Label = "method" | "route" | "status";

interface Series {
	readonly labels: Readonly<Record<Label, string | number>>;
	/** For each bound the durations up to it and above the one before; the last for those above all. */
	readonly counts: number[];
	count: number;
	sum: number;
}

type Values = Awaited<ReturnType<Histogram["get"]>>;

/** A histogram of the library whose values are counted here. */
export class RequestDurations extends Histogram<Label> {
	readonly #metricName: string;
	readonly #series: Series[] = [];
	/** By route, method and status: none of the three is joined to a key for a request. */
	readonly #known = new Map<string, Map<string, Map<number, Series>>>();

	constructor(registers: Registry[]) {
		const name = "latchkey_http_request_duration_seconds";
		const help = "Time from a request's first byte to its answer's last.";
		super({ name, help, labelNames: ["method", "route", "status"], buckets: BUCKETS, registers });
		this.#metricName = name;
	}

	/** `route` comes from the route map: there are few. */
	add(method: string, route: string, status: number, seconds: number): void {
		const series = this.#known.get(route)?.get(method)?.get(status) ?? this.#begin(method, route, status);
		let bucket = 0;
		while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket++;
		series.counts[bucket] = (series.counts[bucket] as number) + 1;
		series.count++;
		series.sum += seconds;
	}

	/** What the library's own `get` gives, in its order. Async as that one is. */
	override async get(): Promise<Values> {
		// The library sets these on every metric, and declares them only on the result.
		const { name, help, type, aggregator, collect } = this as unknown as Values;
		const values = this.#series.flatMap((series) => this.#valuesOf(series));
		return { name, help, type, values, aggregator, collect };
	}

	/** The library renders text from this where it exists, and from `get` otherwise: both are the same here. */
	getForPromString(): Promise<Values> {
		return this.get();
	}

	#begin(method: string, route: string, status: number): Series {
		const counts = new Array<number>(BUCKETS.length + 1).fill(0);
		const series = { labels: { method, route, status }, counts, count: 0, sum: 0 };
		const byMethod = this.#known.get(route) ?? new Map<string, Map<number, Series>>();
		const byStatus = byMethod.get(method) ?? new Map<number, Series>();
		byStatus.set(status, series);
		byMethod.set(method, byStatus);
		this.#known.set(route, byMethod);
		this.#series.push(series);
		return series;
	}

	#valuesOf({ labels, counts, count, sum }: Series): Values["values"] {
		const name = this.#metricName;
		let upTo = 0;
		const bucket = (le: string | number, value: number) => ({
			labels: { le, ...labels },
			value,
			metricName: `${name}_bucket`,
		});
		return [
			...BUCKETS.map((bound, index) => {
				upTo += counts[index] as number;
				return bucket(bound, upTo);
			}),
			bucket("+Inf", count),
			{ labels, value: sum, metricName: `${name}_sum` },
			{ labels, value: count, metricName: `${name}_count` },
		];
	}
}
