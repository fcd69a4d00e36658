// `/audit-events/{id}/restore`: gives a record the values that it had before an event.

import type { Administrator } from "../../../domain/caller.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
import {
	anyObject,
	boolean,
	exactText,
	list,
	nullable,
	object,
	optional,
	plain,
	text,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { createRows, type RowsOver, SharedChecks } from "../../access/configuration/rows-wire.ts";
import type { Platform } from "../../platform.ts";

const NOTE_MAX = 200;

const body = object({
	note: optional(
		text({ max: NOTE_MAX, description: "Why; the new event has it.", examples: ["By mistake"] }),
	),
	dry_run: optional(boolean("Only previews: nothing changes. Default false.")),
	expect: optional(
		exactText({
			max: 64,
			description:
				"The `digest` of a preview: if the record has changed since, nothing changes (409). Required if it changed after the event.",
		}),
	),
});

const restoredSchema = object(
	{
		event_id: nullable(
			plain({
				format: "uuid",
				description: "The new event, whose `details.restores` is the old one; null if nothing changed.",
			}),
		),
		changes: anyObject(
			"The values now and the restored ones, as `{ field: { from, to } }`; empty if there is nothing to restore. Null: there is no such record.",
		),
		changed_since: list(plain(), {
			description: "The fields of `changes` that were changed again after the event.",
			examples: [["roles"]],
		}),
		digest: plain("Of the values now, for `expect`."),
		client_secret: optional(
			plain("The secret of an OAuth client, if the change made one. Returned only here."),
		),
	},
	{ title: "RestoredAuditEvent" },
);

const toWireRestored = toWire(restoredSchema);

export function restoreEndpoints(platform: Platform, rowsOver: RowsOver) {
	// What only these requests use is loaded with the first one, to keep the startup fast.
	const checks = new SharedChecks();
	return {
		restore: endpoint<Administrator>()({
			name: "restoreAuditEvent",
			summary: "Restore what an event changed",
			description:
				"Gives the record the values that it had before the event, by the endpoint that makes this change alone, with its permissions, limits, and webhooks: for created, changed, and removed grants, and for changes of roles, API clients, OAuth clients, and gates. Values that the trail cut or does not record are not restored, nor are the others of the event (409 `audit_event.not_recorded`). Events of ended grants, and of created and deleted records, are not restorable. Idempotent.",
			ids: { id: "audit_event.not_found" },
			body,
			response: data(200, restoredSchema, "What was restored, or would be."),
			errors: [
				"audit_event.not_restorable",
				"audit_event.not_recorded",
				"audit_event.changed_since",
				"api_client.not_found",
				"application.is_program",
				"application.not_found",
				"application_role.name_taken",
				"application_role.not_found",
				"gate.not_found",
				"gate.origin_taken",
				"grant.not_found",
				"group.not_found",
				"oauth_client.not_found",
				"oauth_client.resource_taken",
				"service.overloaded",
				"user.not_found",
			],
			secret: true,
			async handle({ caller, ids: { id }, body: { note = "", dry_run = false, expect }, request }) {
				const { restoreEvent } = await import("./restore-event.ts");
				const needs = {
					platform,
					caller,
					rowsOver: (over: Platform) => createRows(rowsOver(over), caller, request, checks),
				};
				const wish = { eventId: id, note, isDryRun: dry_run, expected: expect };
				const { secretPlain, ...restored } = await restoreEvent(needs, wish);
				const secret = secretPlain !== undefined && { clientSecret: secretPlain };
				return toWireRestored({ ...restored, ...secret });
			},
		}),
	};
}
