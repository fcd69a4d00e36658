// The statistics of one API client, gate, or webhook: successes and failures by hour or day.

import { apiClientNotFound } from "../../../domain/api-client.ts";
import { applicationNotFound } from "../../../domain/application.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { gateNotFound } from "../../../domain/gate.ts";
import {
	STATISTICS_STEPS,
	STEPS_MAX,
	type StatisticsSubject,
	SUBJECT_MEASURES,
	type SubjectKind,
} from "../../../domain/statistics.ts";
import { webhookNotFound } from "../../../domain/webhook.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
import { oneOf, timeText } from "../../../http/describe/query-parameters.ts";
import { choice, integer, list, mapOf, object, time } from "../../../http/describe/schema.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { found } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { readSubjectStatistics, type StatisticsQuery } from "./read-statistics.ts";

const stepSchema = object(
	{
		at: time("The start of the step."),
		ok: integer("What succeeded."),
		refused: mapOf(integer(), {
			description: "What was refused or failed, by code: only codes that occurred.",
			examples: [{ "scope.missing": 2 }],
		}),
	},
	{ title: "ResultStep" },
);
const resultsSchema = object(
	{
		from: time("The start of the first step."),
		to: time("The end of the last step."),
		step: choice(STATISTICS_STEPS),
		steps: list(stepSchema, { description: "Every step of the range, oldest first." }),
	},
	{ title: "Results" },
);
const RANGE = `Per hour (at most ${STEPS_MAX.hour}) or per day (at most ${STEPS_MAX.day}) in UTC. \`from\` is inclusive and \`to\` exclusive; both are ISO 8601 times with a zone and are extended to whole steps. The default is the last 24 hours, or the last 30 days with \`step=day\`. Counts lag by some seconds. Hours are kept for 35 days, days for 400.`;
const shared = {
	query: { from: timeText(), to: timeText(), step: oneOf(STATISTICS_STEPS) },
	response: data(200, resultsSchema, "The steps of the range."),
} as const;

export function subjectStatisticsEndpoints(platform: Platform) {
	const { apiClients, applications, gates, webhooks } = platform.db.stores;
	const read = async (kind: SubjectKind, subject: StatisticsSubject, query: StatisticsQuery) => {
		const { ok, refused } = SUBJECT_MEASURES[kind];
		const { fromMs, toMs, step, steps } = await readSubjectStatistics(platform, query, subject);
		const wireSteps = steps.map(({ atMs, totals }) => ({
			at: isoTime(atMs),
			ok: totals.get(ok)?.get("") ?? 0,
			refused: Object.fromEntries(totals.get(refused) ?? []),
		}));
		return { from: isoTime(fromMs), to: isoTime(toMs), step, steps: wireSteps };
	};
	return {
		apiClient: endpoint<Administrator>()({
			name: "getApiClientStatistics",
			summary: "Count the calls of an API client over time",
			description: `Counts signed calls with the client's API key by result, including those of a test client. Calls without a valid signature count too: anyone who knows the key can send them. ${RANGE}`,
			ids: { id: "api_client.not_found" },
			...shared,
			async handle({ caller: { tenantId }, ids: { id }, query: { step = "hour", from: fromMs, to: toMs } }) {
				found(await apiClients.findById(tenantId, id), apiClientNotFound);
				return read("apiClient", { tenantId, id }, { step, fromMs, toMs });
			},
		}),

		gate: endpoint<Administrator>()({
			name: "getGateStatistics",
			summary: "Count the decisions of a gate over time",
			description: `Counts the requests that the gate decided for a proxy or a middleware, by decision. ${RANGE}`,
			ids: { id: "application.not_found" },
			errors: ["gate.not_found"],
			...shared,
			async handle({ caller: { tenantId }, ids: { id }, query: { step = "hour", from: fromMs, to: toMs } }) {
				found(await applications.findById(tenantId, id), applicationNotFound);
				found(await gates.find(tenantId, id), gateNotFound);
				return read("gate", { tenantId, id }, { step, fromMs, toMs });
			},
		}),

		webhook: endpoint<Administrator>()({
			name: "getWebhookStatistics",
			summary: "Count the delivery attempts of a webhook over time",
			description: `Counts attempts, so a delivery that is retried counts several times. Failed attempts are counted by \`no_response\`, \`status.3xx\`, \`status.4xx\`, and \`status.5xx\`. ${RANGE}`,
			ids: { id: "webhook.not_found" },
			...shared,
			async handle({ caller: { tenantId }, ids: { id }, query: { step = "hour", from: fromMs, to: toMs } }) {
				found(await webhooks.findById(tenantId, id), webhookNotFound);
				return read("webhook", { tenantId, id }, { step, fromMs, toMs });
			},
		}),
	};
}
