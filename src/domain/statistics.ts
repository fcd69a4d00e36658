// Statistics of a tenant: events counted by hour and day, and periodically observed queues.

import { DAY_MS, HOUR_MS } from "../kernel/clock.ts";

export const STATISTICS_STEPS = ["hour", "day"] as const;
export type StatisticsStep = (typeof STATISTICS_STEPS)[number];
/** UTC hours and days. */
export const STEP_MS: Readonly<Record<StatisticsStep, number>> = { hour: HOUR_MS, day: DAY_MS };
/** Steps in one response: a month of hours, a leap year of days. */
export const STEPS_MAX: Readonly<Record<StatisticsStep, number>> = { hour: 31 * 24, day: 366 };
/** Older steps are deleted. */
export const STATISTICS_KEPT_MS: Readonly<Record<StatisticsStep, number>> = {
	hour: 35 * DAY_MS,
	day: 400 * DAY_MS,
};

/** Stored: never change the meaning of a name. */
export type CountedMeasure =
	| "registration"
	| "second_factor_asked"
	| "sign_in"
	| "sign_in_refused"
	| "signed_call"
	| "signed_call_refused";

/** Queue lengths: a step has the last value observed in it. */
export const OBSERVED_MEASURES = ["access_requests_pending", "mails_waiting"] as const;
export type ObservedMeasure = (typeof OBSERVED_MEASURES)[number];

/** Counts in memory; a job writes the counts every few seconds. */
export interface EventCounter {
	/**
	 * Counts events of one kind. `code` comes from a closed list, so that counts stay few. Events without a tenant appear
	 * in the metrics only. Default: one event, now, without a code.
	 */
	count(
		tenantId: string | undefined,
		measure: CountedMeasure,
		code?: string,
		times?: number,
		atMs?: number,
	): void;
}

export interface EventCount {
	readonly tenantId: string;
	readonly measure: CountedMeasure;
	/** `""` if events of the measure have no code. */
	readonly code: string;
	/** Any time within the hour of the events. */
	readonly atMs: number;
	readonly total: number;
}

export interface StatisticsRow {
	/** The start of the step. */
	readonly atMs: number;
	readonly measure: CountedMeasure | ObservedMeasure;
	readonly code: string;
	readonly total: number;
}

export interface StatisticsStore {
	/** Inside a transaction: adds to the hour and to the day, so that nodes sum up. */
	add(counts: readonly EventCount[]): Promise<void>;
	/** Inside a transaction: stores the length of every tenant's queues for the hour and the day of `nowMs`. */
	observe(nowMs: number): Promise<void>;
	/** From `fromMs`, inclusive, to `toMs`, exclusive, both at the start of a step. At most `STEPS_MAX` steps. */
	list(tenantId: string, step: StatisticsStep, fromMs: number, toMs: number): Promise<StatisticsRow[]>;
	/** The length of the tenant's queues now. */
	queues(tenantId: string): Promise<Readonly<Record<ObservedMeasure, number>>>;
	/** Deletes steps older than `STATISTICS_KEPT_MS`, at most `limit` rows. */
	purge(nowMs: number, limit: number): Promise<number>;
}

export function startOfStep(step: StatisticsStep, atMs: number): number {
	return atMs - (atMs % STEP_MS[step]);
}
