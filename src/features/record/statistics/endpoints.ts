// `/stats`: counts sign-ins, signed calls, deliveries, and refusals over time, and the lengths of the queues.

import type { Administrator } from "../../../domain/caller.ts";
import {
	type CountedMeasure,
	type ObservedMeasure,
	STATISTICS_STEPS,
	STEPS_MAX,
} from "../../../domain/statistics.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
import { oneOf, timeText } from "../../../http/describe/query-parameters.ts";
import { choice, integer, list, mapOf, object, time } from "../../../http/describe/schema.ts";
import { isoTime } from "../../../kernel/clock.ts";
import type { Platform } from "../../platform.ts";
import { readStatistics, type Statistics, type StepTotals } from "./read-statistics.ts";

/** Counts by code: only codes that occurred. */
function byCode(description: string) {
	return mapOf(integer(), { description, examples: [{}] });
}

const stepSchema = object(
	{
		at: time("The start of the step."),
		sign_ins: integer("Sessions started, with any way to sign in."),
		second_factors_asked: integer(
			"Sign-ins in which the first factor was correct and a second one was required.",
		),
		refused_sign_ins: byCode(
			"Refused sign-ins by code. `login.locked`: the account refuses its password until it is reset. `third_party.…`: the `error` of the callback.",
		),
		signed_calls: integer("Signed calls that succeeded."),
		refused_calls: byCode(
			"Signed calls that failed, by code. Calls with an unknown API key count for the tenant in `X-Tenant-ID`; without a tenant, they are not counted.",
		),
		registrations: integer("Users who registered."),
		pending_requests: integer("Requests of partners and for programs that are waiting for a decision."),
		mails_waiting: integer("Mails in the outbox."),
		mails_sent: integer("Mails that the mail server accepted."),
		mails_failed: integer("Mails that failed permanently."),
		webhook_attempts: integer("Delivery attempts of webhooks that the receiver accepted."),
		failed_webhook_attempts: byCode(
			"Delivery attempts of webhooks that failed, by `no_response`, `status.3xx`, `status.4xx`, and `status.5xx`. A delivery that is retried counts several times.",
		),
	},
	{ title: "StatisticsStep" },
);
const statisticsSchema = object(
	{
		from: time("The start of the first step."),
		to: time("The end of the last step."),
		step: choice(STATISTICS_STEPS),
		steps: list(stepSchema, { description: "Every step of the range, oldest first." }),
	},
	{ title: "Statistics" },
);

export function statisticsEndpoints(platform: Platform) {
	return {
		get: endpoint<Administrator>()({
			name: "getStatistics",
			summary: "Count sign-ins, signed calls and refusals over time",
			description: `Counts the tenant's events per hour (at most ${STEPS_MAX.hour}) or per day (at most ${STEPS_MAX.day}) in UTC. \`from\` is inclusive and \`to\` exclusive; both are ISO 8601 times with a zone and are extended to whole steps. The default is the last 24 hours, or the last 30 days with \`step=day\`. Counts lag by some seconds. \`pending_requests\` and \`mails_waiting\` are the last observed values of the step, or the current values for the current step; 0 if none was observed. Hours are kept for 35 days, days for 400.`,
			query: { from: timeText(), to: timeText(), step: oneOf(STATISTICS_STEPS) },
			response: data(200, statisticsSchema, "The steps of the range."),
			async handle({ caller, query: { step = "hour", from: fromMs, to: toMs } }) {
				return toWireStatistics(await readStatistics(platform, { step, fromMs, toMs }, caller.tenantId));
			},
		}),
	};
}

/** The CLI uses it too. */
export function toWireStatistics({ fromMs, toMs, step, steps }: Statistics) {
	return { from: isoTime(fromMs), to: isoTime(toMs), step, steps: steps.map(toWireStep) };
}

function toWireStep({ atMs, totals }: StepTotals) {
	const codesOf = (measure: CountedMeasure): Record<string, number> =>
		Object.fromEntries(totals.get(measure) ?? []);
	const totalOf = (measure: CountedMeasure | ObservedMeasure): number => totals.get(measure)?.get("") ?? 0;
	return {
		at: isoTime(atMs),
		sign_ins: totalOf("sign_in"),
		second_factors_asked: totalOf("second_factor_asked"),
		refused_sign_ins: codesOf("sign_in_refused"),
		signed_calls: totalOf("signed_call"),
		refused_calls: codesOf("signed_call_refused"),
		registrations: totalOf("registration"),
		pending_requests: totalOf("requests_pending"),
		mails_waiting: totalOf("mails_waiting"),
		mails_sent: totalOf("mail_sent"),
		mails_failed: totalOf("mail_failed"),
		webhook_attempts: totalOf("webhook_attempt"),
		failed_webhook_attempts: codesOf("webhook_attempt_failed"),
	};
}
