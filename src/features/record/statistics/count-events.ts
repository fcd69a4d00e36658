// Counts events in memory and writes the counts in batches.

import type { CountedMeasure, EventCount, EventCounter } from "../../../domain/statistics.ts";
import { type Clock, HOUR_MS } from "../../../kernel/clock.ts";
import type { Needs } from "../../platform.ts";

/** The total of one kind of event since this process started. */
export interface EventTotal {
	readonly measure: CountedMeasure;
	readonly code: string;
	readonly total: number;
}

/** Events of a tenant in an hour, by `measure code`. */
type Counts = Map<string, number>;

const NO_TENANT = "";

/**
 * Tenants come from rows and codes from closed lists, so callers cannot make it grow. A crash loses the counts since the
 * last `flush`; after a failed `flush`, the next one writes its counts.
 */
export class EventCounts implements EventCounter {
	readonly #clock: Clock;
	#hourStartMs = 0;
	/** Of the current hour, by tenant. */
	#current = new Map<string, Counts>();
	/** Unwritten counts of earlier hours. */
	#past: EventCount[] = [];
	/** Being written. */
	#taken: EventCount[] = [];
	readonly #flushed = new Map<string, number>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	count(
		tenantId: string | undefined,
		measure: CountedMeasure,
		code = "",
		times = 1,
		atMs = this.#clock(),
	): void {
		if (atMs < this.#hourStartMs || atMs >= this.#hourStartMs + HOUR_MS) this.#beginHour(atMs);
		let counts = this.#current.get(tenantId ?? NO_TENANT);
		if (counts === undefined) {
			counts = new Map();
			this.#current.set(tenantId ?? NO_TENANT, counts);
		}
		const key = keyOf(measure, code);
		counts.set(key, (counts.get(key) ?? 0) + times);
	}

	async flush(needs: Needs<"statistics">): Promise<void> {
		await this.#write(needs);
		this.#beginHour(this.#clock());
		this.#taken = this.#past;
		this.#past = [];
		await this.#write(needs);
	}

	async #write({ db }: Needs<"statistics">): Promise<void> {
		const stored = this.#taken.filter(({ tenantId }) => tenantId !== NO_TENANT);
		if (stored.length > 0) await db.transaction(({ statistics }) => statistics.add(stored));
		for (const { measure, code, total } of this.#taken) addTo(this.#flushed, keyOf(measure, code), total);
		this.#taken = [];
	}

	/** For the metrics, including events that are not written yet. */
	totals(): EventTotal[] {
		const sums = new Map(this.#flushed);
		for (const { measure, code, total } of [...this.#taken, ...this.#past])
			addTo(sums, keyOf(measure, code), total);
		for (const counts of this.#current.values()) for (const [key, total] of counts) addTo(sums, key, total);
		return [...sums].map(([key, total]) => ({ ...partsOf(key), total }));
	}

	#beginHour(atMs: number): void {
		for (const [tenantId, counts] of this.#current)
			for (const [key, total] of counts)
				this.#past.push({ tenantId, ...partsOf(key), atMs: this.#hourStartMs, total });
		this.#current = new Map();
		this.#hourStartMs = atMs - (atMs % HOUR_MS);
	}
}

function addTo(sums: Map<string, number>, key: string, times: number): void {
	sums.set(key, (sums.get(key) ?? 0) + times);
}

function keyOf(measure: CountedMeasure, code: string): string {
	return code === "" ? measure : `${measure} ${code}`;
}

function partsOf(key: string): { measure: CountedMeasure; code: string } {
	const [measure = "", code = ""] = key.split(" ");
	return { measure: measure as CountedMeasure, code };
}
