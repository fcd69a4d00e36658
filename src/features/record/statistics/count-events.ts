// Counts events in memory and writes the counts in batches.

import {
	type CountedMeasure,
	type EventCount,
	type EventCounter,
	type StatisticsSubject,
	WHOLE_TENANT,
} from "../../../domain/statistics.ts";
import type { Db } from "../../../domain/stores.ts";
import { type Clock, HOUR_MS } from "../../../kernel/clock.ts";
import { type Flushable, WriteBehind } from "../../../kernel/write-behind.ts";

/** The total of one kind of event since this process started. */
export type EventTotal = Pick<EventCount, "measure" | "code" | "total">;

/** Events of a tenant or of one subject in an hour, by `measure code`. */
type Counts = Map<string, number>;

const NO_TENANT = "";
/** Counts of finished hours: tenants and subjects times codes. */
const COUNTS_MAX = 50_000;

/** Tenants and subjects come from rows and codes from closed lists, so callers cannot make an hour grow. */
export class EventCounts implements EventCounter, Flushable {
	readonly #clock: Clock;
	/** Counts that the next flush writes. Counting itself uses `#current`, which builds no long keys. */
	readonly buffer: WriteBehind<EventCount>;
	#hourStartMs = 0;
	/** Of the current hour, by tenant, then by subject. */
	#current = new Map<string, Map<string, Counts>>();
	/** By `measure code`, over all tenants: counts that left `#current`. */
	readonly #passed = new Map<string, number>();

	constructor(db: Db<"statistics">, clock: Clock) {
		this.#clock = clock;
		this.buffer = new WriteBehind<EventCount>({
			name: "event_counts",
			max: COUNTS_MAX,
			merge: (earlier, later) => ({ ...later, total: earlier.total + later.total }),
			write: (counts) => db.transaction(({ statistics }) => statistics.add(counts)),
		});
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

	flush(): Promise<void> {
		this.#beginHour(this.#clock());
		return this.buffer.flush();
	}

	/** Of all tenants, for the metrics, including events that are not written yet. */
	totals(): EventTotal[] {
		const sums = new Map(this.#passed);
		for (const count of this.#counted()) addTotal(sums, count);
		return [...sums].map(([key, total]) => ({ ...partsOf(key), total }));
	}

	#beginHour(atMs: number): void {
		for (const count of this.#counted()) {
			const { tenantId, subjectId, measure, code, atMs: hourMs } = count;
			if (tenantId !== NO_TENANT)
				this.buffer.record(`${tenantId} ${subjectId} ${keyOf(measure, code)} ${hourMs}`, count);
			addTotal(this.#passed, count);
		}
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

/** Each event of a subject is counted for its tenant, too. */
function addTotal(sums: Map<string, number>, { subjectId, measure, code, total }: EventCount): void {
	if (subjectId === WHOLE_TENANT) addTo(sums, keyOf(measure, code), total);
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
