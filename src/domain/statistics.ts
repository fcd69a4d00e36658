// Statistics of a tenant, and of its API clients, gates, and webhooks: events by hour and day, and observed queues.

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

/** The subjects with their own counts, and their measures: successes, and failures by code. */
export const SUBJECT_MEASURES = {
	apiClient: { ok: "signed_call", refused: "signed_call_refused" },
	gate: { ok: "gate_decision", refused: "gate_decision_refused" },
	webhook: { ok: "webhook_attempt", refused: "webhook_attempt_failed" },
} as const;
export type SubjectKind = keyof typeof SUBJECT_MEASURES;
type SubjectMeasure = (typeof SUBJECT_MEASURES)[SubjectKind]["ok" | "refused"];

/** Stored: never change the meaning of a name. */
export type CountedMeasure =
	| SubjectMeasure
	| "assertion_issue"
	| "assertion_issue_refused"
	| "assertion_redemption"
	| "assertion_redemption_refused"
	| "directory_request"
	| "directory_request_refused"
	| "mail_failed"
	| "mail_sent"
	| "registration"
	| "second_factor_asked"
	| "sign_in"
	| "sign_in_refused"
	| "token_exchange"
	| "token_exchange_refused"
	| "workload_authentication"
	| "workload_refused";

/** Queue lengths: a step has the last value observed in it. */
export const OBSERVED_MEASURES = ["requests_pending", "mails_waiting"] as const;
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
	/** Counts for one API client, gate, or webhook only. The id comes from a row. */
	countFor(
		subject: StatisticsSubject,
		measure: SubjectMeasure,
		code?: string,
		times?: number,
		atMs?: number,
	): void;
}

export interface StatisticsSubject {
	readonly tenantId: string;
	/** A gate has the id of its application. */
	readonly id: string;
}

/** The `subjectId` of counts of the whole tenant. */
export const WHOLE_TENANT = "";

export interface EventCount {
	readonly tenantId: string;
	/** `WHOLE_TENANT`, or the id of an API client, a gate, or a webhook. */
	readonly subjectId: string;
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

/** The signed calls of an API client in an hour. */
export interface CallsRow {
	readonly atMs: number;
	/** Accepted and refused. */
	readonly calls: number;
	readonly refused: number;
}

export interface StatisticsStore {
	/** Inside a transaction: adds to the hour and to the day, so that nodes sum up. */
	add(counts: readonly EventCount[]): Promise<void>;
	/** Inside a transaction: stores the length of every tenant's queues for the hour and the day of `nowMs`. */
	observe(nowMs: number): Promise<void>;
	/** From `fromMs`, inclusive, to `toMs`, exclusive, both at the start of a step. At most `STEPS_MAX` steps. */
	list(
		subject: StatisticsSubject,
		step: StatisticsStep,
		fromMs: number,
		toMs: number,
	): Promise<StatisticsRow[]>;
	/** Hours of these API clients from `fromMs`, by client. */
	listCalls(tenantId: string, clientIds: readonly string[], fromMs: number): Promise<Map<string, CallsRow[]>>;
	/** The length of the tenant's queues now. */
	queues(tenantId: string): Promise<Readonly<Record<ObservedMeasure, number>>>;
	/** Deletes steps older than `STATISTICS_KEPT_MS`, at most `limit` rows. */
	purge(nowMs: number, limit: number): Promise<number>;
}

export function startOfStep(step: StatisticsStep, atMs: number): number {
	return atMs - (atMs % STEP_MS[step]);
}
