// Counts events in memory and writes the counts in batches.

import {
	type CountedMeasure,
	type EventCount,
	type EventCounter,
	type StatisticsSubject,
	WHOLE_TENANT,
} from "../../../domain/statistics.ts";
import { type Clock, HOUR_MS } from "../../../kernel/clock.ts";
import type { Needs } from "../../platform.ts";

/** The total of one kind of event since this process started. */
export interface EventTotal {
	readonly measure: CountedMeasure;
	readonly code: string;
	readonly total: number;
}

/** Events of a tenant or of one subject in an hour, by `measure code`. */
type Counts = Map<string, number>;

const NO_TENANT = "";

/**
 * Tenants and subjects come from rows and codes from closed lists, so callers cannot make it grow. A crash loses the counts since the
 * last `flush`; after a failed `flush`, the next one writes its counts.
 */
export class EventCounts implements EventCounter {
	readonly #clock: Clock;
	#hourStartMs = 0;
	/** Of the current hour, by tenant, then by subject. */
	#current = new Map<string, Map<string, Counts>>();
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
		this.countFor({ tenantId: tenantId ?? NO_TENANT, id: WHOLE_TENANT }, measure, code, times, atMs);
	}

	countFor(
		{ tenantId, id }: StatisticsSubject,
		measure: CountedMeasure,
		code = "",
		times = 1,
		atMs = this.#clock(),
	): void {
		if (atMs < this.#hourStartMs || atMs >= this.#hourStartMs + HOUR_MS) this.#beginHour(atMs);
		const subjects = mapIn(this.#current, tenantId);
		addTo(mapIn(subjects, id), keyOf(measure, code), times);
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
		for (const { subjectId, measure, code, total } of this.#taken)
			if (subjectId === WHOLE_TENANT) addTo(this.#flushed, keyOf(measure, code), total);
		this.#taken = [];
	}

	/** Of all tenants, for the metrics, including events that are not written yet. */
	totals(): EventTotal[] {
		const sums = new Map(this.#flushed);
		for (const { subjectId, measure, code, total } of [...this.#taken, ...this.#past, ...this.#counted()])
			if (subjectId === WHOLE_TENANT) addTo(sums, keyOf(measure, code), total);
		return [...sums].map(([key, total]) => ({ ...partsOf(key), total }));
	}

	#beginHour(atMs: number): void {
		this.#past.push(...this.#counted());
		this.#current = new Map();
		this.#hourStartMs = atMs - (atMs % HOUR_MS);
	}

	*#counted(): Generator<EventCount> {
		for (const [tenantId, subjects] of this.#current)
			for (const [subjectId, counts] of subjects)
				for (const [key, total] of counts)
					yield { tenantId, subjectId, ...partsOf(key), atMs: this.#hourStartMs, total };
	}
}

/** The map at `key`, which is created if it is missing. */
function mapIn<V>(maps: Map<string, Map<string, V>>, key: string): Map<string, V> {
	const existing = maps.get(key);
	if (existing !== undefined) return existing;
	const created = new Map<string, V>();
	maps.set(key, created);
	return created;
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
