// Reads the statistics of a tenant for every step of a range, including steps without events.

import {
	type CountedMeasure,
	OBSERVED_MEASURES,
	type ObservedMeasure,
	STEP_MS,
	STEPS_MAX,
	type StatisticsRow,
	type StatisticsStep,
	type StatisticsSubject,
	startOfStep,
	WHOLE_TENANT,
} from "../../../domain/statistics.ts";
import { DAY_MS } from "../../../kernel/clock.ts";
import { invalidField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

/** The range without `from`. */
const DEFAULT_RANGE_MS: Readonly<Record<StatisticsStep, number>> = { hour: DAY_MS, day: 30 * DAY_MS };

export interface StatisticsQuery {
	readonly step: StatisticsStep;
	readonly fromMs: number | undefined;
	readonly toMs: number | undefined;
}

/** The events of one step: by measure, then by code (`""` without one). */
export interface StepTotals {
	readonly atMs: number;
	readonly totals: ReadonlyMap<CountedMeasure | ObservedMeasure, ReadonlyMap<string, number>>;
}

export interface Statistics {
	readonly step: StatisticsStep;
	readonly fromMs: number;
	/** The end of the last step. */
	readonly toMs: number;
	/** Oldest first. */
	readonly steps: readonly StepTotals[];
}

/** The current step shows the current lengths of the queues. @throws AppError `request.invalid`. */
export async function readStatistics(
	{ db, clock }: Needs<"statistics", "clock">,
	query: StatisticsQuery,
	tenantId: string,
): Promise<Statistics> {
	const nowMs = clock();
	const { step, fromMs, toMs } = rangeOf(query, nowMs);
	const [rows, queues] = await Promise.all([
		db.stores.statistics.list({ tenantId, id: WHOLE_TENANT }, step, fromMs, toMs),
		db.stores.statistics.queues(tenantId),
	]);
	const steps = filledSteps(step, fromMs, toMs, rows);
	const current = steps.get(startOfStep(step, nowMs));
	for (const measure of OBSERVED_MEASURES) set(current, measure, "", queues[measure]);
	return { step, fromMs, toMs, steps: [...steps].map(([atMs, totals]) => ({ atMs, totals })) };
}

/** Of one API client, gate, or webhook. @throws AppError `request.invalid`. */
export async function readSubjectStatistics(
	{ db, clock }: Needs<"statistics", "clock">,
	query: StatisticsQuery,
	subject: StatisticsSubject,
): Promise<Statistics> {
	const { step, fromMs, toMs } = rangeOf(query, clock());
	const steps = filledSteps(step, fromMs, toMs, await db.stores.statistics.list(subject, step, fromMs, toMs));
	return { step, fromMs, toMs, steps: [...steps].map(([atMs, totals]) => ({ atMs, totals })) };
}

/** Whole steps, none of them in the future. @throws AppError `request.invalid`. */
export function rangeOf({ step, fromMs, toMs }: StatisticsQuery, nowMs: number) {
	const length = STEP_MS[step];
	const end = Math.min(toMs ?? nowMs, nowMs);
	const start = fromMs ?? end - DEFAULT_RANGE_MS[step];
	if (toMs !== undefined && start >= toMs) throw invalidField("from", "before_to");
	if (start > nowMs) throw invalidField("from", "not_future");
	const first = startOfStep(step, start);
	// A range that ends where a step begins excludes that step; a range up to now includes the current step.
	const isOpen = toMs === undefined || toMs > nowMs;
	const last = startOfStep(step, isOpen ? end : end - 1);
	if ((last - first) / length >= STEPS_MAX[step])
		throw invalidField("from", "steps_max", { max: STEPS_MAX[step], step });
	return { step, fromMs: first, toMs: last + length };
}

type Totals = Map<CountedMeasure | ObservedMeasure, Map<string, number>>;

function filledSteps(
	step: StatisticsStep,
	fromMs: number,
	toMs: number,
	rows: readonly StatisticsRow[],
): Map<number, Totals> {
	const steps = new Map<number, Totals>();
	for (let atMs = fromMs; atMs < toMs; atMs += STEP_MS[step]) steps.set(atMs, new Map());
	for (const { atMs, measure, code, total } of rows) set(steps.get(atMs), measure, code, total);
	return steps;
}

function set(
	totals: Totals | undefined,
	measure: StatisticsRow["measure"],
	code: string,
	total: number,
): void {
	if (totals === undefined) return;
	const codes = totals.get(measure) ?? new Map<string, number>();
	codes.set(code, total);
	totals.set(measure, codes);
}
