// `/audit-events`: administrators and auditors of a tenant read the audit trail, in pages or as a file.

import { AUDIT_COUNTED_MAX, type AuditEvent, type AuditQuery } from "../../../domain/audit.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { STATISTICS_STEPS, STEPS_MAX } from "../../../domain/statistics.ts";
import { data, endpoint, page, streamedFile } from "../../../http/describe/endpoint.ts";
import {
	exactIp,
	type InferQuery,
	idQuery,
	oneOf,
	searchText,
	searchTexts,
	timeText,
} from "../../../http/describe/query-parameters.ts";
import { choice, integer, list, nullable, object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { auditEventSchema, toWireEvent } from "./audit-event-wire.ts";
import { countAuditEvents } from "./count-audit-events.ts";
import { EXPORT_FORMATS, exportEvents } from "./export-events.ts";
import { RECENT_EVENTS, readRecentChain } from "./recent-chain.ts";

const chainSchema = object(
	{
		last_sequence: integer("The number of the newest event, from 1; 0 before the first."),
		last_hash: plain(
			'The hash of that event; `""` before the first. Store it elsewhere to verify the trail up to that event later.',
		),
		last_at: nullable(time()),
		checked: integer(`How many of the newest events were checked, at most ${RECENT_EVENTS}.`),
		broken_at: nullable(integer("The first of them that is missing or was changed; null if all are intact.")),
		pruned_up_to: integer(
			"The last event that `latchkey audit prune` removed and replaced with a signed checkpoint; 0 for none.",
		),
		pruned_at: nullable(time("When it was removed.")),
	},
	{ title: "AuditChain" },
);
const toWireChain = toWire(chainSchema);

const statisticsSchema = object(
	{
		from: time("The start of the first step."),
		to: time("The end of the last step."),
		step: choice(STATISTICS_STEPS),
		counted_from: time(
			`Older events of the period are not counted: it has more than ${AUDIT_COUNTED_MAX}. Otherwise \`from\`.`,
		),
		steps: list(
			object({ at: time("The start of the step."), events: integer() }, { title: "AuditStatisticsStep" }),
			{ description: "Every step of the period, oldest first." },
		),
	},
	{ title: "AuditStatistics" },
);

/** Of one query. */
const ACTIONS_MAX = 50;
const filters = {
	id: idQuery("Only this event."),
	actor: searchText(),
	actor_name: searchText(),
	action: searchTexts(ACTIONS_MAX, "Events with one of these actions."),
	target: searchText(),
	target_name: searchText(),
	request_id: searchText(),
	ip: exactIp(),
	from: timeText(),
	to: timeText(),
};
const FILTER_RULES =
	"`from` is inclusive, `to` exclusive, both ISO 8601 with a zone; all other filters match exactly. `actor_name` and `target_name` are the names at the time of the event.";
const MEDIA_TYPES = { jsonl: "application/jsonl", csv: "text/csv" } as const;

/** The columns of an export, in the order of the fields of a line. */
const COLUMNS = ["sequence", ...Object.keys(auditEventSchema.properties)];

export function auditEndpoints(platform: Platform) {
	return {
		list: endpoint<Administrator>()({
			name: "listAuditEvents",
			summary: "List audit events",
			description: `Newest first. ${FILTER_RULES}`,
			query: filters,
			response: page(auditEventSchema, "Events of the tenant."),
			handle: async ({ caller: { tenantId }, query, page }) =>
				mapPage(await platform.db.stores.audit.list({ tenantId, ...toFilter(query) }, page), toWireEvent),
		}),

		chain: endpoint<Administrator>()({
			name: "getAuditChain",
			summary: "Get the state of the audit chain",
			description: `Checks the ${RECENT_EVENTS} newest events of the tenant; \`latchkey audit verify\` on the server checks all events and the signatures of checkpoints.`,
			response: data(200, chainSchema, "The end of the chain."),
			async handle({ caller: { tenantId } }) {
				const { audit, checkpoints } = platform.db.stores;
				return toWireChain(await readRecentChain({ ...audit, ...checkpoints }, tenantId));
			},
		}),

		count: endpoint<Administrator>()({
			name: "countAuditEvents",
			summary: "Count audit events over time",
			description: `Counts the matching events per hour (at most ${STEPS_MAX.hour}) or per day (at most ${STEPS_MAX.day}) in UTC. \`from\` and \`to\` are extended to whole steps; the default is the last 24 hours, or the last 30 days with \`step=day\`. Only the newest ${AUDIT_COUNTED_MAX} events of the period are read. ${FILTER_RULES}`,
			query: { ...filters, step: oneOf(STATISTICS_STEPS) },
			response: data(200, statisticsSchema, "The steps of the period."),
			async handle({ caller: { tenantId }, query: { step = "hour", ...filters } }) {
				const counts = await countAuditEvents(platform, { tenantId, ...toFilter(filters) }, step);
				return {
					from: isoTime(counts.fromMs),
					to: isoTime(counts.toMs),
					step,
					counted_from: isoTime(counts.countedFromMs),
					steps: counts.steps.map(({ atMs, events }) => ({ at: isoTime(atMs), events })),
				};
			},
		}),

		export: endpoint<Administrator>()({
			name: "exportAuditEvents",
			summary: "Export audit events as a file",
			description: `\`format\` is \`jsonl\` (one event a line, the default) or \`csv\`, where \`'\` precedes fields that a spreadsheet would read as a formula. Oldest first, with \`sequence\`, the position in the chain. ${FILTER_RULES} The service records the export in the audit trail before it sends the first byte. If the connection ends early, the file is incomplete.`,
			query: { ...filters, format: oneOf(EXPORT_FORMATS) },
			response: streamedFile(Object.values(MEDIA_TYPES), "Events of the tenant."),
			secret: true,
			async handle({ caller, query: { format = "jsonl", ...filters } }) {
				const eventExport = { filter: toFilter(filters), format, columns: COLUMNS, toFields };
				const parts = await exportEvents(platform, eventExport, caller);
				return { name: `audit-events.${format}`, mediaType: MEDIA_TYPES[format], parts };
			},
		}),
	};
}

function toFields(event: AuditEvent) {
	return { sequence: event.sequence, ...toWireEvent(event) };
}

function toFilter(query: InferQuery<typeof filters>): Omit<AuditQuery, "tenantId"> {
	const { from, to, action: actions, actor_name, target_name, request_id, ...exact } = query;
	const names = { actions, actorName: actor_name, targetName: target_name, requestId: request_id };
	return { ...exact, ...names, fromMs: from, toMs: to };
}
