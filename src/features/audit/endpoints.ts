// GET /audit-events: the trail, as a tenant's admins and auditors read it.

import { endpoint, page, searchText, timeText } from "../../http/endpoint.ts";
import { anyObject, object, plain, time } from "../../http/schema.ts";
import { isoTime } from "../../kernel/clock.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { SignedIn } from "../auth/model.ts";
import type { AuditEvent, AuditTrail } from "./model.ts";

const auditEventSchema = object(
	{
		id: plain({ format: "uuid" }),
		at: time(),
		actor: plain({ description: "`user:<id>`, `api_client:<id>`, `anonymous` or `system`." }),
		action: plain({ description: "`noun.verb`, e.g. `access_request.approved`." }),
		target: plain({ description: '`noun:<id>` of the thing acted upon, or `""`.' }),
		ip: plain(),
		request_id: plain(),
		details: anyObject({ description: "More about it; never a secret, a token or a password." }),
		hash: plain({ description: "SHA-256, hex, over the event before and this one." }),
	},
	{ title: "AuditEvent" },
);

export function auditEndpoints({ db }: { readonly db: Persistence<{ audit: AuditTrail }> }) {
	return {
		list: endpoint<SignedIn>()({
			name: "listAuditEvents",
			summary: "List audit events",
			description:
				"Newest first. `actor`, `action` and `target` are compared whole; `from` is inclusive, `to` exclusive, both ISO 8601 with a zone.",
			query: {
				actor: searchText(),
				action: searchText(),
				target: searchText(),
				from: timeText(),
				to: timeText(),
			},
			answer: page(auditEventSchema, "Events of the tenant."),
			async handle({ caller, query: { from, to, ...same }, page: asked }) {
				const times = {
					...(from === undefined ? {} : { fromMs: from }),
					...(to === undefined ? {} : { toMs: to }),
				};
				const events = await db.stores.audit.list({ tenantId: caller.tenantId, ...same, ...times }, asked);
				return { items: events.items.map(toWireEvent), total: events.total };
			},
		}),
	};
}

function toWireEvent(event: AuditEvent) {
	return {
		id: event.id,
		at: isoTime(event.atMs),
		actor: event.actor,
		action: event.action,
		target: event.target,
		ip: event.ip,
		request_id: event.requestId,
		details: JSON.parse(event.details) as Record<string, unknown>,
		hash: event.hash,
	};
}
